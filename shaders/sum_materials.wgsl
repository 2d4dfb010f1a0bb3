// As sum_frequencies, for a target with materials: amplitudes are complex and stand at the nodes of the band, from where `node_weights`
// interpolate to each frequency. The host prepends MATERIAL_NODES.

@group(0) @binding(2) var<storage, read> groups: array<Group>;
@group(0) @binding(3) var<storage, read> records: array<Contribution>;
@group(0) @binding(4) var<storage, read> quad_records: array<QuadContribution>;
// Two per group and frequency of this dispatch: (re, im) of VV HH, then of VH HV.
@group(0) @binding(5) var<storage, read_write> partial: array<vec4f>;
@group(0) @binding(6) var<storage, read> counters: array<u32>;
@group(0) @binding(7) var<storage, read> amplitudes: array<vec4f>; // see material_amplitudes
@group(0) @binding(8) var<storage, read> node_weights: array<f32>; // by frequency and node

const RECORD_LANES = 256u / FREQUENCY_LANES;

var<workgroup> shared_re: array<vec4f, 256>;
var<workgroup> shared_im: array<vec4f, 256>;

// Sum of the lane: real and imaginary parts of VV HH VH HV.
struct Sum {
  re: vec4f,
  im: vec4f,
}

// Adds a contribution's amplitude at a frequency times a complex factor.
fn add(sum: ptr<function, Sum>, contribution: u32, frequency: u32, factor: vec2f) {
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  for (var node = 0u; node < MATERIAL_NODES; node++) {
    let weight = node_weights[frequency * MATERIAL_NODES + node];
    let at = 2u * (contribution * MATERIAL_NODES + node);
    re += weight * amplitudes[at];
    im += weight * amplitudes[at + 1u];
  }
  (*sum).re += re * factor.x - im * factor.y;
  (*sum).im += re * factor.y + im * factor.x;
}

fn sum_group(n: u32, part: u32, lane: u32) {
  let group = groups[n];
  let column = FREQUENCY_LANES * part + lane % FREQUENCY_LANES;
  let share = lane / FREQUENCY_LANES;
  let frequency = min(step_.first_frequency + column, job.frequencies - 1u);
  let k = job.wavenumber + f32(frequency) * job.wavenumber_step;
  var sum = Sum(vec4f(0.0), vec4f(0.0));
  for (var i = share; i < group.records; i += RECORD_LANES) {
    let at = group.record + i;
    let cycles = records[at].cycles;
    let spans = records[at].spans;
    let p = phasor(cycles.x + frequency * cycles.y) * (sinc(k * spans.x) * sinc(k * spans.y));
    add(&sum, at, frequency, p);
  }
  for (var i = share; i < group.quad_records; i += RECORD_LANES) {
    let at = group.quad_record + i;
    let cycles = quad_records[at].cycles;
    let p = phasor(cycles.x + frequency * cycles.y);
    let shape = quad_shape(at, k);
    let factor = vec2f(shape.x * p.x - shape.y * p.y, shape.x * p.y + shape.y * p.x);
    add(&sum, job.record_capacity + at, frequency, factor);
  }
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
