// Parallel reduction (paper 003, section 2.3): the groups' sums become 64-bit integers in units of
// 2^-fixed_exponent and are added up; integer addition is exact, so no grouping changes a byte of the total.

@group(0) @binding(2) var<storage, read> partial: array<f32>;
// Two words (low, high) per value, 8 values per frequency of the band, and so for every direction of a look.
@group(0) @binding(3) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;

const GROUPS_PER_LANE = 64u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  let values = 8u * step_.frequency_count;
  let value = 64u * wg.x + lane;
  let end = min(atomicLoad(&counters[GROUPS]), job.group_capacity);
  let begin = wg.y * GROUPS_PER_LANE;
  if (value >= values || begin >= end) { return; }
  var sum = vec2u(0u);
  for (var g = begin; g < min(begin + GROUPS_PER_LANE, end); g++) {
    sum = add64(sum, to_fixed(partial[g * values + value]));
  }
  add_total(8u * (step_.first_total + step_.first_frequency) + value, sum);
}
