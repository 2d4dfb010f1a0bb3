// What becomes of the receivers found in cones: the exact path of geometrical optics, counted by one ray alone, and its field
// added to the receiver's sums (paper 004, sections III.B and III.C; docs/propagation.md).

@group(0) @binding(2) var<storage, read> nodes: array<BvhNode>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> facets: array<FacetPlane>;  // by slot
@group(0) @binding(5) var<storage, read> points: array<Receiver>;
@group(0) @binding(6) var<storage, read> rays: array<u32>;
@group(0) @binding(7) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> excitations: array<vec4f>; // rows: each excitation with its materials, the antennas, their tables
@group(0) @binding(9) var<storage, read_write> counters: array<atomic<u32>>;

const PATH_UNIT = 0x1p-10; // of the number of paths
// Two images are one when they are nearer than this part of the path's length and of the scene's size.
const SAME_IMAGE = 1e-5;
const MISS = 1e-5;

var<private> path_slots: array<u32, MAX_REFLECTIONS + 1u>;

fn mirror_direction(slot: u32, v: vec3f) -> vec3f {
  let n = facets[slot].normal;
  return v - 2.0 * dot(n, v) * n;
}

fn tf_mirror(slot: u32, v: Vec3tf) -> Vec3tf {
  let n = tf_vec(facets[slot].normal, facets[slot].normal_lo);
  return tf_along(v, -2.0 * tf_dot(n, v), n);
}

fn mirror_point(slot: u32, s: Vec3tf) -> Vec3tf {
  let n = tf_vec(facets[slot].normal, facets[slot].normal_lo);
  let height = tf_add(tf_dot(n, s), -vec2f(facets[slot].offset, facets[slot].offset_lo));
  return tf_along(s, -2.0 * height, n);
}

// Image of the transmitter in the first b planes that a ray met.
fn image_of(ray: u32, b: u32) -> Vec3tf {
  var s = tf_vec(job.transmitter, job.transmitter_lo);
  for (var k = 0u; k < b; k++) { s = mirror_point(rays[met_word(ray, k)], s); }
  return s;
}

// The same in single precision, to compare with.
fn rough_image(ray: u32, b: u32) -> vec3f {
  var s = job.transmitter;
  for (var k = 0u; k < b; k++) {
    let plane = facets[rays[met_word(ray, k)]];
    s -= 2.0 * (dot(plane.normal, s) - plane.offset) * plane.normal;
  }
  return s;
}

// Whether a ray has the receiver in its reach after b reflections, and the image given.
fn finds(place: Place, b: u32, p: vec3f, image: vec3f, tolerance: f32) -> bool {
  let ray = ray_at(place);
  if (rays[count_word(ray)] < b) { return false; }
  let source = rough_image(ray, b);
  if (distance(source, image) > tolerance) { return false; }
  var d = vertex_direction(place);
  for (var k = 0u; k < b; k++) { d = mirror_direction(rays[met_word(ray, k)], d); }
  let along = dot(p - source, d);
  if (along < bitcast<f32>(rays[from_word(ray, b)]) || along > bitcast<f32>(rays[to_word(ray, b)])) { return false; }
  if (b == 0u) { return true; }
  let plane = facets[rays[met_word(ray, b - 1u)]];
  return (dot(plane.normal, p) - plane.offset) * select(-1.0, 1.0, dot(plane.normal, d) > 0.0) > 0.0;
}

