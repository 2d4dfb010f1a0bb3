// Which facets that incident rays may meet first lie in front of which tiles of the batch, as mark_tiles has it, and how
// much of a tile those that are lit whole cover.

@group(0) @binding(2) var<storage, read> corners: array<vec4f>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> boxes: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> candidates: array<atomic<u32>>;

fn considered(slot: u32) -> bool {
  return (atomicLoad(&candidates[slot_state(slot)]) & AWAY) == 0u;
}

fn mark(facet: Outline, slot: u32, at: vec2i) {
  if (!in_front(facet, at)) { return; }
  let tile = u32(at.x) + u32(at.y) * step_.tiles_i;
  let n = atomicAdd(&candidates[tile], 1u);
  if (n < CELL_LIST) { atomicStore(&candidates[cell_list(tile) + n], slot); }
  aim_cell(16.0 * vec2f(first_tile() + at) + 8.0, 16.0);
  let left = clip_facet(solid(slot), 4u);
  if (left == 0u) { return; }
  let side = 16.0 * job.base.w;
  let area = part_of_cell(left, side);
  if (area <= least_area(side)) { return; }
  let kind = kind_of(atomicLoad(&candidates[slot_state(slot)]), atomicLoad(&candidates[flat_state(flat_of(slot))]));
  atomicOr(&candidates[kinds_over(tile)], kind);
  if (kind == OTHER) { return; }
  atomicAdd(&candidates[lit_area(tile)], area);
  if (kind == DONE) { atomicAdd(&candidates[done_area(tile)], area); }
}
