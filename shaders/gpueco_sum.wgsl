// Sums of a workgroup of 64 lanes, FREQUENCY_LANES of them frequencies times shares of the contributions, to the totals:
// in a fixed order to floats, then exactly as integers. 8 numbers (re, im of VV HH VH HV) per frequency and aspect.

const SHARES = 64u / FREQUENCY_LANES;

var<workgroup> shared_re: array<vec4f, 64>;
var<workgroup> shared_im: array<vec4f, 64>;

fn add_to_totals(aspect: u32, lane: u32, part: u32, re: vec4f, im: vec4f) {
  shared_re[lane] = re;
  shared_im[lane] = im;
  workgroupBarrier();
  for (var reach = SHARES / 2u; reach > 0u; reach /= 2u) {
    if (lane / FREQUENCY_LANES < reach) {
      shared_re[lane] += shared_re[lane + reach * FREQUENCY_LANES];
      shared_im[lane] += shared_im[lane + reach * FREQUENCY_LANES];
    }
    workgroupBarrier();
  }
  for (var i = lane; i < 8u * FREQUENCY_LANES; i += 64u) {
    let column = i / 8u;
    let n = column + FREQUENCY_LANES * part;
    let c = (i % 8u) / 2u;
    let sum = to_fixed(select(shared_re[column][c], shared_im[column][c], i % 2u == 1u));
    if (n < job.frequencies && any(sum != vec2u(0u))) {
      let at = 2u * (8u * (aspect * job.frequencies + n) + i % 8u);
      let before = atomicAdd(&totals[at], sum.x);
      atomicAdd(&totals[at + 1u], sum.y + select(0u, 1u, before + sum.x < before));
    }
  }
}