// Whether a ray meets the receiver's sphere after b reflections: the test of `list_receivers`.
fn meets(place: Place, b: u32, p: vec3f) -> bool {
  let ray = ray_at(place);
  if (rays[count_word(ray)] < b) { return false; }
  let tangent = sphere_tangent(place);
  var d = vertex_direction(place);
  for (var k = 0u; k < b; k++) { d = mirror_direction(rays[met_word(ray, k)], d); }
  let v = p - rough_image(ray, b);
  let along = dot(v, d);
  let off = v - along * d;
  if (along < bitcast<f32>(rays[from_word(ray, b)]) || along > bitcast<f32>(rays[to_word(ray, b)])) { return false; }
  if (dot(off, off) > tangent * tangent * along * along) { return false; }
  if (b == 0u) { return true; }
  let plane = facets[rays[met_word(ray, b - 1u)]];
  return (dot(plane.normal, p) - plane.offset) * select(-1.0, 1.0, dot(plane.normal, d) > 0.0) >= 0.0;
}

// floor, and what is left of it.
fn tf_floor(x: vec2f) -> vec2f {
  var whole = floor(x.x);
  var rest = (x.x - whole) + x.y;
  if (rest < 0.0) {
    whole -= 1.0;
    rest += 1.0;
  }
  return vec2f(whole, rest);
}

// The triangle of the face that a direction lies in: its corners by class; false where it lies in another face.
fn locate(face: u32, w: Vec3tf, triangle: ptr<function, array<vec2u, 3>>) -> bool {
  let f = &job.faces[face];
  let a = tf_dot(tf_vec((*f).weights[0], (*f).weights_lo[0]), w);
  let b = tf_dot(tf_vec((*f).weights[1], (*f).weights_lo[1]), w);
  let c = tf_dot(tf_vec((*f).weights[2], (*f).weights_lo[2]), w);
  if (!(a.x >= 0.0 && b.x >= 0.0 && c.x >= 0.0)) { return false; }
  let sum = tf_add(a, tf_add(b, c));
  let n = step_.n;
  let u = tf_floor(tf_div(tf_scale(b, f32(n)), sum));
  let v = tf_floor(tf_div(tf_scale(c, f32(n)), sum));
  let i = min(u32(u.x), n - 1u);
  let j = min(u32(v.x), n - 1u - i);
  let down = u.y + v.y > 1.0 && i + j < n - 1u;
  let corners = array<vec2u, 3>(select(vec2u(i, j), vec2u(i + 1u, j + 1u), down), vec2u(i + 1u, j), vec2u(i, j + 1u));
  for (var k = 0u; k < 3u; k++) { (*triangle)[(corners[k].x + 2u * corners[k].y) % 3u] = corners[k]; }
  return true;
}

// Walks along unit w by b reflections and on to p; keeps the slots met.
fn walk(w: vec3f, b: u32, p: vec3f) -> bool {
  var o = job.transmitter;
  var d = w;
  var previous = NO_SLOT;
  var length_ = 0.0;
  let lift = job.lift;
  for (var k = 0u; ; k++) {
    let v = p - o;
    let t = dot(v, d);
    let hit = traverse(o, d, previous, false);
    if (k == b) {
      if (!(t > 0.0)) { return false; }
      let miss = length(v - t * d);
      if (miss > MISS * (length_ + t) + 4.0 * f32(b) * lift) { return false; }
      return hit.slot == NO_SLOT || hit.t >= t * (1.0 - 2e-5) - 10.0 * lift;
    }
    if (hit.slot == NO_SLOT) { return false; }
    let plane = slot_at(hit.slot);
    let n = plane.normal;
    let corner = first_corner(plane);
    let facing = select(n, -n, dot(n, d) > 0.0);
    var q = o + hit.t * d;
    q += dot(n, corner - q) * n;
    if (any(q < job.region_min) || any(q > job.region_max)) { return false; }
    o = q + lift * facing;
    d = normalize(d - 2.0 * dot(facing, d) * facing);
    length_ += hit.t;
    path_slots[k] = hit.slot;
    previous = hit.slot;
  }
}

fn add(at: u32, x: f32) {
  let value = to_fixed(x);
  if (all(value == vec2u(0u))) { return; }
  let before = atomicAdd(&counters[at], value.x);
  let carry = select(0u, 1u, before + value.x < before);
  if (value.y + carry != 0u) { atomicAdd(&counters[at + 1u], value.y + carry); }
}

