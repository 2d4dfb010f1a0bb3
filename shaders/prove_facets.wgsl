// Tells the facets that the incident wave lights whole, and those of them that reflect it away from the target: by following
// the facet's own beam back to the radar (wg.y = 0) and onwards (1). SEARCHERS lanes a facet search a part of the hierarchy
// each, four times four children. Facets that no incident ray meets first are told besides.

@group(0) @binding(2) var<storage, read> boxes: array<vec4f>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> facet_candidates: array<u32>;
@group(0) @binding(5) var<storage, read_write> candidates: array<atomic<u32>>;

const SEARCHERS = 16u;
const NO_CHILD = 0xffffffffu;
const GRAZING = 2e-6;

// Sets the beam of a facet along unit d, without end planes.
fn aim_facet(facet: Corners, d: vec3f) {
  let corner = array<vec3f, 3>(facet.a, facet.b, facet.c);
  beam_foot = facet.a;
  beam_d = d;
  for (var k = 0u; k < 3u; k++) {
    let p = corner[k] - beam_foot;
    let edge = corner[(k + 1u) % 3u] - corner[k];
    // Edges nearly along d keep their digits when what lies along it is taken off first.
    let m = cross(edge - dot(edge, d) * d, d);
    let out = m / max(length(m), 1e-30);
    let across = dot(out, corner[(k + 2u) % 3u] - corner[k]);
    let n = select(out, -out, across > 0.0);
    beam_sides[k] = vec4f(n, SIDE_SLACK * job.diagonal - dot(n, p));
  }
  beam_count = 3u;
}

// Whether a facet stands in the beam; looking to the radar, any but this one and the backs of closed shells.
fn stands_in_beam(slot: u32, own: u32, back: bool) -> bool {
  let cosine = dot(slots[3u * slot].xyz, beam_d);
  if (slot == own || abs(cosine) < GRAZING || (back && shell_of(slot) * cosine > 0.0)) { return false; }
  return clip_facet(solid(slot), beam_count) > 0u;
}

fn search(own: u32, back: bool, subtree: u32) -> bool {
  var stack: array<u32, STACK_SIZE>;
  var top = 1u;
  stack[0] = subtree;
  while (top > 0u) {
    top--;
    let node = stack[top];
    if ((node & 1u) == 0u) {
      let n = 7u * (node >> 4u);
      let inside = children_in_beam(n);
      let children = bitcast<vec4u>(boxes[n + 6u]);
      for (var c = 0u; c < 4u; c++) {
        if (inside[c]) {
          stack[top] = children[c];
          top++;
        }
      }
      continue;
    }
    let first = node >> 4u;
    for (var slot = first; slot < first + ((node >> 1u) & 7u); slot++) {
      if (stands_in_beam(slot, own, back)) { return true; }
    }
  }
  return false;
}

// Child number `i` of a node, or NO_CHILD where nothing of it is inside. A leaf is its own first child.
fn descend(node: u32, i: u32) -> u32 {
  if ((node & 1u) == 1u) { return select(NO_CHILD, node, i == 0u); }
  let n = 7u * (node >> 4u);
  return select(NO_CHILD, bitcast<vec4u>(boxes[n + 6u])[i], children_in_beam(n)[i]);
}

// Whether something stands where the facet reflects to, a share of the candidates of reflected rays for each of its lanes: all
// that can be met is among them (search_facets.wgsl).
fn stands_listed(own: u32, part: u32, listed: u32) -> bool {
  for (var c = part; c < listed; c += SEARCHERS) {
    if (stands_in_beam(facet_candidates[reflected_list(own) + 1u + c], own, false)) { return true; }
  }
  return false;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32,
) {
  let number = 64u * (wg.x + grid.x * wg.z) + lane;
  let own = number / SEARCHERS;
  let part = number % SEARCHERS;
  if (own >= job.slots) { return; }
  let n = slots[3u * own].xyz;
  let cosine = dot(n, job.d.xyz);
  let back = wg.y == 0u;
  if (abs(cosine) < GRAZING || shell_of(own) * cosine > 0.0) {
    if (part == 0u && back) {
      atomicOr(&candidates[slot_state(own)], NOT_LIT | AWAY);
      atomicOr(&candidates[flat_state(flat_of(own))], NOT_LIT);
    }
    return;
  }
  if (!back && MAX_BOUNCES == 1u) { return; }
  let up = select(n, -n, cosine > 0.0);
  aim_facet(solid(own), select(normalize(job.d.xyz - 2.0 * cosine * n), job.d.xyz, back));
  // Of facets that lie on each other rays meet one.
  cut_beam(3u, beam_foot, up, select(1.0, -1.0, back) * PLANE_SLACK * job.diagonal);
  beam_count = 4u;
  if (!back && LISTS == 1u && job.facet_lists == 1u) {
    let listed = facet_candidates[reflected_list(own)];
    if (listed <= FACET_LIST) {
      if (stands_listed(own, part, listed)) { atomicOr(&candidates[slot_state(own)], GOES_ON); }
      return;
    }
  }
  var node = descend(0u, part / 4u);
  if (node != NO_CHILD) { node = descend(node, part % 4u); }
  if (node == NO_CHILD || !search(own, back, node)) { return; }
  atomicOr(&candidates[slot_state(own)], select(GOES_ON, NOT_LIT, back));
  if (back) { atomicOr(&candidates[flat_state(flat_of(own))], NOT_LIT); }
}
