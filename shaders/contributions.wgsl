// The field of a tube, part 1: what each radiates, in the steps of docs/theory.md ("The field of a tube"). cpu-sbr/contribution.ts has
// the same steps under the same names in double precision. Tracing has found the facets; here the central ray meets their
// planes once more in two-float arithmetic, which keeps the path length exact to some 1e-9 wavelengths at any size.
// Fields and footprints are single precision (docs/numerics.md, "Phase in single precision").

@group(0) @binding(2) var<storage, read> facets: array<FacetPlane>;
@group(0) @binding(3) var<storage, read> groups: array<Group>;
@group(0) @binding(4) var<storage, read> leaves: array<Leaf>;
@group(0) @binding(5) var<storage, read> quads: array<Quad>;
@group(0) @binding(6) var<storage, read_write> records: array<Contribution>;
@group(0) @binding(7) var<storage, read_write> quad_records: array<QuadContribution>;
@group(0) @binding(8) var<storage, read> counters: array<u32>;

// A tube on its way from bounce to bounce.
struct Tube {
  r: Vec3tf,         // central ray: its launch point, then its last hit [m]
  d: Vec3tf,         // direction of incidence
  psi: vec2f,        // phase path d0.r1 + the legs since, up to r [m]
  a: vec3f,          // sides of its cross-section [m]
  b: vec3f,
  incident_v: vec3f, // E of the incident wave, transmitted as theta-hat, as phi-hat
  incident_h: vec3f,
}

// A facet's plane n.r = offset, its unit normal turned against the incidence: n.d < 0. In two-float numbers.
struct Plane {
  n: Vec3tf,
  offset: vec2f,
  nd: vec2f,
}

fn facing_plane(facet: u32, d: Vec3tf) -> Plane {
  let plane = facets[facet];
  let flip = select(1.0, -1.0, dot(plane.normal, tf_hi(d)) > 0.0);
  let n = tf_vec(flip * plane.normal, flip * plane.normal_lo);
  return Plane(n, flip * vec2f(plane.offset, plane.offset_lo), tf_dot(n, d));
}

// From r along d to the plane: t = (offset - n.r) / (n.d).
fn distance_to(plane: Plane, r: Vec3tf) -> vec2f {
  return tf_div(tf_add(plane.offset, -tf_dot(plane.n, r)), plane.nd);
}

// What the bounces of a tube radiate, each through a parallelogram.
fn contribute(leaf: u32) {
  let level = leaves[leaf].level_count & 0xffu;
  let count = leaves[leaf].level_count >> 8u;
  let radiating = leaves[leaf].radiating;
  var record = leaves[leaf].record;
  var tube = launch(lattice_cell(level, leaves[leaf].cell), cell_scale(level));
  var first: vec3f;
  for (var m = 0u; m < count; m++) {
    let plane = hit(&tube, leaves[leaf].facets[m]);
    if (m == 0u) { first = tf_hi(tube.r); }
    if ((radiating & (1u << m)) != 0u) {
      add_parallelogram(record, &tube, plane, footprint(&tube, plane), first);
      record++;
    }
    reflection(&tube, plane);
  }
}

// What a tube across facets of one smooth surface radiates: one bounce, through the quadrilateral of its corner rays' hits.
fn contribute_quad(quad: u32) {
  let level = quads[quad].level_count & 0xffu;
  let cell = lattice_cell(level, quads[quad].cell);
  let scale = cell_scale(level);
  var tube = launch(cell, scale);
  let plane = hit(&tube, quads[quad].facet);
  add_quadrilateral(quads[quad].record, &tube, plane, corner_hits(&tube, quad, cell, scale));
}

// Lattice point (i, j) in cells of the level, exact in two-float numbers.
fn launch_exactly(i: f32, j: f32, scale: f32) -> Vec3tf {
  let h = job.tube_side;
  let a = tf_mul(tf_add(vec2f(i * scale, 0.0), job.offset_u), h);
  let b = tf_mul(tf_add(vec2f(j * scale, 0.0), job.offset_v), h);
  let p = tf_along(tf_vec(job.base.xyz, job.base_lo.xyz), a, tf_vec(job.u.xyz, job.u_lo.xyz));
  return tf_along(p, b, tf_vec(job.v.xyz, job.v_lo.xyz));
}

