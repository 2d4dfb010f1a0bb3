// The nearest facets that given rays meet. Rays: origin, unit direction, a vec4 each.

@group(0) @binding(2) var<storage, read> nodes: array<BvhNode>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> queries: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> hits: array<vec2u>; // bits of the distance, facet

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let ray = id.x;
  if (ray >= arrayLength(&hits)) { return; }
  let hit = traverse(queries[2u * ray].xyz, queries[2u * ray + 1u].xyz, NO_SLOT, false);
  var facet = NO_FACET;
  if (hit.slot != NO_SLOT) { facet = numbers_of(hit.slot).x; }
  hits[ray] = vec2u(bitcast<u32>(hit.t), facet);
}