// Adds what a path brings to every excitation.
fn add_path(slot: u32, w: vec3f, b: u32, path: vec2f, single: bool, sums: u32) {
  let r0 = points[slot].distance;
  for (var e = 0u; e < job.excitations; e++) {
    let head = e * (1u + job.materials);
    let excitation = excitation_of_rows(excitations[head]);
    let vertical = excitation.vertical == 1.0;
    var d = w;
    var field = antenna_vector(0u, vertical, d);
    for (var k = 0u; k < b; k++) {
      let plane = facets[path_slots[k]].normal;
      let n = select(plane, -plane, dot(plane, d) > 0.0);
      let onward = d - 2.0 * dot(n, d) * n;
      let material = numbers_of(path_slots[k]).y & 0xffffu;
      field = reflect_field(field, d, n, onward, material_of_rows(excitations[head + 1u + material]));
      d = onward;
    }
    let turns = tf_mul(path, excitation.cycles_per_metre);
    let rest = (turns.x - floor(turns.x)) + turns.y;
    let quarter = round(4.0 * rest);
    let phasor = cos_sin_octant(bitcast<u32>(i32(-quarter)), -(rest - 0.25 * quarter)) * (r0 / path.x);
    let re = field.re * phasor.x - field.im * phasor.y;
    let im = field.re * phasor.y + field.im * phasor.x;
    let at = sums + SUM_WORDS * (slot * job.excitations + e);
    for (var a = 0u; a < 3u; a++) {
      add(at + SUM_FIELD + 4u * a, re[a]);
      add(at + SUM_FIELD + 4u * a + 2u, im[a]);
    }
    var power = 0.0;
    for (var c = 0u; c < 2u; c++) {
      let g = antenna_vector(1u, c == 0u, -d);
      let h = vec2f(dot(g.re, re) - dot(g.im, im), dot(g.re, im) + dot(g.im, re));
      add(at + SUM_TRANSFER + 4u * c, h.x);
      add(at + SUM_TRANSFER + 4u * c + 2u, h.y);
      power += dot(h, h);
    }
    let late = (path.x - r0) / r0;
    add(at + SUM_POWER, power);
    add(at + SUM_POWER + 2u, power * late);
    add(at + SUM_POWER + 4u, power * late * late);
    for (var a = 0u; a < 3u; a++) {
      add(at + SUM_ARRIVAL + 2u * a, -power * d[a]);
      add(at + SUM_DEPARTURE + 2u * a, power * w[a]);
    }
    if (single) { add(at + SUM_SINGLE, power); }
    add(at + SUM_PATHS, PATH_UNIT);
  }
}

// v = p - image, and v before the reflections in the planes of `path_slots`.
struct Straight {
  v: Vec3tf,
  w: Vec3tf,
}

fn from_image(p: Vec3tf, image: Vec3tf) -> Vec3tf {
  return Vec3tf(tf_add(p.x, -image.x), tf_add(p.y, -image.y), tf_add(p.z, -image.z));
}

// |v|, and what its square root in single precision leaves.
fn tf_length(v: Vec3tf) -> vec2f {
  let square = tf_dot(v, v);
  let root = sqrt(square.x);
  let rest = tf_add(square, -two_prod(root, root));
  return quick_two_sum(root, rest.x / (2.0 * root));
}

// The same from the slots that the path met alone, so that it does not show by which ray it was found.
fn straighten(p: Vec3tf, b: u32) -> Straight {
  var s = tf_vec(job.transmitter, job.transmitter_lo);
  for (var k = 0u; k < b; k++) { s = mirror_point(path_slots[k], s); }
  let v = from_image(p, s);
  var w = v;
  for (var k = b; k > 0u; k--) { w = tf_mirror(path_slots[k - 1u], w); }
  return Straight(v, w);
}

