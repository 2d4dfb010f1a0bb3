// Waves that opaque facets reflect.

// A wave on its way, of both transmitted polarisations.
struct Wave {
  d: vec3f,
  v: Field,
  h: Field,
  below: bool, // a ground
}

fn launched() -> Wave {
  return Wave(job.d, Field(job.tx_v, vec3f(0.0)), Field(job.tx_h, vec3f(0.0)), false);
}

// `received` of a polarisation, which a ground alone makes complex.
fn projected(polarisation: Field, d: vec3f, n: vec3f, nd: f32) -> Field {
  let re = received(polarisation.re, d, n, nd);
  if (GROUND_SIDE == 0u) { return Field(re, vec3f(0.0)); }
  return Field(re, received(polarisation.im, d, n, nd));
}

fn projection(of_: Field, e: Field) -> vec2f {
  let re = product(of_.re, e);
  if (GROUND_SIDE == 0u) { return re; }
  let im = product(of_.im, e);
  return vec2f(re.x - im.y, re.y + im.x);
}

// Amplitudes of the currents at a facet times `section` over c to entry `to` (none: NO_FACET); the wave goes on reflected.
fn bounce(wave: ptr<function, Wave>, facet: u32, node: u32, to: u32, section: f32) {
  let before = arriving(*wave, facet, node);
  let d = before.d;
  let outward = facets[facet].normal;
  let back = dot(outward, d) > 0.0;
  let n = select(outward, -outward, back);
  let c = -dot(n, d);
  let onward = normalize(d + 2.0 * c * n);
  let r = sampled(0u, side_of(facet, back), node, c);
  let of_v = reflected_field(before.v, n, d, c, r);
  let of_h = reflected_field(before.h, n, d, c, r);
  if (to != NO_FACET) {
    let receiver = seen_from(clear_receiver(), facet, node);
    let in_v = projected(receiver.v, d, n, -c);
    let in_h = projected(receiver.h, d, n, -c);
    let out_v = projected(receiver.v, onward, n, c);
    let out_h = projected(receiver.h, onward, n, c);
    let vv = projection(in_v, before.v) + projection(out_v, of_v);
    let hh = projection(in_h, before.h) + projection(out_h, of_h);
    let vh = projection(in_h, before.v) + projection(out_h, of_v);
    let hv = projection(in_v, before.h) + projection(out_v, of_h);
    let scale = select(1.0, section / c, section > 0.0);
    amplitudes[to] = scale * vec4f(vv.x, hh.x, vh.x, hv.x);
    amplitudes[to + 1u] = scale * vec4f(vv.y, hh.y, vh.y, hv.y);
  }
  (*wave) = Wave(onward, of_v, of_h, before.below);
}

// Parallelograms: their area is the tube's cross section over c.
fn add_tube(leaf: u32, node: u32) {
  let at = LEAF_WORDS * leaf;
  let count = leaves[at + LEAF_LEVEL_COUNT] >> 8u;
  let side = job.tube_side.x * cell_scale(leaves[at + LEAF_LEVEL_COUNT] & 0xffu);
  var record = leaves[at + LEAF_RECORD];
  var wave = launched();
  for (var b = 0u; b < count; b++) {
    let word = leaves[facet_at(at, b)];
    let radiates = (word & RADIATES) != 0u;
    bounce(&wave, word & ~RADIATES, node, select(NO_FACET, amplitude_at(record, node), radiates), side * side);
    record += select(0u, 1u, radiates);
  }
}
