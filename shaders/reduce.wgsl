// Parallel reduction (paper 003, section 2.3): the groups' sums become 64-bit integers in units of
// 2^-fixed_exponent and are added up; integer addition is exact, so no grouping changes a byte of the total.

@group(0) @binding(2) var<storage, read> partial: array<f32>;
// Two words (low, high) per value, 8 values per frequency of the band.
@group(0) @binding(3) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;

const GROUPS_PER_LANE = 64u;

fn add64(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// x * 2^fixed_exponent as a two's complement 64-bit integer, cut towards zero.
fn to_fixed(x: f32) -> vec2u {
  let bits = bitcast<u32>(x);
  let exponent = (bits >> 23u) & 0xffu;
  if (exponent == 0u) { return vec2u(0u); }
  let shift = i32(exponent) - 150 + job.fixed_exponent;
  if (exponent == 255u || shift > 36) {
    atomicOr(&counters[NOT_FINITE], 1u);
    return vec2u(0u);
  }
  let mantissa = (bits & 0x7fffffu) | 0x800000u;
  var value = vec2u(0u);
  if (shift >= 32) {
    value = vec2u(0u, mantissa << u32(shift - 32));
  } else if (shift > 0) {
    value = vec2u(mantissa << u32(shift), mantissa >> u32(32 - shift));
  } else if (shift > -24) {
    value = vec2u(mantissa >> u32(-shift), 0u);
  }
  if ((bits >> 31u) == 0u) { return value; }
  return add64(~value, vec2u(1u, 0u));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  let values = 8u * step_.frequency_count;
  let value = 64u * wg.x + lane;
  let end = min(atomicLoad(&counters[GROUP_ARGS]), job.group_capacity);
  let begin = wg.y * GROUPS_PER_LANE;
  if (value >= values || begin >= end) { return; }
  var sum = vec2u(0u);
  for (var g = begin; g < min(begin + GROUPS_PER_LANE, end); g++) {
    sum = add64(sum, to_fixed(partial[g * values + value]));
  }
  let at = 2u * (8u * step_.first_frequency + value);
  let before = atomicAdd(&totals[at], sum.x);
  atomicAdd(&totals[at + 1u], sum.y + select(0u, 1u, before + sum.x < before));
}
