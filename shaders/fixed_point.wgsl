// Sums as 64-bit integers (low, high word) in units of 2^-job.fixed_exponent: their addition is exact, so no grouping
// changes a byte of a total. A number that is not finite, or too large, sets counters[NOT_FINITE].

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
