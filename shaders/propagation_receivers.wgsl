// Receivers in the cone of a ray's segment, by their hierarchy of boxes: listed as candidates, or only counted where COUNT is 1.

// Reaches are widened by this part when receivers are listed, so that single precision never loses what is decided on later.
const REACH_MARGIN = 1e-4;

fn list_receivers(
  ray: u32, b: u32, source: vec3f, d: vec3f, tangent: f32, from_: f32, to_: f32, wall: vec4f
) -> u32 {
  var found = 0u;
  let inv = 1.0 / select(d, vec3f(1e-20), abs(d) < vec3f(1e-20));
  let radius = tangent * to_;
  let cone = tangent * tangent;
  var node = 0u;
  while (node < job.receiver_nodes) {
    let box = receiver_nodes[node];
    let inside = inside_box(
      (box.low - radius - source) * inv, (box.high + radius - source) * inv, from_, to_);
    if (!(inside.x * (1.0 - REACH_MARGIN) <= inside.y * (1.0 + REACH_MARGIN))) {
      node = box.next;
      continue;
    }
    let leaf = box.leaf;
    if (leaf == 0u) {
      node++;
      continue;
    }
    let first = leaf >> 4u;
    let end = first + (leaf & 15u);
    for (var slot = first; slot < end; slot++) {
      let p = points[slot].position;
      let v = p - source;
      let along = dot(v, d);
      let off = v - along * d;
      if (along < from_ || along > to_ || dot(off, off) > cone * along * along) { continue; }
      if (b > 0u && dot(wall.xyz, p) < wall.w) { continue; }
      found++;
      if (COUNT == 1u) { continue; }
      let at = atomicAdd(&candidates[HEAD_FOUND], 1u);
      if (at >= job.capacity) { continue; }
      atomicStore(&candidates[candidate_at(at) + CANDIDATE_RAY], ray);
      atomicStore(&candidates[candidate_at(at) + CANDIDATE_RECEIVER], (b << 24u) | slot);
    }
    node = box.next;
  }
  return found;
}
