// What contributions on opaque materials radiate, at the nodes of the band: steps 2, 5, 6 and 8 of docs/theory.md, "The field of a tube",
// with complex fields. `contributions` has computed the rest; here tubes follow their facets once more, for directions alone.
// The host prepends MATERIAL_NODES and MATERIAL_COSINES.

@group(0) @binding(2) var<storage, read> facets: array<FacetPlane>;
@group(0) @binding(3) var<storage, read> groups: array<Group>;
@group(0) @binding(4) var<storage, read> leaves: array<Leaf>;
@group(0) @binding(5) var<storage, read> quads: array<Quad>;
@group(0) @binding(6) var<storage, read> materials: array<u32>; // number of each facet's material
@group(0) @binding(7) var<storage, read> coefficients: array<vec4f>; // R_s, R_p by material, side, node and cosine
@group(0) @binding(8) var<storage, read_write> amplitudes: array<vec4f>; // by contribution and node: VV HH VH HV, real, then imaginary parts
@group(0) @binding(9) var<storage, read> counters: array<u32>;

// A complex vector.
struct Field {
  re: vec3f,
  im: vec3f,
}

// Times a real vector.
fn product(v: vec3f, e: Field) -> vec2f {
  return vec2f(dot(v, e.re), dot(v, e.im));
}

// R_s and R_p of a facet at the cosine c, by cubics between samples.
fn reflection_coefficients(facet: u32, back: bool, node: u32, c: f32) -> vec4f {
  let table = ((2u * materials[facet] + select(0u, 1u, back)) * MATERIAL_NODES + node) * (MATERIAL_COSINES + 1u);
  let x = clamp(c, 0.0, 1.0) * f32(MATERIAL_COSINES);
  let first = u32(clamp(i32(x) - 1, 0, i32(MATERIAL_COSINES) - 3));
  let t = x - f32(first);
  let at = table + first;
  return (t - 1.0) * (t - 2.0) * (t - 3.0) / -6.0 * coefficients[at] + t * (t - 2.0) * (t - 3.0) / 2.0 * coefficients[at + 1u]
    + t * (t - 1.0) * (t - 3.0) / -2.0 * coefficients[at + 2u] + t * (t - 1.0) * (t - 2.0) / 6.0 * coefficients[at + 3u];
}

// E_r = R_s E + a [2 R_p n - Q (n + c d)], a = n.E, Q = (R_p + R_s) / (1 - c^2); a conductor's is 2n a - E.
fn reflected_field(e: Field, n: vec3f, d: vec3f, c: f32, r: vec4f) -> Field {
  let g = n + c * d;
  let sine_sqr = dot(g, g);
  let q = select((r.zw + r.xy) / sine_sqr, vec2f(0.0), sine_sqr < 1e-12);
  let a = product(n, e);
  let b_re = 2.0 * r.z * n - q.x * g;
  let b_im = 2.0 * r.w * n - q.y * g;
  return Field(
    r.x * e.re - r.y * e.im + a.x * b_re - a.y * b_im,
    r.x * e.im + r.y * e.re + a.x * b_im + a.y * b_re);
}

// Vector whose products with a wave along d, n.d = nd, are what the receiver's polarisation gets of the currents n x H and E x n.
fn received(polarisation: vec3f, d: vec3f, n: vec3f, nd: f32) -> vec3f {
  let s = job.s;
  return (nd + dot(n, s)) * polarisation - dot(polarisation, d) * n - dot(n, polarisation) * s;
}

// A wave on its way, of both transmitted polarisations.
struct Wave {
  d: vec3f,
  v: Field,
  h: Field,
}

fn launched() -> Wave {
  return Wave(job.d, Field(job.tx_v, vec3f(0.0)), Field(job.tx_h, vec3f(0.0)));
}

// Amplitudes of the currents at a facet times `area` over c to entry `to` (none: NO_FACET); the wave goes on reflected.
fn bounce(wave: ptr<function, Wave>, facet: u32, node: u32, to: u32, section: f32) {
  let d = (*wave).d;
  let outward = facets[facet].normal;
  let back = dot(outward, d) > 0.0;
  let n = select(outward, -outward, back);
  let c = -dot(n, d);
  let onward = normalize(d + 2.0 * c * n);
  let r = reflection_coefficients(facet, back, node, c);
  let of_v = reflected_field((*wave).v, n, d, c, r);
  let of_h = reflected_field((*wave).h, n, d, c, r);
  if (to != NO_FACET) {
    let in_v = received(job.rx_v, d, n, -c);
    let in_h = received(job.rx_h, d, n, -c);
    let out_v = received(job.rx_v, onward, n, c);
    let out_h = received(job.rx_h, onward, n, c);
    let vv = product(in_v, (*wave).v) + product(out_v, of_v);
    let hh = product(in_h, (*wave).h) + product(out_h, of_h);
    let vh = product(in_h, (*wave).v) + product(out_h, of_v);
    let hv = product(in_v, (*wave).h) + product(out_v, of_h);
    let scale = select(1.0, section / c, section > 0.0);
    amplitudes[to] = scale * vec4f(vv.x, hh.x, vh.x, hv.x);
    amplitudes[to + 1u] = scale * vec4f(vv.y, hh.y, vh.y, hv.y);
  }
  (*wave) = Wave(onward, of_v, of_h);
}

// First entry of a contribution at a node.
fn amplitude_at(contribution: u32, node: u32) -> u32 {
  return 2u * (contribution * MATERIAL_NODES + node);
}

// Parallelograms: their area is the tube's cross section over c.
fn add_tube(leaf: u32, node: u32) {
  let count = leaves[leaf].level_count >> 8u;
  let side = job.tube_side.x * cell_scale(leaves[leaf].level_count & 0xffu);
  let radiating = leaves[leaf].radiating;
  var record = leaves[leaf].record;
  var wave = launched();
  for (var b = 0u; b < count; b++) {
    let radiates = (radiating & (1u << b)) != 0u;
    bounce(&wave, leaves[leaf].facets[b], node, select(NO_FACET, amplitude_at(record, node), radiates), side * side);
    record += select(0u, 1u, radiates);
  }
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  for (var g = wg.x; g < min(counters[GROUPS], job.group_capacity); g += num.x) {
    let group = groups[g];
    for (var i = lane; i < group.leaves * MATERIAL_NODES; i += 64u) {
      add_tube(group.leaf + i / MATERIAL_NODES, i % MATERIAL_NODES);
    }
    for (var i = lane; i < group.quads * MATERIAL_NODES; i += 64u) {
      let quad = group.quad + i / MATERIAL_NODES;
      var wave = launched();
      let to = amplitude_at(job.record_capacity + quads[quad].record, i % MATERIAL_NODES);
      bounce(&wave, quads[quad].facet, i % MATERIAL_NODES, to, 0.0);
    }
  }
}
