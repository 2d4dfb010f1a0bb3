// Electromagnetic computing, part 2: the field of every group at every frequency. A workgroup takes one group; its
// lanes are FREQUENCY_LANES frequencies of a block of them x RECORD_LANES shares of the records. Sums run
// in a fixed order. What a lane sums, `lane_sum`, is the kernel's.
// Phases are integers in units of 2^-32 cycle: f0's cycles plus n times the cycles per step wrap by themselves.

@group(0) @binding(2) var<storage, read> groups: array<Group>;
@group(0) @binding(3) var<storage, read> records: array<Contribution>;
@group(0) @binding(4) var<storage, read> quad_records: array<QuadContribution>;
// Two per group and frequency of this dispatch: (re, im) of VV HH, then of VH HV.
@group(0) @binding(5) var<storage, read_write> partial: array<vec4f>;
@group(0) @binding(6) var<storage, read> counters: array<u32>;

const RECORD_LANES = 256u / FREQUENCY_LANES;

var<workgroup> shared_re: array<vec4f, 256>;
var<workgroup> shared_im: array<vec4f, 256>;

// Real and imaginary parts of VV HH VH HV.
struct Sum {
  re: vec4f,
  im: vec4f,
}

fn sum_group(n: u32, part: u32, lane: u32) {
  let column = FREQUENCY_LANES * part + lane % FREQUENCY_LANES;
  let share = lane / FREQUENCY_LANES;
  let frequency = min(step_.first_frequency + column, job.frequencies - 1u);
  let sum = lane_sum(groups[n], share, frequency, job.wavenumber + f32(frequency) * job.wavenumber_step);
  shared_re[lane] = sum.re;
  shared_im[lane] = sum.im;
  workgroupBarrier();
  for (var reach = RECORD_LANES / 2u; reach > 0u; reach /= 2u) {
    if (share < reach) {
      shared_re[lane] += shared_re[lane + reach * FREQUENCY_LANES];
      shared_im[lane] += shared_im[lane + reach * FREQUENCY_LANES];
    }
    workgroupBarrier();
  }
  if (share == 0u && column < step_.frequency_count) {
    let at = (n * step_.frequency_count + column) * 2u;
    let r = shared_re[lane];
    let i = shared_im[lane];
    partial[at] = vec4f(r.x, i.x, r.y, i.y);
    partial[at + 1u] = vec4f(r.z, i.z, r.w, i.w);
  }
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let end = select(0u, min(counters[GROUPS], job.group_capacity), FREQUENCY_LANES * wg.y < step_.frequency_count);
  for (var n = wg.x; n < end; n += num.x) {
    sum_group(n, wg.y, lane);
    workgroupBarrier();
  }
}
