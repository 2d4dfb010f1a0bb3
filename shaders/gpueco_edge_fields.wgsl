// Fringe fields of the visible parts of edges: each run of visible samples of a piece is integrated exactly along the edge.
// A workgroup sums 64 pieces.

@group(0) @binding(2) var<storage, read> edges: array<Edge>;
@group(0) @binding(3) var<storage, read> pieces: array<Piece>;
@group(0) @binding(4) var<storage, read> aspects: array<Aspect>;
@group(0) @binding(5) var<storage, read> masks: array<u32>;
@group(0) @binding(6) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> counters: array<atomic<u32>>;

var<workgroup> turns: array<vec2u, 64>;
var<workgroup> amplitude: array<vec4f, 64>;
// Slope of the phase path along the edge, distance of samples [m].
var<workgroup> spacing: array<vec2f, 64>;
var<workgroup> mask: array<u32, 64>;
var<workgroup> seen: atomic<u32>;

fn prepare(aspect: u32, number: u32, lane: u32) {
  mask[lane] = 0u;
  if (number >= job.pieces) { return; }
  let bits = masks[aspect * job.pieces + number];
  if (bits == 0u) { return; }
  let a = aspects[aspect];
  let piece = pieces[number];
  let e = edges[piece.edge];
  var slide = tf_add(tf_scale(vec2f(a.w.x, a.w_lo.x), e.tangent.x), tf_scale(vec2f(a.w.y, a.w_lo.y), e.tangent.y));
  slide = tf_add(slide, tf_scale(vec2f(a.w.z, a.w_lo.z), e.tangent.z));
  // The phase path at the first sample's beginning.
  var path = phase_path(a, e.start);
  path = tf_add(path, vec2f(dot(a.w, e.start_lo), 0.0));
  path = tf_add(path, tf_mul(slide, two_prod(f32(piece.first), e.spacing)));
  turns[lane] = path_turns(path);
  spacing[lane] = vec2f(slide.x, e.spacing);
  amplitude[lane] = face_amplitudes(a, e.faces[0], e.wedge)
    + face_amplitudes(a, e.faces[1], e.wedge);
  mask[lane] = bits;
  atomicAdd(&seen, 1u);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  prepare(wg.z, 64u * wg.x + lane, lane);
  workgroupBarrier();
  let n = wg.y * FREQUENCY_LANES + lane % FREQUENCY_LANES;
  let k = job.wavenumber + f32(n) * job.wavenumber_step;
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  for (var i = lane / FREQUENCY_LANES; i < 64u; i += SHARES) {
    var rest = mask[i];
    let slide = spacing[i].x;
    // At most 16 runs in 32 bits.
    for (var run = 0u; run < 16u && rest != 0u; run++) {
      let begin = countTrailingZeros(rest);
      let long = countTrailingZeros(~(rest >> begin));
      let ones = select((1u << (long & 31u)) - 1u, 0xffffffffu, long >= 32u);
      rest &= ~(ones << begin);
      let middle = (f32(begin) + 0.5 * f32(long)) * spacing[i].y * slide;
      let length = f32(long) * spacing[i].y;
      let t = turns[i] + vec2u(fixed_turns(vec2f(middle * job.cycles_per_metre.x, 0.0)), fixed_turns(vec2f(middle * job.cycles_per_metre_step.x, 0.0)));
      // 4 pi/(jk): totals are multiplied by jk/(4 pi) in the end.
      let p = phasor(t, n) * (length * sinc(0.5 * k * slide * length) * 12.566371 / k);
      re += amplitude[i] * p.y;
      im -= amplitude[i] * p.x;
    }
  }
  if (lane == 0u && wg.y == 0u) {
    let found = atomicLoad(&seen);
    if (found > 0u) { atomicAdd(&counters[COUNTERS_HEAD + SEEN_WORDS * wg.z + SEEN_PIECES], found); }
  }
  add_to_totals(wg.z, lane, wg.y, re, im);
}