// 1, launch: the tube about the centre of a lattice cell, with psi = d.r and sides h u, h v.
fn launch(cell: vec2i, scale: f32) -> Tube {
  var tube: Tube;
  tube.r = launch_exactly(f32(cell.x) + 0.5, f32(cell.y) + 0.5, scale);
  tube.d = tf_vec(job.d.xyz, job.d_lo.xyz);
  tube.psi = tf_dot(tube.r, tube.d);
  tube.a = job.u.xyz * (job.tube_side.x * scale);
  tube.b = job.v.xyz * (job.tube_side.x * scale);
  incident_field(&tube);
  return tube;
}

// 2, incident field: the transmitted plane wave of amplitude 1; its phase is in psi.
fn incident_field(tube: ptr<function, Tube>) {
  (*tube).incident_v = job.tx_v.xyz;
  (*tube).incident_h = job.tx_h.xyz;
}

// 3, hit: r + t d on the facet's plane; psi + t.
fn hit(tube: ptr<function, Tube>, facet: u32) -> Plane {
  let plane = facing_plane(facet, (*tube).d);
  let t = distance_to(plane, (*tube).r);
  (*tube).r = tf_along((*tube).r, t, (*tube).d);
  (*tube).psi = tf_add((*tube).psi, t);
  return plane;
}

struct Footprint {
  a: vec3f,
  b: vec3f,
}

// 4, footprint: the sides slid along d onto the plane, a - d (n.a) / (n.d).
fn footprint(tube: ptr<function, Tube>, plane: Plane) -> Footprint {
  let n = tf_hi(plane.n);
  let d = tf_hi((*tube).d);
  let a = (*tube).a;
  let b = (*tube).b;
  return Footprint(a - d * (dot(n, a) / plane.nd.x), b - d * (dot(n, b) / plane.nd.x));
}

// Electric current eta J and magnetic current M, 0 but in the exit form.
struct Current {
  j: vec3f,
  m: vec3f,
}

// 5, current under the incident field e: eta J = 2n x (d x E) of physical optics; in the exit form n x (d_r x E_r) and
// M = E_r x n of the reflected field, where n.d_r = -n.d and n.E_r = n.E.
fn current(d: vec3f, n: vec3f, e: vec3f) -> Current {
  let nd = dot(n, d);
  let ne = dot(n, e);
  if (job.exit_form == 1u) {
    let er = mirrored_field(e, n);
    return Current(ne * (d - 2.0 * nd * n) + nd * er, cross(er, n));
  }
  return Current(2.0 * (ne * d - nd * e), vec3f(0.0));
}

// 6, radiated amplitude e_rx.V, V = s x (s x eta J) + s x M, for e_rx = theta-hat and phi-hat of the receiver:
// e.V = -e.J - (s x e).M, with s x theta-hat = phi-hat, s x phi-hat = -theta-hat.
fn radiated_amplitude(c: Current) -> vec2f {
  let v = job.rx_v.xyz;
  let h = job.rx_h.xyz;
  return vec2f(-dot(v, c.j) - dot(h, c.m), -dot(h, c.j) + dot(v, c.m));
}

// The same of both transmit polarisations: VV HH VH HV.
fn radiated_amplitudes(tube: ptr<function, Tube>, plane: Plane) -> vec4f {
  let d = tf_hi((*tube).d);
  let n = tf_hi(plane.n);
  let v = radiated_amplitude(current(d, n, (*tube).incident_v));
  let h = radiated_amplitude(current(d, n, (*tube).incident_h));
  return vec4f(v.x, h.y, v.y, h.x);
}

// Path length L = psi - s.r.
fn path_length(tube: ptr<function, Tube>) -> vec2f {
  return tf_add((*tube).psi, -tf_dot(tf_vec(job.s.xyz, job.s_lo.xyz), (*tube).r));
}