// Counts a path, and keeps it where those of the receiver are listed.
fn list_path(slot: u32, b: u32, direction: vec3f) {
  atomicAdd(&counters[PATHS], 1u);
  if (points[slot].listed != 1u) { return; }
  let at = atomicAdd(&candidates[HEAD_LISTED], 1u);
  if (at >= job.listed_capacity) { return; }
  let to_ = candidate_at(job.capacity) + LISTED_WORDS * at;
  atomicStore(&candidates[to_ + LISTED_SLOT], slot);
  atomicStore(&candidates[to_ + LISTED_REFLECTIONS], b);
  for (var a = 0u; a < 3u; a++) { atomicStore(&candidates[to_ + LISTED_DIRECTION + a], bitcast<u32>(direction[a])); }
}

fn consider(candidate: u32, sums: u32) {
  let ray = atomicLoad(&candidates[candidate_at(candidate) + CANDIDATE_RAY]);
  let packed = atomicLoad(&candidates[candidate_at(candidate) + CANDIDATE_RECEIVER]);
  let b = packed >> 24u;
  let slot = packed & 0xffffffu;
  let p = tf_vec(points[slot].position, points[slot].position_lo);
  let image = image_of(ray, b);
  let v = from_image(p, image);
  var w = v;
  for (var k = b; k > 0u; k--) { w = tf_mirror(rays[met_word(ray, k - 1u)], w); }
  var triangle: array<vec2u, 3>;
  var place: Place;
  if (!place_of(ray, &place) || !locate(place.face, w, &triangle)) { return; }
  let row = min(triangle[0].y, min(triangle[1].y, triangle[2].y));
  if (row < step_.j0 || row >= step_.j1) { return; }
  let own = (place.i + 2u * place.j) % 3u;
  if (any(triangle[own] != vec2u(place.i, place.j))) { return; }
  if (SPHERES == 1u) {
    for (var c = 0u; c < own; c++) {
      if (meets(Place(place.face, triangle[c].x, triangle[c].y), b, tf_hi(p))) { return; }
    }
    // The ray itself: |v| less what it passes the receiver by, both along the direction of launch.
    for (var k = 0u; k < b; k++) { path_slots[k] = rays[met_word(ray, k)]; }
    let launch = vertex_direction(place);
    let straight = tf_length(v);
    let off = cross(tf_hi(w), launch);
    let along = dot(tf_hi(w), launch);
    list_path(slot, b, launch);
    add_path(slot, launch, b, tf_add(straight, vec2f(-dot(off, off) / (straight.x + along), 0.0)), false, sums);
    return;
  }
  let tolerance = SAME_IMAGE * (length(tf_hi(v)) + job.diagonal);
  let source = tf_hi(image);
  let target_ = tf_hi(p);
  if (!finds(place, b, target_, source, tolerance)) { return; }
  for (var c = 0u; c < own; c++) {
    if (finds(Place(place.face, triangle[c].x, triangle[c].y), b, target_, source, tolerance)) { return; }
  }
  if (!walk(normalize(tf_hi(w)), b, target_)) { return; }
  let path = straighten(p, b);
  let direction = normalize(tf_hi(path.w));
  list_path(slot, b, direction);
  var single = true;
  for (var c = own + 1u; c < 3u; c++) {
    if (finds(Place(place.face, triangle[c].x, triangle[c].y), b, target_, source, tolerance)) { single = false; }
  }
  add_path(slot, direction, b, tf_length(path.v), single, sums);
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let found = atomicLoad(&candidates[HEAD_FOUND]);
  if (found > job.capacity) {
    if (id.x == 0u) { atomicStore(&counters[OVERFLOWS + step_.batch], found); }
    return;
  }
  if (id.x == 0u) { atomicAdd(&counters[CANDIDATES], found); }
  let sums = arrayLength(&counters) - SUM_WORDS * job.receivers * job.excitations;
  for (var c = id.x; c < found; c += groups.x * WORKGROUP) { consider(c, sums); }
}
