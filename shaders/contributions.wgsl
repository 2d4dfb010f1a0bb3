// The field of a tube, part 1: what each radiates. Steps, equations and symbols have the numbers and names of docs/theory.md,
// "The field of a tube"; cpu-sbr/contribution.ts has the same functions in double precision. A tube is launched (steps 1 and 2). Every
// bounce takes step 3, hit; where it radiates 4, footprint, 5, current, 6, radiated amplitude, and 7, contribution; then 8, reflection.
// Tracing has found the facets; here the central ray meets their planes once more in two-float arithmetic, which keeps the path length
// exact to some 1e-9 wavelengths at any size. Fields and footprints are single precision (docs/numerics.md, "Phase in single precision").

@group(0) @binding(2) var<storage, read> facets: array<FacetPlane>;
@group(0) @binding(3) var<storage, read> groups: array<Group>;
@group(0) @binding(4) var<storage, read> leaves: array<u32>;
@group(0) @binding(5) var<storage, read> quads: array<Quad>;
@group(0) @binding(6) var<storage, read_write> records: array<Contribution>;
@group(0) @binding(7) var<storage, read_write> quad_records: array<QuadContribution>;
@group(0) @binding(8) var<storage, read> counters: array<u32>;

// A tube on its way from bounce to bounce.
struct Tube {
  r: Vec3tf,         // central ray: its launch point, then its last hit [m]
  d: Vec3tf,         // unit direction of incidence
  psi: vec2f,        // phase path: d0.r of the launch point + the legs since, up to r [m]
  a: vec3f,          // sides, across d [m]
  b: vec3f,
  incident_v: vec3f, // E of the incident wave of transmitted V
  incident_h: vec3f, // and of transmitted H
}

// A facet's plane n.r = offset, its unit normal oriented against the incidence: n.d < 0. In two-float numbers.
struct Plane {
  n: Vec3tf,
  offset: vec2f,
  nd: vec2f, // n.d
}

fn oriented_plane(facet: u32, d: Vec3tf) -> Plane {
  let plane = facets[facet];
  let sign = select(1.0, -1.0, dot(plane.normal, tf_hi(d)) > 0.0);
  let n = tf_vec(sign * plane.normal, sign * plane.normal_lo);
  return Plane(n, sign * vec2f(plane.offset, plane.offset_lo), tf_dot(n, d));
}

// From r along d to the plane: t = (offset - n.r) / (n.d).
fn distance_to(plane: Plane, r: Vec3tf) -> vec2f {
  return tf_div(tf_add(plane.offset, -tf_dot(plane.n, r)), plane.nd);
}

// What a tube across facets of one smooth surface (a quad) adds: one bounce, through the quadrilateral of its corner rays' hits.
fn add_straddling_tube(quad: u32) {
  let level = quads[quad].level;
  let cell = lattice_cell(level, quads[quad].cell);
  let scale = cell_scale(level);
  var tube = launch(cell, scale);
  let plane = hit(&tube, quads[quad].facet);
  quadrilateral_contribution(quads[quad].record, &tube, plane, corner_hits(&tube, quad, cell, scale));
}

// Point (i, j) of the lattice refined `scale` = 2^-level, in cells of that level (half-integers: centres), in two-float numbers.
fn lattice_point(i: f32, j: f32, scale: f32) -> Vec3tf {
  let h = job.tube_side;
  let along_u = tf_mul(tf_add(vec2f(i * scale, 0.0), job.offset_u), h);
  let along_v = tf_mul(tf_add(vec2f(j * scale, 0.0), job.offset_v), h);
  let column = tf_along(tf_vec(job.base.xyz, job.base_lo.xyz), along_u, tf_vec(job.u.xyz, job.u_lo.xyz));
  return tf_along(column, along_v, tf_vec(job.v.xyz, job.v_lo.xyz));
}

// Step 1, launch, equation (2): r = centre of the cell, d = d0, psi = d0.r, a = h u, b = h v.
fn launch(cell: vec2i, scale: f32) -> Tube {
  var tube: Tube;
  tube.r = lattice_point(f32(cell.x) + 0.5, f32(cell.y) + 0.5, scale);
  tube.d = tf_vec(job.d.xyz, job.d_lo.xyz);
  tube.psi = tf_dot(tube.r, tube.d);
  tube.a = job.u.xyz * (job.tube_side.x * scale);
  tube.b = job.v.xyz * (job.tube_side.x * scale);
  incident_field(&tube);
  return tube;
}

