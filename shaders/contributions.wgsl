// Electromagnetic computing, part 1: what each leaf radiates. The central ray meets the planes of its facets once
// more in two-float arithmetic, which keeps the path length exact to some 1e-9 wavelengths at any size; amplitudes
// and footprints are single precision (docs/sbr.md, "Per bounce" and "Phase in single precision").

@group(0) @binding(2) var<storage, read> facets: array<vec4f>; // n, n.a: high parts, then low parts
@group(0) @binding(3) var<storage, read> groups: array<Group>;
@group(0) @binding(4) var<storage, read> leaves: array<u32>;
@group(0) @binding(5) var<storage, read> quads: array<u32>;
// Parallelogram: (turns at f0, turns per df) as fixed point and two half phase spans; amplitudes VV HH VH HV.
@group(0) @binding(6) var<storage, read_write> records: array<vec4f>;
// Quadrilateral: turns as above; amplitudes; 4 x (x, phi, g) of Gordon's integral (docs/sbr.md, "Shape function").
@group(0) @binding(7) var<storage, read_write> quad_records: array<vec4f>;
@group(0) @binding(8) var<storage, read> counters: array<u32>;

struct Ray {
  o: Vec3tf,
  d: Vec3tf,
}

// A facet's plane with its normal against the ray: n and n.a in two-float numbers.
struct Plane {
  n: Vec3tf,
  offset: vec2f,
}

fn facing_plane(facet: u32, d: vec3f) -> Plane {
  let hi = facets[2u * facet];
  let lo = facets[2u * facet + 1u];
  let flip = select(1.0, -1.0, dot(hi.xyz, d) > 0.0);
  return Plane(tf_vec(flip * hi.xyz, flip * lo.xyz), flip * vec2f(hi.w, lo.w));
}

// Moves the ray to the plane and returns the distance.
fn advance(ray: ptr<function, Ray>, plane: Plane, nd: vec2f) -> vec2f {
  let t = tf_div(tf_add(plane.offset, -tf_dot(plane.n, (*ray).o)), nd);
  (*ray).o = tf_along((*ray).o, t, (*ray).d);
  return t;
}

fn reflect_ray(ray: ptr<function, Ray>, plane: Plane, nd: vec2f) {
  (*ray).d = tf_along((*ray).d, -2.0 * nd, plane.n);
}

// Lattice point (i, j) in cells of the level, exact in two-float numbers.
fn launch_exactly(i: f32, j: f32, scale: f32) -> Vec3tf {
  let h = job.tube_side;
  let a = tf_mul(tf_add(vec2f(i * scale, 0.0), job.offset_u), h);
  let b = tf_mul(tf_add(vec2f(j * scale, 0.0), job.offset_v), h);
  let p = tf_along(tf_vec(job.base.xyz, job.base_lo.xyz), a, tf_vec(job.u.xyz, job.u_lo.xyz));
  return tf_along(p, b, tf_vec(job.v.xyz, job.v_lo.xyz));
}

