// Adaptive tubes: leaves and cells to cut of an occupied tile, one workgroup each. A lane takes a cell of the lattice; what
// became of a larger cell is the business of its first.

@group(0) @binding(2) var<storage, read> candidates: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> rays: array<u32>;
@group(0) @binding(5) var<storage, read_write> items: array<u32>;
@group(0) @binding(6) var<storage, read_write> leaves: array<u32>;
@group(0) @binding(7) var<storage, read_write> quads: array<u32>;
@group(0) @binding(8) var<storage, read_write> groups: array<Group>;
@group(0) @binding(9) var<storage, read_write> counters: array<atomic<u32>>;

fn sort_tile(n: u32, lane: u32) {
  let tile = candidates[occupied_tile(n)];
  let place = vec2u(lane % 16u, lane / 16u);
  let entry = entry_over(n, place.x, place.y);
  let level = entry.y;
  let side = 1u << u32(-level);
  let path = kept_path(u32(entry.x), CELLS);
  let at = TILE_CELL_WORDS * n + place.x + 17u * place.y;
  var corners = array<vec3u, 4>(
    kept_corner(at, CORNERS), kept_corner(at + 1u, CORNERS), kept_corner(at + 17u, CORNERS), kept_corner(at + 18u, CORNERS));
  var kind = NOTHING;
  if (all(place % side == vec2u(0u))) { kind = sorted(path, outcome(u32(entry.x), CELLS), corners, 0u); }
  if (kind == SUBDIVIDE) { corners = over_for_items(u32(entry.x), CELLS); }
  let cell = (16u * vec2u(tile % step_.tiles_i, tile / step_.tiles_i) + place) / side;
  collect(lane, kind, path, cell.x, cell.y, level, 0u, corners);
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let end = min(units(TILES, lane), job.open_capacity);
  for (var n = wg.x; n < end; n += num.x) {
    sort_tile(n, lane);
    workgroupBarrier();
  }
}