// Step 2, incident field, equation (3): the transmitted plane wave, E = e_tx.
fn incident_field(tube: ptr<function, Tube>) {
  (*tube).incident_v = job.tx_v.xyz;
  (*tube).incident_h = job.tx_h.xyz;
}

// Step 3, hit, equation (4): t = (offset - n.r) / (n.d), r <- r + t d, psi <- psi + t.
fn hit(tube: ptr<function, Tube>, facet: u32) -> Plane {
  let plane = oriented_plane(facet, (*tube).d);
  let t = distance_to(plane, (*tube).r);
  (*tube).r = tf_along((*tube).r, t, (*tube).d);
  (*tube).psi = tf_add((*tube).psi, t);
  return plane;
}

// Sides of the footprint [m].
struct Footprint {
  p: vec3f,
  q: vec3f,
}

// Step 4, footprint, equation (5): the sides slid along d onto the plane, p = a - d (n.a) / (n.d), q = b - d (n.b) / (n.d).
fn footprint(tube: ptr<function, Tube>, plane: Plane) -> Footprint {
  let n = tf_hi(plane.n);
  let d = tf_hi((*tube).d);
  let a = (*tube).a;
  let b = (*tube).b;
  return Footprint(a - d * (dot(n, a) / plane.nd.x), b - d * (dot(n, b) / plane.nd.x));
}

// a - b
fn difference(a: Vec3tf, b: Vec3tf) -> vec3f {
  return vec3f(tf_add(a.x, -b.x).x, tf_add(a.y, -b.y).x, tf_add(a.z, -b.z).x);
}

// Step 4 of a tube across facets of one smooth surface: the hits of its corner rays ++ -+ -- +-, less that of the central ray [m].
fn corner_hits(tube: ptr<function, Tube>, quad: u32, cell: vec2i, scale: f32) -> array<vec3f, 4> {
  let d = (*tube).d;
  var corners: array<vec3f, 4>;
  for (var c = 0u; c < 4u; c++) {
    let di = select(0.0, 1.0, c == 0u || c == 3u);
    let dj = select(0.0, 1.0, c < 2u);
    let corner_ray = lattice_point(f32(cell.x) + di, f32(cell.y) + dj, scale);
    let plane = oriented_plane(quads[quad].corner_facets[c], d);
    corners[c] = difference(tf_along(corner_ray, distance_to(plane, corner_ray), d), (*tube).r);
  }
  return corners;
}

// Electric current eta J; magnetic current M, 0 except in the exit form.
struct Current {
  j: vec3f,
  m: vec3f,
}

// Step 5, current under the incident field E, equation (6): eta J = 2n x (d x E) = 2 [d (n.E) - E (n.d)]; in the exit form equation (7),
// paper 003 (2): eta J = n x (d_refl x E_refl) = d_refl (n.E) + E_refl (n.d) and M = E_refl x n.
fn current(d: vec3f, n: vec3f, e: vec3f) -> Current {
  let nd = dot(n, d);
  let ne = dot(n, e);
  if (job.exit_form == 1u) {
    let reflected_e = reflected_field(e, n);
    let reflected_d = d - 2.0 * nd * n;
    return Current(ne * reflected_d + nd * reflected_e, cross(reflected_e, n));
  }
  return Current(2.0 * (ne * d - nd * e), vec3f(0.0));
}

// Step 6, radiated amplitude, equation (8): A = e_rx . [s x (s x eta J) + s x M] = -e_rx.eta J - (s x e_rx).M for the receive
// polarisations V and H, with s x theta-hat = phi-hat, s x phi-hat = -theta-hat.
fn radiated_amplitude(c: Current) -> vec2f {
  let rx_v = job.rx_v.xyz;
  let rx_h = job.rx_h.xyz;
  return vec2f(-dot(rx_v, c.j) - dot(rx_h, c.m), -dot(rx_h, c.j) + dot(rx_v, c.m));
}

