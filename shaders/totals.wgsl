// Adds to a total: two words (low, high) per value, 8 values per frequency of the band. The kernel declares totals.
fn add_total(value: u32, sum: vec2u) {
  let before = atomicAdd(&totals[2u * value], sum.x);
  atomicAdd(&totals[2u * value + 1u], sum.y + select(0u, 1u, before + sum.x < before));
}