// Scattering vector w = s - d: the phase over the footprint goes as exp(jk w.(r' - r)).
fn scattering_vector(tube: ptr<function, Tube>) -> vec3f {
  return difference(tf_vec(job.s.xyz, job.s_lo.xyz), (*tube).d);
}

// E_r = 2n (n.E) - E
fn mirrored_field(e: vec3f, n: vec3f) -> vec3f {
  return 2.0 * dot(n, e) * n - e;
}

// 7, reflection: the fields by E_r, the direction by d - 2n (n.d), and the sides like the direction.
fn reflection(tube: ptr<function, Tube>, plane: Plane) {
  let n = tf_hi(plane.n);
  (*tube).a -= 2.0 * dot(n, (*tube).a) * n;
  (*tube).b -= 2.0 * dot(n, (*tube).b) * n;
  (*tube).incident_v = mirrored_field((*tube).incident_v, n);
  (*tube).incident_h = mirrored_field((*tube).incident_h, n);
  (*tube).d = tf_along((*tube).d, -2.0 * plane.nd, plane.n);
}

// Contribution through a parallelogram: L, amplitudes times the area, half phase spans, first hit + this hit.
fn add_parallelogram(record: u32, tube: ptr<function, Tube>, plane: Plane, lit: Footprint, first: vec3f) {
  let w = scattering_vector(tube);
  let amplitudes = radiated_amplitudes(tube, plane) * length(cross(lit.a, lit.b));
  let spans = vec2f(0.5 * dot(w, lit.a), 0.5 * dot(w, lit.b));
  records[record] = Contribution(record_cycles(path_length(tube)), spans, amplitudes);
  keep_place(record, first + tf_hi((*tube).r));
}

// Footprint of a tube across facets of one smooth surface: the hits of its corner rays ++ -+ -- +-, relative to the central one's.
fn corner_hits(tube: ptr<function, Tube>, quad: u32, cell: vec2i, scale: f32) -> array<vec3f, 4> {
  let d = (*tube).d;
  var q: array<vec3f, 4>;
  for (var c = 0u; c < 4u; c++) {
    let di = select(0.0, 1.0, c == 0u || c == 3u);
    let dj = select(0.0, 1.0, c < 2u);
    let r = launch_exactly(f32(cell.x) + di, f32(cell.y) + dj, scale);
    q[c] = difference(tf_along(r, distance_to(facing_plane(quads[quad].corner_facets[c], d), r), d), (*tube).r);
  }
  return q;
}

// Contribution through a quadrilateral q: L, amplitudes, coefficients of Gordon for each edge, twice the hit.
fn add_quadrilateral(record: u32, tube: ptr<function, Tube>, plane: Plane, q: array<vec3f, 4>) {
  let w = scattering_vector(tube);
  let twice_area = cross(q[2] - q[0], q[3] - q[1]);
  let p = twice_area / max(length(twice_area), 1e-30);
  let wt = phase_gradient(w, p, q[1] - q[0]);
  let e0 = gordon_edge(q[0], q[1], p, wt);
  let e1 = gordon_edge(q[1], q[2], p, wt);
  let e2 = gordon_edge(q[2], q[3], p, wt);
  let e3 = gordon_edge(q[3], q[0], p, wt);
  quad_records[record] = QuadContribution(
    record_cycles(path_length(tube)), radiated_amplitudes(tube, plane),
    array<vec2f, 4>(e0.xy, e1.xy, e2.xy, e3.xy), vec4f(e0.z, e1.z, e2.z, e3.z));
  keep_quad_place(record, 2.0 * tf_hi((*tube).r));
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  for (var n = wg.x; n < min(counters[GROUPS], job.group_capacity); n += num.x) {
    let group = groups[n];
    for (var i = lane; i < group.leaves; i += 64u) { contribute(group.leaf + i); }
    for (var i = lane; i < group.quads; i += 64u) { contribute_quad(group.quad + i); }
  }
}
