// Rays of a batch by specular reflection, and the receivers in their cones (paper 004, sections II and III.B).

@group(0) @binding(2) var<storage, read> nodes: array<BvhNode>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> receiver_nodes: array<ReceiverNode>;
@group(0) @binding(5) var<storage, read> points: array<Receiver>;
@group(0) @binding(6) var<storage, read_write> rays: array<u32>;
@group(0) @binding(7) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>>;

const MOST_REACH = 4.0;
const CONE_MARGIN = 1e-3;

// Distance at which a ray leaves the region, and its cosine to the side that it leaves by.
fn leave(o: vec3f, d: vec3f) -> vec2f {
  let side = select(job.region_min, job.region_max, d > vec3f(0.0));
  let t = (side - o) / vec3f(away_from_zero(d.x), away_from_zero(d.y), away_from_zero(d.z));
  let nearest = min(t.x, min(t.y, t.z));
  let cosine = select(select(abs(d.z), abs(d.y), nearest == t.y), abs(d.x), nearest == t.x);
  return vec2f(max(nearest, 0.0), cosine);
}

// Whether a ray that met nothing slipped past a facet by less than rounding, at an edge that is no rim of the mesh.
fn slipped(o: vec3f, d: vec3f, limit: f32) -> bool {
  let hit = traverse(o, d, NO_SLOT, true);
  if (hit.slot == NO_SLOT || hit.t >= limit) { return false; }
  let plane = slot_at(hit.slot);
  let p = o + hit.t * d - first_corner(plane);
  let u = dot(plane.gradient1, p);
  let v = dot(plane.gradient2, p);
  // Edge 0 from corner a to b, 1 from b to c, 2 from c to a.
  let beyond = select(0u, 1u, v < 0.0) | select(0u, 2u, u + v > 1.0) | select(0u, 4u, u < 0.0);
  return (beyond & (numbers_of(hit.slot).y >> 16u)) == 0u;
}

fn trace_ray(ray: u32, place: Place) -> u32 {
  var d = vertex_direction(place);
  // Spheres are met by the segments as they are, in a pass of their own.
  let tangent = select(cone_tangent(place, d), 0.0, SPHERES == 1u);
  let wide = tangent * (1.0 + CONE_MARGIN);
  var o = job.transmitter;
  var length_ = 0.0;
  var slant = 0.0;
  var previous = NO_SLOT;
  var wall = vec4f(0.0);
  for (var b = 0u; ; b++) {
    let hit = traverse(o, d, previous, false);
    let exit = leave(o, d);
    let met = hit.slot != NO_SLOT;
    let ends = !met || hit.t > exit.x;
    let slot = select(hit.slot, 0u, !met);
    let plane = slot_at(slot);
    let n = plane.normal;
    let corner = first_corner(plane);
    let cosine = select(abs(dot(n, d)), exit.y, ends);
    let end = length_ + select(hit.t, exit.x, ends);
    let end_slant = tangent * sqrt(max(0.0, 1.0 - cosine * cosine));
    let reach_from = length_ / (1.0 + slant);
    let reach_to = select(MOST_REACH * end, end * cosine / (cosine - end_slant), end_slant < (1.0 - 1.0 / MOST_REACH) * cosine);
    rays[from_word(ray, b)] = bitcast<u32>(reach_from);
    rays[to_word(ray, b)] = bitcast<u32>(reach_to);
    if (SPHERES == 0u) { list_receivers(
      ray, b, o - length_ * d, d, wide, reach_from * (1.0 - REACH_MARGIN), reach_to * (1.0 + REACH_MARGIN), wall); }
    if (ends && !met && slipped(o, d, exit.x)) { atomicAdd(&counters[ESCAPED], 1u); }
    if (ends || b == MAX_REFLECTIONS) {
      rays[count_word(ray)] = b;
      return b + 1u;
    }
    let facing = select(n, -n, dot(n, d) > 0.0);
    let p = o + hit.t * d;
    // Back onto the plane (the hit is off by rounding), then a little above it.
    o = p + dot(n, corner - p) * n + job.lift * facing;
    wall = vec4f(facing, dot(facing, corner) - 2e-6 * job.diagonal);
    d = normalize(d - 2.0 * dot(facing, d) * facing);
    length_ += hit.t;
    slant = select(1e30, end_slant / cosine, cosine > 0.0);
    rays[met_word(ray, b)] = slot;
    previous = slot;
  }
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var ray = id.x; ray < step_.total; ray += groups.x * WORKGROUP) {
    var place: Place;
    if (!place_of(ray, &place)) { continue; }
    let segments = trace_ray(ray, place);
    let before = atomicAdd(&counters[SEGMENTS], segments);
    if (before + segments < before) { atomicAdd(&counters[SEGMENTS + 1u], 1u); }
  }
}
