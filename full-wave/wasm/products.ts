// Products of complex matrices, two doubles at a time: re and im of an element.

/**
 * Sums of a[i, p] b[p, j] over p, for two rows and two columns at a time. Addresses are in bytes.
 * @param left     pairs of rows: of each pair, `depth` times two elements side by side
 * @param right    `depth` rows, `stride` bytes apart
 * @param columns  an even number
 * @param out      columns, `height` bytes apart
 */
export function multiply(
  left: usize,
  right: usize,
  out: usize,
  pairs: i32,
  columns: i32,
  depth: i32,
  stride: usize,
  height: usize,
): void {
  for (let i = 0; i < pairs; i++)
    for (let j = 0; j < columns; j += 2) {
      let a = left + 32 * i * depth
      let b = right + 16 * j
      let c = out + 32 * i + height * j
      // Elements times the real and times the imaginary part.
      let r00 = f64x2.splat(0)
      let r10 = r00
      let r01 = r00
      let r11 = r00
      let i00 = r00
      let i10 = r00
      let i01 = r00
      let i11 = r00
      for (let p = 0; p < depth; p++) {
        const a0 = v128.load(a)
        const a1 = v128.load(a, 16)
        let x = v128.load64_splat(b)
        r00 = f64x2.add(r00, f64x2.mul(a0, x))
        r10 = f64x2.add(r10, f64x2.mul(a1, x))
        x = v128.load64_splat(b, 8)
        i00 = f64x2.add(i00, f64x2.mul(a0, x))
        i10 = f64x2.add(i10, f64x2.mul(a1, x))
        x = v128.load64_splat(b, 16)
        r01 = f64x2.add(r01, f64x2.mul(a0, x))
        r11 = f64x2.add(r11, f64x2.mul(a1, x))
        x = v128.load64_splat(b, 24)
        i01 = f64x2.add(i01, f64x2.mul(a0, x))
        i11 = f64x2.add(i11, f64x2.mul(a1, x))
        a += 32
        b += stride
      }
      v128.store(c, sum(r00, i00))
      v128.store(c, sum(r10, i10), 16)
      v128.store(c + height, sum(r01, i01))
      v128.store(c + height, sum(r11, i11), 16)
    }
}

/** re + j im of pairs. */
function sum(re: v128, im: v128): v128 {
  const turned = v128.shuffle<f64>(im, im, 1, 0)
  return f64x2.add(re, f64x2.mul(turned, f64x2.replace_lane(f64x2.splat(1), 0, -1)))
}
