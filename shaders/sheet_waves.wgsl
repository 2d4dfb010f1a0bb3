// Waves that facets reflect and sheets transmit too: in the place of opaque_waves.wgsl on targets with sheets, as
// cpu-sbr/materials/path-fields.ts and sight-fields.ts have them in double precision.

// A wave on its way, of both transmitted polarisations.
struct Wave {
  d: vec3f,
  v: Field,
  h: Field,
  below: bool,  // a ground
  bounces: u32, // reflections so far
}

fn launched() -> Wave {
  return Wave(job.d, Field(job.tx_v, vec3f(0.0)), Field(job.tx_h, vec3f(0.0)), false, 0u);
}

// T_s and T_p stand behind R_s and R_p.
fn transmission_coefficients(facet: u32, back: bool, node: u32, c: f32) -> vec4f {
  return sampled(arrayLength(&coefficients) / 2u, side_of(facet, back), node, c);
}

fn difference(a: Field, b: Field) -> Field {
  return Field(a.re - b.re, a.im - b.im);
}

// `received` of a complex polarisation, times E.
fn receive(polarisation: Field, e: Field, d: vec3f, n: vec3f, nd: f32) -> vec2f {
  let re = received(polarisation.re, d, n, nd);
  let im = received(polarisation.im, d, n, nd);
  return vec2f(dot(re, e.re) - dot(im, e.im), dot(re, e.im) + dot(im, e.re));
}

// The receiver as a sheet between shows it: waves along s.
fn seen_through(beyond: Receiver, facet: u32, node: u32) -> Receiver {
  let receiver = seen_from(beyond, facet, node);
  let outward = facets[facet].normal;
  let back = dot(outward, job.s) > 0.0;
  let n = select(outward, -outward, back);
  let c = -dot(n, job.s);
  let t = transmission_coefficients(facet, back, node, c);
  return Receiver(
    transmitted_field(receiver.v, n, job.s, c, t), transmitted_field(receiver.h, n, job.s, c, t), receiver.below);
}

// Amplitudes of the currents at a facet times `section` over c to entry `to` (none: NO_FACET), for a receiver behind sheets. Before
// any reflection the jump of E_i - E_t is received without regard to these. The wave goes on reflected; the transmitted one is returned.
fn split(wave: ptr<function, Wave>, facet: u32, node: u32, to: u32, section: f32, beyond: Receiver) -> Wave {
  let before = arriving(*wave, facet, node);
  let receiver = seen_from(beyond, facet, node);
  let d = before.d;
  let outward = facets[facet].normal;
  let back = dot(outward, d) > 0.0;
  let n = select(outward, -outward, back);
  let c = -dot(n, d);
  let onward = normalize(d + 2.0 * c * n);
  let r = sampled(0u, side_of(facet, back), node, c);
  let t = transmission_coefficients(facet, back, node, c);
  let of_v = reflected_field(before.v, n, d, c, r);
  let of_h = reflected_field(before.h, n, d, c, r);
  let through = Wave(
    d, transmitted_field(before.v, n, d, c, t), transmitted_field(before.h, n, d, c, t), before.below,
    before.bounces);
  if (to != NO_FACET) {
    var direct = receiver;
    if (before.bounces == 0u) { direct = seen_from(clear_receiver(), facet, node); }
    let lost_v = difference(before.v, through.v);
    let lost_h = difference(before.h, through.h);
    let vv = receive(direct.v, lost_v, d, n, -c) + receive(receiver.v, of_v, onward, n, c);
    let hh = receive(direct.h, lost_h, d, n, -c) + receive(receiver.h, of_h, onward, n, c);
    let vh = receive(direct.h, lost_v, d, n, -c) + receive(receiver.h, of_v, onward, n, c);
    let hv = receive(direct.v, lost_h, d, n, -c) + receive(receiver.v, of_h, onward, n, c);
    let scale = select(1.0, section / c, section > 0.0);
    amplitudes[to] = scale * vec4f(vv.x, hh.x, vh.x, hv.x);
    amplitudes[to + 1u] = scale * vec4f(vv.y, hh.y, vh.y, hv.y);
  }
  (*wave) = Wave(onward, of_v, of_h, before.below, before.bounces + 1u);
  return through;
}

// Of a tube that radiates through a quadrilateral: it meets nothing else, and no sheet stands before the receiver.
fn bounce(wave: ptr<function, Wave>, facet: u32, node: u32, to: u32, section: f32) {
  _ = split(wave, facet, node, to, section, clear_receiver());
}

// Parallelograms: their area is the tube's cross section over c.
fn add_tube(leaf: u32, node: u32) {
  let at = LEAF_WORDS * leaf;
  let words = leaves[at + LEAF_LEVEL_COUNT] >> 8u;
  let side = job.tube_side.x * cell_scale(leaves[at + LEAF_LEVEL_COUNT] & 0xffu);
  var record = leaves[at + LEAF_RECORD];
  var wave = launched();
  var saved: array<Wave, MAX_BOUNCES>;
  var depth = 0u;
  var m = 0u;
  while (m < words) {
    let word = leaves[facet_at(at, m)];
    let radiates = (word & RADIATES) != 0u;
    if ((word & RESUMED) != 0u) {
      depth--;
      wave = saved[depth];
    }
    var end = m + 1u;
    while (end < words && (leaves[facet_at(at, end)] & SIGHT) != 0u) { end++; }
    // From the receiver inwards.
    var receiver = clear_receiver();
    for (var i = end - 1u; i > m; i--) { receiver = seen_through(receiver, leaves[facet_at(at, i)] & FACET, node); }
    let to = select(NO_FACET, amplitude_at(record, node), radiates);
    let through = split(&wave, word & FACET, node, to, side * side, receiver);
    if ((word & SAVED) != 0u) {
      saved[depth] = through;
      depth++;
    }
    record += select(0u, 1u, radiates);
    m = end;
  }
}
