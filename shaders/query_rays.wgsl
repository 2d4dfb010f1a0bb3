// The nearest facets that given rays meet.

@group(0) @binding(2) var<storage, read> nodes: array<BvhNode>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> queries: array<Query>;
@group(0) @binding(5) var<storage, read_write> hits: array<QueryHit>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let ray = id.x;
  if (ray >= arrayLength(&hits)) { return; }
  let hit = traverse(queries[ray].origin, queries[ray].direction, NO_SLOT, false);
  var facet = NO_FACET;
  if (hit.slot != NO_SLOT) { facet = numbers_of(hit.slot).x; }
  hits[ray] = QueryHit(hit.t, facet);
}
