// Ray-tube tracing, first level: the corner and central rays of the occupied tiles of 16 x 16 tubes, each a lane of its
// own, since the longest paths decide how long the kernel takes. wg.x: occupied tile, and every so many on
// (sbr_job.wgsl); wg.y: a third of its rays, centres first.

@group(0) @binding(2) var<storage, read> nodes: array<BvhNode>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> candidates: array<u32>;
@group(0) @binding(6) var<storage, read_write> rays: array<u32>;
@group(0) @binding(7) var<storage, read_write> leaves: array<u32>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>>;

// The tile's candidates: rows of their slots.
var<workgroup> staged: array<array<vec4f, SLOT_ROWS>, TILE_LIST>;
var<workgroup> staged_slots: array<u32, TILE_LIST>;

// Rays of the n-th occupied tile.
fn trace(n: u32, third: u32, lane: u32) {
  let tile = candidates[occupied_tile(n)];
  let count = candidates[tile];
  let listed = LISTS == 1u && count <= TILE_LIST;
  if (listed && lane < count) {
    let slot = candidates[tile_list(tile) + lane];
    staged_slots[lane] = slot;
    for (var k = 0u; k < SLOT_ROWS; k++) { staged[lane][k] = slots[SLOT_ROWS * slot + k]; }
  }
  workgroupBarrier();
  let cell = 16u * vec2u(tile % step_.tiles_i, tile / step_.tiles_i);
  let origin = vec2f(vec2i(step_.cell_i, step_.cell_j) + vec2i(cell));
  let number = 192u * third + lane;
  let centre = number < CENTRES;
  let ray = select(number - CENTRES, number, centre);
  if (!centre && ray >= CORNERS) { return; }
  let side = select(17u, 16u, centre);
  let at = origin + vec2f(vec2u(ray % side, ray / side)) + select(0.0, 0.5, centre);
  let o = launch_point(at.x, at.y, 1.0);
  var hit = Hit(FAR, NO_SLOT);
  if (listed) {
    for (var c = 0u; c < count; c++) {
      let plane = slot_of_rows(staged[c][0], staged[c][1], staged[c][2]);
      meet_planes(staged_slots[c], plane, o, job.d, true, &hit);
    }
  } else {
    hit = first_hit(o, tile);
  }
  let out = TILE_RAY_WORDS * n + ray + select(0u, CORNER_WORDS * CORNERS, centre);
  let stride = select(CORNERS, CENTRES, centre);
  let most = select(compared_bounces(), MAX_BOUNCES, centre && job.depth == 0u);
  keep_ray(out, stride, trace_path(o, hit, most, centre, out, stride), centre);
}

@compute @workgroup_size(192)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let end = counted_units(TILES, lane);
  for (var n = wg.x; n < end; n += num.x) {
    trace(n, wg.y, lane);
    workgroupBarrier();
  }
}
