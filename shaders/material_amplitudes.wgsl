// What contributions on targets with materials radiate, at the nodes of the band: steps 2, 5, 6 and 8 of docs/theory.md, "The field of
// a tube", with complex fields. `contributions` has computed the rest; here tubes follow their facets once more, for directions alone.
// Waves and what facets do to them: opaque_waves.wgsl or sheet_waves.wgsl. The host prepends MATERIAL_COSINES and
// GROUND_SIDE, where in the table a ground's coefficients begin (0: none).

@group(0) @binding(2) var<storage, read> facets: array<FacetPlane>;
@group(0) @binding(3) var<storage, read> groups: array<Group>;
@group(0) @binding(4) var<storage, read> leaves: array<u32>;
@group(0) @binding(5) var<storage, read> quads: array<Quad>;
@group(0) @binding(6) var<storage, read> materials: array<u32>; // number of each facet's material, with bits
@group(0) @binding(7) var<storage, read> coefficients: array<vec4f>; // R_s, R_p by side of each material, node and cosine
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

// Polarisations of the receiver as they reach a current.
struct Receiver {
  v: Field,
  h: Field,
  below: bool, // a ground
}

fn clear_receiver() -> Receiver {
  return Receiver(Field(job.rx_v, vec3f(0.0)), Field(job.rx_h, vec3f(0.0)), job.s.z < 0.0);
}

fn side_of(facet: u32, back: bool) -> u32 {
  return 2u * (materials[facet] & 0xffu) + select(0u, 1u, back);
}

fn is_below(facet: u32) -> bool {
  return (materials[facet] & BELOW) != 0u;
}

// Coefficients of a side at the cosine c, by cubics between samples of the table that begins at `first_entry`.
fn sampled(first_entry: u32, side: u32, node: u32, c: f32) -> vec4f {
  let x = clamp(c, 0.0, 1.0) * f32(MATERIAL_COSINES);
  let first = u32(clamp(i32(x) - 1, 0, i32(MATERIAL_COSINES) - 3));
  let t = x - f32(first);
  let at = first_entry + (side * job.material_nodes + node) * (MATERIAL_COSINES + 1u) + first;
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

// E_t = T_s E + a Q (n + c d), a = n.E, Q = (T_p - T_s) / (1 - c^2).
fn transmitted_field(e: Field, n: vec3f, d: vec3f, c: f32, t: vec4f) -> Field {
  let g = n + c * d;
  let sine_sqr = dot(g, g);
  let q = select((t.zw - t.xy) / sine_sqr, vec2f(0.0), sine_sqr < 1e-12);
  let a = product(n, e);
  return Field(
    t.x * e.re - t.y * e.im + (a.x * q.x - a.y * q.y) * g,
    t.x * e.im + t.y * e.re + (a.x * q.y + a.y * q.x) * g);
}

// A wave along d, or the receiver's polarisation along s, beyond the plane of the ground (scene/ground/ground.ts).
fn across_ground(e: Field, d: vec3f, node: u32) -> Field {
  let c = abs(d.z);
  return transmitted_field(e, vec3f(0.0, 0.0, -sign(d.z)), d, c, sampled(0u, GROUND_SIDE, node, c));
}

// The wave on the facet's side of a ground.
fn arriving(wave: Wave, facet: u32, node: u32) -> Wave {
  var out = wave;
  if (GROUND_SIDE != 0u && wave.below != is_below(facet)) {
    out.v = across_ground(wave.v, wave.d, node);
    out.h = across_ground(wave.h, wave.d, node);
    out.below = !wave.below;
  }
  return out;
}

// The receiver as seen from the facet's side of a ground.
fn seen_from(receiver: Receiver, facet: u32, node: u32) -> Receiver {
  if (GROUND_SIDE == 0u || receiver.below == is_below(facet)) { return receiver; }
  return Receiver(
    across_ground(receiver.v, job.s, node), across_ground(receiver.h, job.s, node), !receiver.below);
}

// Vector whose products with a wave along d, n.d = nd, are what the receiver's polarisation gets of the currents n x H and E x n.
fn received(polarisation: vec3f, d: vec3f, n: vec3f, nd: f32) -> vec3f {
  let s = job.s;
  return (nd + dot(n, s)) * polarisation - dot(polarisation, d) * n - dot(n, polarisation) * s;
}

// First entry of a contribution at a node.
fn amplitude_at(contribution: u32, node: u32) -> u32 {
  return 2u * (contribution * job.material_nodes + node);
}

fn is_metal_facet(facet: u32) -> bool {
  return (materials[facet] & (METAL | BELOW)) == METAL;
}

// Whether a leaf meets conductors alone, on the receiver's side of a ground.
fn is_metal_leaf(leaf: u32) -> bool {
  let at = LEAF_WORDS * leaf;
  let words = leaves[at + LEAF_LEVEL_COUNT] >> 8u;
  for (var m = 0u; m < words; m++) {
    if (!is_metal_facet(leaves[facet_at(at, m)] & FACET)) { return false; }
  }
  return GROUND_SIDE == 0u || job.s.z >= 0.0;
}

fn is_metal_quad(quad: u32) -> bool {
  return is_metal_facet(quads[quad].facet) && (GROUND_SIDE == 0u || job.s.z >= 0.0);
}

// Says that contributions are of conductors alone (metal_records.wgsl).
fn mark_leaf(leaf: u32) {
  let at = LEAF_WORDS * leaf;
  let words = leaves[at + LEAF_LEVEL_COUNT] >> 8u;
  var record = leaves[at + LEAF_RECORD];
  for (var m = 0u; m < words; m++) {
    if ((leaves[facet_at(at, m)] & RADIATES) != 0u) {
      mark(record, 0.0);
      record++;
    }
  }
}

fn mark(contribution: u32, whole_group: f32) {
  amplitudes[amplitude_at(contribution, 0u)] = vec4f(METAL_RECORD, whole_group, 0.0, 0.0);
}

var<workgroup> meets_materials: atomic<u32>;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  for (var g = wg.x; g < min(counters[GROUPS], job.group_capacity); g += num.x) {
    let group = groups[g];
    if (lane == 0u) { atomicStore(&meets_materials, 0u); }
    workgroupBarrier();
    for (var i = lane; i < group.leaves; i += 64u) {
      if (!is_metal_leaf(group.leaf + i)) { atomicStore(&meets_materials, 1u); }
    }
    for (var i = lane; i < group.quads; i += 64u) {
      if (!is_metal_quad(group.quad + i)) { atomicStore(&meets_materials, 1u); }
    }
    if (workgroupUniformLoad(&meets_materials) == 0u) {
      if (lane == 0u) { mark(first_contribution(group), METAL_RECORD); }
      continue;
    }
    for (var i = lane; i < group.leaves * job.material_nodes; i += 64u) {
      let leaf = group.leaf + i / job.material_nodes;
      let node = i % job.material_nodes;
      if (!is_metal_leaf(leaf)) { add_tube(leaf, node); } else if (node == 0u) { mark_leaf(leaf); }
    }
    for (var i = lane; i < group.quads * job.material_nodes; i += 64u) {
      let quad = group.quad + i / job.material_nodes;
      let node = i % job.material_nodes;
      let contribution = job.record_capacity + quads[quad].record;
      if (!is_metal_quad(quad)) {
        var wave = launched();
        bounce(&wave, quads[quad].facet, node, amplitude_at(contribution, node), 0.0);
      } else if (node == 0u) {
        mark(contribution, 0.0);
      }
    }
  }
}
