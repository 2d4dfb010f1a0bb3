// Ordered traversal of four-child nodes (bvh_nodes.wgsl) with a stack.

fn pick(refs: vec4u, i: u32) -> u32 {
  return select(select(refs.x, refs.y, i == 1u), select(refs.z, refs.w, i == 3u), i >= 2u);
}

// Nearest hit in front of o along unit d, slot `skip` passed by; with `any_hit` the first one found.
fn traverse(o: vec3f, d: vec3f, skip: u32, any_hit: bool) -> Hit {
  var hit = Hit(FAR, NO_SLOT);
  let inv = inverse_direction(d);
  let shift = -o * inv;
  var stack: array<u32, STACK_SIZE>;
  var top = 0u;
  var at = 0u;
  loop {
    if (!is_leaf(at)) {
      let n = node_at(at);
      let ax = fma(nodes[n].min_x, vec4f(inv.x), vec4f(shift.x));
      let ay = fma(nodes[n].min_y, vec4f(inv.y), vec4f(shift.y));
      let az = fma(nodes[n].min_z, vec4f(inv.z), vec4f(shift.z));
      let bx = fma(nodes[n].max_x, vec4f(inv.x), vec4f(shift.x));
      let by = fma(nodes[n].max_y, vec4f(inv.y), vec4f(shift.y));
      let bz = fma(nodes[n].max_z, vec4f(inv.z), vec4f(shift.z));
      let children = nodes[n].children;
      let t0 = max(max(min(ax, bx), min(ay, by)), max(min(az, bz), vec4f(0.0)));
      let t1 = min(min(max(ax, bx), max(ay, by)), min(max(az, bz), vec4f(hit.t)));
      // Sorted by entry: the bits of a positive float grow with it; the last two are the child's number.
      let key = select(
        vec4u(NO_CHILD), (bitcast<vec4u>(t0) & vec4u(0xfffffffcu)) | vec4u(0u, 1u, 2u, 3u), t0 <= t1);
      let low = min(key.xz, key.yw);
      let high = max(key.xz, key.yw);
      let nearest = min(low.x, low.y);
      let farthest = max(high.x, high.y);
      let a = max(low.x, low.y);
      let b = min(high.x, high.y);
      if (nearest != NO_CHILD) {
        if (farthest != NO_CHILD) {
          stack[top] = pick(children, farthest & 3u);
          top++;
        }
        if (max(a, b) != NO_CHILD) {
          stack[top] = pick(children, max(a, b) & 3u);
          top++;
        }
        if (min(a, b) != NO_CHILD) {
          stack[top] = pick(children, min(a, b) & 3u);
          top++;
        }
        at = pick(children, nearest & 3u);
        continue;
      }
    } else {
      meet_leaf(slots_of(at), o, d, skip, &hit);
      if (any_hit && hit.slot != NO_SLOT) { break; }
    }
    if (top == 0u) { break; }
    top--;
    at = stack[top];
  }
  return hit;
}
