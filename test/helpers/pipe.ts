import type { Mesh } from '../../scene/mesh.js'

/** A square pipe of `side` along z from its closed end at z = 0 to its mouth at `length` [m]; walls without thickness. */
export function pipe(side: number, length: number): Mesh {
  const h = side / 2
  const around = [
    [-h, -h],
    [h, -h],
    [h, h],
    [-h, h],
  ]
  const positions = Float64Array.from([0, length].flatMap((z) => around.flatMap(([x, y]) => [x, y, z])))
  const walls = [0, 1, 2, 3].flatMap((i) => {
    const j = (i + 1) % 4
    return [i, j, j + 4, i, j + 4, i + 4]
  })
  return { positions, triangles: Uint32Array.from([0, 2, 1, 0, 3, 2, ...walls]) }
}
