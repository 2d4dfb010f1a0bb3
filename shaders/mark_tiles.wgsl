// Which facets lie in front of which tiles of the batch: each facet's outline along the incidence against the tiles of
// its box. No tile that a ray could hit anything in is passed by (docs/ray-engine.md).

@group(0) @binding(2) var<storage, read> corners: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;

fn mark(facet: Outline, slot: u32, at: vec2i) {
  if (!in_front(facet, at)) { return; }
  let tile = u32(at.x) + u32(at.y) * step_.tiles_i;
  let n = atomicAdd(&candidates[tile], 1u);
  if (n == 0u) { atomicStore(&candidates[occupied_tile(atomicAdd(&counters[TILES], 1u))], tile); }
  if (n < TILE_LIST) { atomicStore(&candidates[tile_list(tile) + n], slot); }
}
