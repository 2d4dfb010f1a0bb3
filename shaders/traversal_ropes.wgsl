// Stackless traversal (paper 002): nodes level by level, each threaded with six ropes. Boxes of a BVH overlap, so
// a rope does not lead through a face to a neighbour; there is one per direction (the face that the ray mainly leaves
// by), and it leads to the next node in that direction's fixed order once this one's subtree is done with
// (docs/ray-engine.md, "Ropes").

alias BvhNode = RopeNode;

const NO_ROPE = 0xffffffffu;

// Whether the ray with origin -shift / inv meets the box not beyond `limit`.
// The boxes are wide enough for the rounding here (docs/ray-engine.md, "Nothing is lost").
fn meets_box(low: vec3f, high: vec3f, shift: vec3f, inv: vec3f, limit: f32) -> bool {
  let inside = inside_box(fma(low, inv, shift), fma(high, inv, shift), 0.0, limit);
  return inside.x <= inside.y;
}

// Nearest hit in front of o along unit d, slot `skip` passed by; with `any_hit` the first one found.
fn traverse(o: vec3f, d: vec3f, skip: u32, any_hit: bool) -> Hit {
  var hit = Hit(FAR, NO_SLOT);
  let inv = inverse_direction(d);
  let shift = -o * inv;
  let size = abs(d);
  let axis = select(select(2u, 1u, size.y >= size.z), 0u, size.x >= size.y && size.x >= size.z);
  let face = 2u * axis + select(0u, 1u, d[axis] < 0.0);
  var at = 0u;
  loop {
    let count = nodes[at].count;
    if (meets_box(nodes[at].low, nodes[at].high, shift, inv, hit.t)) {
      let first = nodes[at].first;
      if (count == 0u) {
        at = first + ((nodes[at].second_first >> face) & 1u);
        continue;
      }
      meet_leaf(vec2u(first, first + count), o, d, skip, &hit);
      if (any_hit && hit.slot != NO_SLOT) { break; }
    }
    at = nodes[at].ropes[face];
    if (at == NO_ROPE) { break; }
  }
  return hit;
}
