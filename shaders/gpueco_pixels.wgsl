// Physical optics of facets seen in part, sample by sample: each stands for an equal share of the facet's area, a
// parallelogram on its plane (paper 001, equation 1, with the parallelogram's integral as a product of sincs). Phasors are summed as
// integers, and their sum is multiplied as one: no way of cutting a facet into entries or tiles changes a byte.

@group(0) @binding(5) var<storage, read> depth: array<u32>;
@group(0) @binding(6) var<storage, read> counts: array<u32>;
@group(0) @binding(7) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(9) var<storage, read> partial: array<Partial>;

// Turns of 64 samples at a time, and whether they count.
var<workgroup> turns: array<vec2u, 64>;
var<workgroup> counted: array<u32, 64>;
var<workgroup> listed: u32;
// Sums of phasors, in units of 2^-16, of every frequency.
var<workgroup> sum_re: array<atomic<i32>, FREQUENCY_LANES>;
var<workgroup> sum_im: array<atomic<i32>, FREQUENCY_LANES>;

const SHARES = 64u / FREQUENCY_LANES;
const PHASOR_UNIT = 65536.0;

// High word of the product of two words.
fn high_word(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let cross0 = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let cross1 = (a & 0xffffu) * (b >> 16u) + (cross0 & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (cross0 >> 16u) + (cross1 >> 16u);
}

// x times the sum n, both two's complement, in the units of the totals; the upper bits wrap away.
fn exact_product(x: f32, n: i32) -> vec2u {
  let v = to_fixed(x / PHASOR_UNIT);
  let m = bitcast<u32>(n);
  return vec2u(v.x * m, high_word(v.x, m) + v.y * m - select(0u, v.x, n < 0));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let number = wg.x + count.x * (wg.y / FREQUENCY_BLOCKS);
  let part = wg.y % FREQUENCY_BLOCKS;
  if (lane == 0u) { listed = atomicLoad(&counters[PARTIALS]); }
  if (number >= workgroupUniformLoad(&listed)) { return; }
  let aspect = partial[number].aspect;
  let entry = partial[number].entry;
  let facet = work[entry].facet & 0x7fffffffu;
  let at = (aspect * job.facets + facet) * COUNT_WORDS;
  let covered = counts[at + COUNT_SAMPLES];
  let visible = counts[at + COUNT_VISIBLE];
  let a = aspects[aspect];
  let t = triangle(work[entry], a);
  let end = samples(t);
  if (end == 0u) { return; }
  // Take away what is hidden, or add what is visible.
  let hidden = 2u * visible >= covered;
  let point = facets[facet].point;
  let base = path_turns(phase_path(a, point));
  let centre = project(a, point);
  // The facet's plane per pixel along u and v.
  let du = job.pixel * a.u + t.slope.x * a.r;
  let dv = job.pixel * a.v + t.slope.y * a.r;
  let path = vec2f(dot(a.w, du), dot(a.w, dv));
  let column = lane % FREQUENCY_LANES;
  let n = part * FREQUENCY_LANES + column;
  var sum = vec2i(0);
  for (var first = 0u; first < end; first += 64u) {
    counted[lane] = 0u;
    if (first + lane < end) {
      let at = sample(t, first + lane);
      if (covers(t, at)) {
        let x = vec2f(at) + 0.5;
        let front = key_depth(depth[pixel_index(aspect, at)]);
        counted[lane] = select(0u, 1u, (height(t, x) >= front - t.bias) != hidden);
        let offset = dot(path, x - centre.xy);
        turns[lane] = base + vec2u(fixed_turns(vec2f(offset * job.cycles_per_metre.x, 0.0)), fixed_turns(vec2f(offset * job.cycles_per_metre_step.x, 0.0)));
      }
    }
    workgroupBarrier();
    for (var i = lane / FREQUENCY_LANES; i < 64u; i += SHARES) {
      if (counted[i] == 1u) { sum += vec2i(round(phasor(turns[i], n) * PHASOR_UNIT)); }
    }
    workgroupBarrier();
  }
  atomicAdd(&sum_re[column], sum.x);
  atomicAdd(&sum_im[column], sum.y);
  workgroupBarrier();
  if (lane >= FREQUENCY_LANES || n >= job.frequencies) { return; }
  let k = job.wavenumber + f32(n) * job.wavenumber_step;
  let q0 = facets[facet].relative0;
  let area = 0.5 * length(cross(facets[facet].relative1 - q0, facets[facet].relative2 - q0));
  let share = select(1.0, -1.0, hidden) * area / f32(covered) * sinc(0.5 * k * path.x) * sinc(0.5 * k * path.y);
  let v = share * facet_amplitudes(a, t.n);
  for (var i = 0u; i < 8u; i++) {
    let whole = select(atomicLoad(&sum_re[lane]), atomicLoad(&sum_im[lane]), i % 2u == 1u);
    let x = exact_product(v[i / 2u], whole);
    let at = 2u * (8u * (aspect * job.frequencies + n) + i);
    let before = atomicAdd(&totals[at], x.x);
    atomicAdd(&totals[at + 1u], x.y + select(0u, 1u, before + x.x < before));
  }
}
