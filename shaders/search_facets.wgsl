// What rays that leave a facet in a known direction can meet: those of the aspect that it reflects first, and those from
// it to the receiver. Such rays fill a prism over the facet; SEARCHERS lanes a facet search a part of the hierarchy each
// for the facets inside. Only what rises above the facet's plane counts: rays start above it and move away
// (docs/ray-engine.md, "Prisms"). Facets seen from behind are left out: of a closed body no ray meets them first.

@group(0) @binding(2) var<storage, read> nodes: array<BvhNode>;
@group(0) @binding(3) var<storage, read> corners: array<vec4f>;
@group(0) @binding(4) var<storage, read> slots: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> facet_candidates: array<atomic<u32>>;

// Facets that reach less than this part of the diagonal above the plane cannot be met: rays start four times higher.
const LOW = 7e-8;

// Nodes and leaves that a lane looks at before it gives up: few facets need more, and the kernel waits for the last.
const STEPS = 128u;

struct Corners {
  a: vec3f,
  b: vec3f,
  c: vec3f,
}

struct Prism {
  n: vec3f,      // normal of the facet
  height: f32,   // what can be met reaches higher than this above the facet's plane [m]
  d: vec3f,      // direction of the rays
  slack: f32,
  x: vec3f,      // across d: a rectangle around the facet, and the ranges it spans
  y: vec3f,
  x_range: vec2f,
  y_range: vec2f,
  own: Corners,
}

fn corners_of(slot: u32) -> Corners {
  return Corners(corners[3u * slot].xyz, corners[3u * slot + 1u].xyz, corners[3u * slot + 2u].xyz);
}

fn range_along(of_facet: Corners, axis: vec3f) -> vec2f {
  let s = vec3f(dot(axis, of_facet.a), dot(axis, of_facet.b), dot(axis, of_facet.c));
  return vec2f(min(s.x, min(s.y, s.z)), max(s.x, max(s.y, s.z)));
}

fn overlap(a: vec2f, b: vec2f, slack: f32) -> bool {
  return (a.x - slack <= b.y) & (a.y + slack >= b.x);
}

// Whether both facets overlap along the axis across d and the side from p to q.
fn overlap_across(prism: ptr<function, Prism>, other: Corners, p: vec3f, q: vec3f) -> bool {
  let m = cross((*prism).d, q - p);
  let axis = m / max(length(m), 1e-30);
  return overlap(range_along(other, axis), range_along((*prism).own, axis), (*prism).slack);
}

// Which children of a node may hold something inside: by height and the rectangle.
fn children_inside(prism: ptr<function, Prism>, n: u32) -> vec4<bool> {
  let cx = 0.5 * (nodes[n].min_x + nodes[n].max_x);
  let cy = 0.5 * (nodes[n].min_y + nodes[n].max_y);
  let cz = 0.5 * (nodes[n].min_z + nodes[n].max_z);
  let ex = 0.5 * (nodes[n].max_x - nodes[n].min_x);
  let ey = 0.5 * (nodes[n].max_y - nodes[n].min_y);
  let ez = 0.5 * (nodes[n].max_z - nodes[n].min_z);
  let up = (*prism).n;
  let x = (*prism).x;
  let y = (*prism).y;
  let foot = (*prism).own.a;
  let high = up.x * (cx - foot.x) + up.y * (cy - foot.y) + up.z * (cz - foot.z) + abs(up.x) * ex + abs(up.y) * ey + abs(up.z) * ez;
  let sx = x.x * cx + x.y * cy + x.z * cz;
  let rx = abs(x.x) * ex + abs(x.y) * ey + abs(x.z) * ez + (*prism).slack;
  let sy = y.x * cx + y.y * cy + y.z * cz;
  let ry = abs(y.x) * ex + abs(y.y) * ey + abs(y.z) * ez + (*prism).slack;
  return (high > vec4f((*prism).height))
    & (sx - rx <= vec4f((*prism).x_range.y)) & (sx + rx >= vec4f((*prism).x_range.x))
    & (sy - ry <= vec4f((*prism).y_range.y)) & (sy + ry >= vec4f((*prism).y_range.x));
}

