// Adaptive tubes: the corner rays of the cells that want to be compared with them. At level 0 a workgroup takes a third of
// an occupied tile's corners (wg.y), below 32 cells that were cut.

@group(0) @binding(2) var<storage, read> nodes: array<vec4f>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> candidates: array<u32>;
@group(0) @binding(5) var<storage, read> facet_candidates: array<u32>;
@group(0) @binding(6) var<storage, read> items: array<u32>;
@group(0) @binding(7) var<storage, read_write> rays: array<u32>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>>;

const LANES = 128u;

var<workgroup> launched: atomic<u32>;

// Whether cell (x, y) of a tile wants its corners; false for such as lie outside.
fn tile_wants(number: u32, x: i32, y: i32) -> bool {
  if (min(x, y) < 0 || max(x, y) > 15) { return false; }
  let entry = entry_over(number, u32(x), u32(y));
  return entry.y == 0 && outcome(u32(entry.x), CELLS) == COMPARE;
}

fn item_wants(item: u32, x: i32, y: i32) -> bool {
  if (min(x, y) < 0 || max(x, y) > 1) { return false; }
  return outcome(item_child(item, u32(x + 2 * y)), SIDE_BY_SIDE) == COMPARE;
}

// Traces the corner ray (i, j) of the batch at a level; its words to `out`.
fn send(corner: vec2i, level: i32, tile: u32, out: u32, stride: u32) {
  let at = vec2f(lattice_cell(level, 0u) + corner);
  let o = launch_point(at.x, at.y, cell_scale(level));
  keep_ray(out, stride, trace_path(o, hit_in_tile(o, tile), false), false);
  atomicAdd(&launched, 1u);
}

// Rays of the n-th occupied tile, or of the n-th 32 cells.
fn trace(n: u32, third: u32, lane: u32) {
  let level = bitcast<i32>(step_.level);
  if (level == 0) {
    let k = LANES * third + lane;
    let x = i32(k % 17u);
    let y = i32(k / 17u);
    if (k < CORNERS
      && (tile_wants(n, x, y) || tile_wants(n, x - 1, y) || tile_wants(n, x, y - 1) || tile_wants(n, x - 1, y - 1))) {
      let tile = candidates[occupied_tile(n)];
      let first = 16 * vec2i(vec2u(tile % step_.tiles_i, tile / step_.tiles_i));
      send(first + vec2i(x, y), 0, tile, TILE_CELL_WORDS * n + k, CORNERS);
    }
  } else {
    let end = min(atomicLoad(&counters[ITEMS + u32(level) - 1u]), job.item_capacity);
    for (var k = lane; k < ITEM_CORNERS * 32u; k += LANES) {
      let item = 32u * n + k % 32u;
      let x = i32(k / 32u % 3u);
      let y = i32(k / 96u);
      if (item < end
        && (item_wants(item, x, y) || item_wants(item, x - 1, y) || item_wants(item, x, y - 1) || item_wants(item, x - 1, y - 1))) {
        let packed = items[item_at(u32(level) - 1u, item)];
        let parent = vec2u(packed & 0xffffu, packed >> 16u);
        let of_tile = parent >> vec2u(3u + u32(level));
        let tile = min(of_tile.x + of_tile.y * step_.tiles_i, job.tile_capacity - 1u);
        send(2 * vec2i(parent) + vec2i(x, y), level, tile, item_corner(item, k / 32u), SIDE_BY_SIDE);
      }
    }
  }
}

@compute @workgroup_size(LANES)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let level = step_.level;
  let tiles = min(atomicLoad(&counters[TILES]), job.open_capacity);
  let parts = (min(atomicLoad(&counters[ITEMS + level - min(level, 1u)]), job.item_capacity) + 31u) / 32u;
  for (var n = wg.x; n < select(parts, tiles, level == 0u); n += num.x) { trace(n, wg.y, lane); }
  workgroupBarrier();
  if (lane == 0u) { atomicAdd(&counters[TOTAL_RAYS], atomicLoad(&launched)); }
}
