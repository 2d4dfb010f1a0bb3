// Adaptive tubes: leaves and cells to cut among the children of cells that were cut; one workgroup a chunk of one tile's.

@group(0) @binding(2) var<storage, read> slots: array<vec4f>;
@group(0) @binding(3) var<storage, read> rays: array<u32>;
@group(0) @binding(4) var<storage, read_write> items: array<u32>;
@group(0) @binding(5) var<storage, read_write> leaves: array<u32>;
@group(0) @binding(6) var<storage, read_write> quads: array<u32>;
@group(0) @binding(7) var<storage, read_write> groups: array<Group>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>>;

fn sort_chunk(n: u32, lane: u32) {
  let level = step_.level;
  let chunk = chunk_at(level - 1u, n);
  var path: Path;
  var kind = NOTHING;
  var corners: array<vec3u, 4>;
  var cell = vec2u(0u);
  if (lane < 4u * min(items[chunk + 1u], CHUNK_ITEMS)) {
    let item = items[chunk] + lane / 4u;
    let packed = items[item_at(level - 1u, item)];
    let child = vec2u(lane & 1u, (lane >> 1u) & 1u);
    cell = 2u * vec2u(packed & 0xffffu, packed >> 16u) + child;
    for (var c = 0u; c < 4u; c++) {
      let p = child + vec2u(c & 1u, c >> 1u);
      corners[c] = kept_corner(item_corner(item, p.x + 3u * p.y), SIDE_BY_SIDE);
    }
    let at = item_child(item, lane % 4u);
    path = kept_path(at, SIDE_BY_SIDE);
    kind = sorted(path, outcome(at, SIDE_BY_SIDE), corners, level);
    if (kind == SUBDIVIDE) { corners = over_for_items(at, SIDE_BY_SIDE); }
  }
  collect(lane, kind, path, cell.x, cell.y, i32(level), level, corners);
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let end = min(units(CHUNKS + step_.level - 1u, lane), job.chunk_capacity);
  for (var n = wg.x; n < end; n += num.x) {
    sort_chunk(n, lane);
    workgroupBarrier();
  }
}