fn facet_inside(prism: ptr<function, Prism>, slot: u32) -> bool {
  let other = corners_of(slot);
  let foot = (*prism).own.a;
  let above = Corners(other.a - foot, other.b - foot, other.c - foot);
  if (range_along(above, (*prism).n).y <= (*prism).height) { return false; }
  if (!overlap(range_along(other, (*prism).x), (*prism).x_range, (*prism).slack)) { return false; }
  if (!overlap(range_along(other, (*prism).y), (*prism).y_range, (*prism).slack)) { return false; }
  let own = (*prism).own;
  return overlap_across(prism, other, own.a, own.b) && overlap_across(prism, other, own.b, own.c)
    && overlap_across(prism, other, own.c, own.a) && overlap_across(prism, other, other.a, other.b)
    && overlap_across(prism, other, other.b, other.c) && overlap_across(prism, other, other.c, other.a);
}

// Lists the facets of the subtree `node` in the prism from word `at` on: their number, then as many as fit.
fn search(prism: ptr<function, Prism>, own: u32, at: u32, subtree: u32) {
  var stack: array<u32, STACK_SIZE>;
  var top = 1u;
  stack[0] = subtree;
  for (var step = 0u; top > 0u; step++) {
    if (step == STEPS) {
      atomicAdd(&facet_candidates[at], 1u + FACET_LIST);
      return;
    }
    top--;
    let node = stack[top];
    if (!is_leaf(node)) {
      let n = node_at(node);
      let inside = children_inside(prism, n);
      let children = nodes[n].children;
      for (var c = 0u; c < 4u; c++) {
        if (inside[c]) {
          stack[top] = children[c];
          top++;
        }
      }
      continue;
    }
    let leaf = slots_of(node);
    for (var slot = leaf.x; slot < leaf.y; slot++) {
      if (slot == own || !facet_inside(prism, slot)) { continue; }
      let k = atomicAdd(&facet_candidates[at], 1u);
      if (k >= FACET_LIST) { return; }
      atomicStore(&facet_candidates[at + 1u + k], slot);
    }
  }
}

// Child number `i` of a node, or NO_CHILD where nothing of it is inside. A leaf is its own first child.
fn descend(prism: ptr<function, Prism>, node: u32, i: u32) -> u32 {
  if (is_leaf(node)) { return select(NO_CHILD, node, i == 0u); }
  let n = node_at(node);
  return select(NO_CHILD, nodes[n].children[i], children_inside(prism, n)[i]);
}

// wg.y: 0 for the reflected rays, 1 for those to the receiver.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let own = id.x / SEARCHERS;
  let part = id.x % SEARCHERS;
  if (own >= job.slots) { return; }
  let n = slot_of_rows(slots[SLOT_ROWS * own], slots[SLOT_ROWS * own + 1u], slots[SLOT_ROWS * own + 2u]).normal;
  let cosine = dot(n, job.d);
  let reflected = id.y == 0u;
  let at = select(hiding_list(own), reflected_list(own), reflected);
  if (select(dot(n, job.s) <= 0.0, cosine > 0.0, reflected)) {
    if (part == 0u) { atomicStore(&facet_candidates[at], UNKNOWN); }
    return;
  }
  var prism: Prism;
  prism.n = n;
  prism.height = LOW * job.diagonal;
  prism.d = select(job.s, normalize(job.d - 2.0 * cosine * n), reflected);
  prism.slack = SLACK * job.diagonal;
  prism.own = corners_of(own);
  let side = cross(prism.d, prism.own.c - prism.own.b);
  let any_axis = select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), abs(prism.d.x) > 0.7);
  prism.x = normalize(select(cross(prism.d, any_axis), side, dot(side, side) > 1e-20 * job.diagonal * job.diagonal));
  prism.y = cross(prism.d, prism.x);
  prism.x_range = range_along(prism.own, prism.x);
  prism.y_range = range_along(prism.own, prism.y);
  var node = descend(&prism, 0u, part / 4u);
  if (node != NO_CHILD) { node = descend(&prism, node, part % 4u); }
  if (node != NO_CHILD) { search(&prism, own, at, node); }
}
