/** Three coordinates. Functions write their result to `out`, which may be one of their arguments: nothing is allocated per ray. */
export type Vector = Float64Array

export const vector = (from: ArrayLike<number> = [0, 0, 0]): Vector => Float64Array.from(from)

export function copy(a: Vector, out: Vector): void {
  out[0] = a[0]
  out[1] = a[1]
  out[2] = a[2]
}

/** a + t b */
export function along(a: Vector, t: number, b: Vector, out: Vector): void {
  out[0] = a[0] + t * b[0]
  out[1] = a[1] + t * b[1]
  out[2] = a[2] + t * b[2]
}

/** x a + y b */
export function combine(x: number, a: Vector, y: number, b: Vector, out: Vector): void {
  out[0] = x * a[0] + y * b[0]
  out[1] = x * a[1] + y * b[1]
  out[2] = x * a[2] + y * b[2]
}

export function cross(a: Vector, b: Vector, out: Vector): void {
  const x = a[1] * b[2] - a[2] * b[1]
  const y = a[2] * b[0] - a[0] * b[2]
  const z = a[0] * b[1] - a[1] * b[0]
  out[0] = x
  out[1] = y
  out[2] = z
}
