// Physical optics of facets that are seen: each integrated exactly over its triangle (Gordon's contour sum). Of a facet seen
// in part the whole counts here when more than half of it is seen; gpueco_pixels then takes the hidden samples away, and
// otherwise adds the visible ones.

@group(0) @binding(2) var<storage, read> facets: array<Facet>;
@group(0) @binding(3) var<storage, read> aspects: array<Aspect>;
@group(0) @binding(4) var<storage, read> counts: array<u32>;
@group(0) @binding(5) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> partial: array<Partial>;

var<workgroup> cycles: array<vec2u, 64>;
var<workgroup> amplitude: array<vec4f, 64>;
var<workgroup> edge0: array<vec3f, 64>;
var<workgroup> edge1: array<vec3f, 64>;
var<workgroup> edge2: array<vec3f, 64>;
var<workgroup> seen: atomic<u32>;

// Part of the facet to be integrated whole.
fn weight(aspect: u32, facet: u32) -> f32 {
  let at = (aspect * job.facets + facet) * COUNT_WORDS;
  let samples = counts[at + COUNT_SAMPLES];
  if (samples == 0u) { return f32(counts[at + COUNT_PROBES]) / f32(PROBES); }
  return select(0.0, 1.0, 2u * counts[at + COUNT_VISIBLE] >= samples);
}

// Puts a facet seen in part on the list of gpueco_pixels. The order is left to chance: exact sums do not feel it.
fn list_partial(aspect: u32, facet: u32) {
  let at = (aspect * job.facets + facet) * COUNT_WORDS;
  if (counts[at + COUNT_VISIBLE] == 0u || counts[at + COUNT_VISIBLE] == counts[at + COUNT_SAMPLES]) { return; }
  let entry = facets[facet].entry;
  let entries = facets[facet].entries;
  let first = atomicAdd(&counters[PARTIALS], entries);
  for (var i = 0u; i < entries; i++) { partial[first + i] = Partial(aspect, entry + i); }
  let end = first + entries;
  atomicMax(&counters[PARTIAL_ARGS], min(end, AXIS));
  atomicMax(&counters[PARTIAL_ARGS + 1u], (end + AXIS - 1u) / AXIS * FREQUENCY_BLOCKS);
  atomicMax(&counters[PARTIAL_ARGS + 2u], 1u);
}

fn prepare(aspect: u32, facet: u32, lane: u32) {
  amplitude[lane] = vec4f(0.0);
  if (facet >= job.facets) { return; }
  let whole = weight(aspect, facet);
  if (whole == 0.0) { return; }
  let a = aspects[aspect];
  var n = vec3f(facets[facet].normal_x, facets[facet].normal_y, facets[facet].normal_z);
  let out = n;
  if (facets[facet].both_sides == 1u && dot(n, a.r) < 0.0) { n = -n; }
  if (dot(n, a.r) <= GRAZING) { return; }
  let q0 = facets[facet].relative0;
  let q1 = facets[facet].relative1;
  let q2 = facets[facet].relative2;
  let wt = tangential_part(a.w, out, q1 - q0);
  cycles[lane] = path_cycles(phase_path(a, facets[facet].point));
  amplitude[lane] = whole * facet_amplitudes(a, n);
  edge0[lane] = gordon_edge(q0, q1, out, wt);
  edge1[lane] = gordon_edge(q1, q2, out, wt);
  edge2[lane] = gordon_edge(q2, q0, out, wt);
  atomicAdd(&seen, 1u);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  let n = wg.y * FREQUENCY_LANES + lane % FREQUENCY_LANES;
  let k = job.wavenumber + f32(n) * job.wavenumber_step;
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  for (var first = wg.x * job.group; first < (wg.x + 1u) * job.group; first += 64u) {
    prepare(wg.z, first + lane, lane);
    if (wg.y == 0u && first + lane < job.facets) { list_partial(wg.z, first + lane); }
    workgroupBarrier();
    for (var i = lane / FREQUENCY_LANES; i < 64u; i += SHARES) {
      let v = amplitude[i];
      if (all(v == vec4f(0.0))) { continue; }
      let sum = gordon_term(edge0[i], k) + gordon_term(edge1[i], k) + gordon_term(edge2[i], k);
      // I = sum / (jk)
      let shape = vec2f(sum.y, -sum.x) / k;
      let p = phasor(cycles[i], n);
      re += v * (shape.x * p.x - shape.y * p.y);
      im += v * (shape.x * p.y + shape.y * p.x);
    }
    workgroupBarrier();
  }
  if (lane == 0u && wg.y == 0u) {
    let n = atomicLoad(&seen);
    if (n > 0u) { atomicAdd(&counters[COUNTERS_HEAD + SEEN_WORDS * wg.z + SEEN_FACETS], n); }
  }
  add_to_totals(wg.z, lane, wg.y, re, im);
}
