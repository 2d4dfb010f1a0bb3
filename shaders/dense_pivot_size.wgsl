// |re| + |im| as bits, by which pivots are compared, as in BLAS (icamax). What is no number counts as 0.

fn pivot_size(z: vec2f) -> u32 {
  let size = abs(z.x) + abs(z.y);
  return select(0u, bitcast<u32>(size), size < 3.4e38);
}
