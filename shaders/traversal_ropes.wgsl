// Stackless traversal (paper 002): nodes level by level, each threaded with six ropes. Boxes of a hierarchy overlap, so
// a rope does not lead through a face to a neighbour; there is one per direction (the face that the ray mainly leaves
// by), and it leads to the next node in that direction's fixed order once this one's subtree is done with
// (docs/ray-engine.md, "Ropes"). Nodes: 4 vec4: minimum | first child or slot, maximum | slots (0: inner node),
// six ropes, then for each direction one bit: which child comes first.

const NO_ROPE = 0xffffffffu;

// Where the ray with origin -shift / inv enters the box (0 from inside), or -1 when it misses it or enters beyond `limit`.
// The boxes are wide enough for the rounding here (docs/ray-engine.md, "Nothing is lost").
fn box_entry(low: vec3f, high: vec3f, shift: vec3f, inv: vec3f, limit: f32) -> f32 {
  let a = fma(low, inv, shift);
  let b = fma(high, inv, shift);
  let near = min(a, b);
  let far = max(a, b);
  let t0 = max(max(near.x, near.y), max(near.z, 0.0));
  let t1 = min(min(far.x, far.y), min(far.z, limit));
  return select(-1.0, t0, t0 <= t1);
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
    let n = 4u * at;
    let low = nodes[n];
    let high = nodes[n + 1u];
    let count = bitcast<u32>(high.w);
    if (box_entry(low.xyz, high.xyz, shift, inv, hit.t) >= 0.0) {
      let first = bitcast<u32>(low.w);
      if (count == 0u) {
        at = first + ((bitcast<u32>(nodes[n + 3u].z) >> face) & 1u);
        continue;
      }
      for (var slot = first; slot < first + count; slot++) {
        if (slot != skip) { meet(slot, o, d, skip == NO_SLOT, &hit); }
      }
      if (any_hit && hit.slot != NO_SLOT) { break; }
    }
    at = bitcast<u32>(nodes[n + 2u + (face >> 2u)][face & 3u]);
    if (at == NO_ROPE) { break; }
  }
  return hit;
}
