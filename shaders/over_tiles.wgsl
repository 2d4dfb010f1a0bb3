// Takes the facets to the tiles of the batch that their boxes reach over. A lane takes one facet; a facet over many tiles
// is then taken by the whole workgroup. wg.y counts strips of tile rows. The kernel declares
// `mark`.

const LANES = 64u;
const FEW_TILES = 12;

var<workgroup> wide: array<u32, LANES>;
var<workgroup> wide_count: atomic<u32>;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32,
) {
  let tile_rows = step_.tiles_j;
  let rows = vec2i(vec2u(wg.y, wg.y + 1u) * tile_rows / grid.y);
  let slot = LANES * wg.x + lane;
  if (slot < job.slots) {
    let facet = outline_of(slot);
    let r = tile_range(facet, rows);
    let size = max(r.zw - r.xy + 1, vec2i(0));
    if (size.x * size.y > FEW_TILES) {
      wide[atomicAdd(&wide_count, 1u)] = slot;
    } else {
      for (var j = r.y; j <= r.w; j++) {
        for (var i = r.x; i <= r.z; i++) { mark(facet, slot, vec2i(i, j)); }
      }
    }
  }
  workgroupBarrier();
  let end = min(atomicLoad(&wide_count), LANES);
  for (var k = 0u; k < end; k++) {
    let facet = outline_of(wide[k]);
    let r = tile_range(facet, rows);
    let width = u32(r.z - r.x + 1);
    let tiles = width * u32(r.w - r.y + 1);
    for (var t = lane; t < tiles; t += LANES) {
      mark(facet, wide[k], r.xy + vec2i(vec2u(t % width, t / width)));
    }
  }
}