// A leaf's parallelogram contributions.
fn contribute(at: u32) {
  let level = leaves[at + 1u] & 0xffu;
  let count = leaves[at + 1u] >> 8u;
  let radiating = leaves[at + 2u];
  var record = leaves[at + 3u];
  let scale = cell_scale(level);
  let cell = lattice_cell(level, leaves[at]);
  let s = tf_vec(job.s.xyz, job.s_lo.xyz);
  var ray = Ray(launch_exactly(f32(cell.x) + 0.5, f32(cell.y) + 0.5, scale), tf_vec(job.d.xyz, job.d_lo.xyz));
  var psi = tf_dot(ray.o, ray.d);
  var a = job.u.xyz * (job.tube_side.x * scale);
  var b = job.v.xyz * (job.tube_side.x * scale);
  var ev = job.tx_v.xyz;
  var eh = job.tx_h.xyz;
  var first: vec3f;
  for (var m = 0u; m < count; m++) {
    let d = tf_hi(ray.d);
    let plane = facing_plane(leaves[at + 4u + m], d);
    let n = tf_hi(plane.n);
    let nd = tf_dot(plane.n, ray.d);
    psi = tf_add(psi, advance(&ray, plane, nd));
    let hit = vec3f(ray.o.x.x, ray.o.y.x, ray.o.z.x);
    if (m == 0u) { first = hit; }
    let na = dot(n, a);
    let nb = dot(n, b);
    if ((radiating & (1u << m)) != 0u) {
      // Footprint: the tube's sides slid along d onto the facet's plane.
      let fa = a - d * (na / nd.x);
      let fb = b - d * (nb / nd.x);
      let w = difference(s, ray.d);
      let turns = record_turns(tf_add(psi, -tf_dot(s, ray.o)));
      records[2u * record] = vec4f(turns, 0.5 * dot(w, fa), 0.5 * dot(w, fb));
      records[2u * record + 1u] = amplitudes(d, n, ev, eh) * length(cross(fa, fb));
      keep_place(record, first + hit);
      record++;
    }
    a -= 2.0 * na * n;
    b -= 2.0 * nb * n;
    ev = 2.0 * dot(n, ev) * n - ev;
    eh = 2.0 * dot(n, eh) * n - eh;
    reflect_ray(&ray, plane, nd);
  }
}

// A quad leaf's contribution: one bounce, on the quadrilateral of the corner rays' hits.
fn contribute_quad(at: u32) {
  let level = quads[at + 1u] & 0xffu;
  let record = quads[at + 3u];
  let scale = cell_scale(level);
  let cell = lattice_cell(level, quads[at]);
  let d0 = tf_vec(job.d.xyz, job.d_lo.xyz);
  let d = job.d.xyz;
  let s = tf_vec(job.s.xyz, job.s_lo.xyz);
  var centre = Ray(launch_exactly(f32(cell.x) + 0.5, f32(cell.y) + 0.5, scale), d0);
  let plane = facing_plane(quads[at + 4u], d);
  let psi = tf_add(tf_dot(centre.o, d0), advance(&centre, plane, tf_dot(plane.n, d0)));
  var q: array<vec3f, 4>;
  for (var c = 0u; c < 4u; c++) {
    let di = select(0.0, 1.0, c == 0u || c == 3u);
    let dj = select(0.0, 1.0, c < 2u);
    var corner = Ray(launch_exactly(f32(cell.x) + di, f32(cell.y) + dj, scale), d0);
    let side = facing_plane(quads[at + 5u + c], d);
    _ = advance(&corner, side, tf_dot(side.n, d0));
    q[c] = difference(corner.o, centre.o);
  }
  let w = difference(s, d0);
  let twice_area = cross(q[2] - q[0], q[3] - q[1]);
  let p = twice_area / max(length(twice_area), 1e-30);
  let wt = phase_gradient(w, p, q[1] - q[0]);
  let e0 = gordon_edge(q[0], q[1], p, wt);
  let e1 = gordon_edge(q[1], q[2], p, wt);
  let e2 = gordon_edge(q[2], q[3], p, wt);
  let e3 = gordon_edge(q[3], q[0], p, wt);
  quad_records[5u * record] = vec4f(record_turns(tf_add(psi, -tf_dot(s, centre.o))), e3.xy);
  quad_records[5u * record + 1u] = amplitudes(d, tf_hi(plane.n), job.tx_v.xyz, job.tx_h.xyz);
  quad_records[5u * record + 2u] = vec4f(e0, e3.z);
  quad_records[5u * record + 3u] = vec4f(e1, 0.0);
  quad_records[5u * record + 4u] = vec4f(e2, 0.0);
  keep_quad_place(record, 2.0 * vec3f(centre.o.x.x, centre.o.y.x, centre.o.z.x));
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  for (var n = wg.x; n < min(counters[GROUPS], job.group_capacity); n += num.x) {
    let group = groups[n];
    for (var i = lane; i < group.leaves; i += 64u) { contribute((group.leaf + i) * LEAF_WORDS); }
    for (var i = lane; i < group.quads; i += 64u) { contribute_quad((group.quad + i) * QUAD_WORDS); }
  }
}