// Steps 5 and 6 for both transmitted polarisations: A of VV HH VH HV.
fn radiated_amplitudes(tube: ptr<function, Tube>, plane: Plane) -> vec4f {
  let d = tf_hi((*tube).d);
  let n = tf_hi(plane.n);
  let of_v = radiated_amplitude(current(d, n, (*tube).incident_v));
  let of_h = radiated_amplitude(current(d, n, (*tube).incident_h));
  return vec4f(of_v.x, of_h.y, of_v.y, of_h.x);
}

// Path length L = psi - s.r.
fn path_length(tube: ptr<function, Tube>) -> vec2f {
  return tf_add((*tube).psi, -tf_dot(tf_vec(job.s.xyz, job.s_lo.xyz), (*tube).r));
}

// Scattering vector w = s - d: the phase over the footprint goes as exp(jk w.(r' - r)).
fn scattering_vector(tube: ptr<function, Tube>) -> vec3f {
  return difference(tf_vec(job.s.xyz, job.s_lo.xyz), (*tube).d);
}

// Step 7, contribution, equation (9), through a parallelogram (11): L, w.p / 2 and w.q / 2, A |p x q|, and first hit + this hit
// for aspect extrapolation. The sum applies the factor jk / 4 pi.
fn parallelogram_contribution(record: u32, tube: ptr<function, Tube>, plane: Plane, sides: Footprint, first_hit: vec3f) {
  let w = scattering_vector(tube);
  let amplitudes = radiated_amplitudes(tube, plane) * length(cross(sides.p, sides.q));
  let spans = vec2f(0.5 * dot(w, sides.p), 0.5 * dot(w, sides.q));
  records[record] = Contribution(path_cycles(path_length(tube)), spans, amplitudes);
  keep_hit_sum(record, first_hit + tf_hi((*tube).r));
}

// Step 7, contribution, equation (9), through the quadrilateral of `corners` (12): L, A, coefficients of Gordon's sum.
fn quadrilateral_contribution(record: u32, tube: ptr<function, Tube>, plane: Plane, corners: array<vec3f, 4>) {
  let w = scattering_vector(tube);
  let twice_area = cross(corners[2] - corners[0], corners[3] - corners[1]);
  let normal = twice_area / max(length(twice_area), 1e-30);
  let wt = tangential_part(w, normal, corners[1] - corners[0]);
  let edge0 = gordon_edge(corners[0], corners[1], normal, wt);
  let edge1 = gordon_edge(corners[1], corners[2], normal, wt);
  let edge2 = gordon_edge(corners[2], corners[3], normal, wt);
  let edge3 = gordon_edge(corners[3], corners[0], normal, wt);
  quad_records[record] = QuadContribution(
    path_cycles(path_length(tube)), radiated_amplitudes(tube, plane),
    array<vec2f, 4>(edge0.xy, edge1.xy, edge2.xy, edge3.xy), vec4f(edge0.z, edge1.z, edge2.z, edge3.z));
  keep_quad_hit_sum(record, 2.0 * tf_hi((*tube).r));
}

// Step 8, reflection, equation (10): E <- E_refl, d <- d_refl = d - 2n (n.d), a <- a - 2n (n.a), b <- b - 2n (n.b).
fn reflection(tube: ptr<function, Tube>, plane: Plane) {
  let n = tf_hi(plane.n);
  (*tube).a -= 2.0 * dot(n, (*tube).a) * n;
  (*tube).b -= 2.0 * dot(n, (*tube).b) * n;
  (*tube).incident_v = reflected_field((*tube).incident_v, n);
  (*tube).incident_h = reflected_field((*tube).incident_h, n);
  (*tube).d = tf_along((*tube).d, -2.0 * plane.nd, plane.n);
}

// E_refl = 2n (n.E) - E of equation (10).
fn reflected_field(e: vec3f, n: vec3f) -> vec3f {
  return 2.0 * dot(n, e) * n - e;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  for (var n = wg.x; n < min(counters[GROUPS], job.group_capacity); n += num.x) {
    let group = groups[n];
    for (var i = lane; i < group.leaves; i += 64u) { add_tube(group.leaf + i); }
    for (var i = lane; i < group.quads; i += 64u) { add_straddling_tube(group.quad + i); }
  }
}
