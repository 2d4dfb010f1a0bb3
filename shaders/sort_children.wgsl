// What becomes of the children whose rays trace_children has traced: one workgroup a chunk of one tile's cells, so that
// what is summed together never depends on how cells were packed for tracing.

@group(0) @binding(2) var<storage, read> rays: array<u32>;
@group(0) @binding(3) var<storage, read_write> items: array<u32>;
@group(0) @binding(4) var<storage, read_write> leaves: array<u32>;
@group(0) @binding(5) var<storage, read_write> quads: array<Quad>;
@group(0) @binding(6) var<storage, read_write> groups: array<Group>;
@group(0) @binding(7) var<storage, read_write> counters: array<atomic<u32>>;

// Corner (x, y) of the 3 x 3 of a cell's children, from the cell's own corners and centre or from its new rays.
fn child_corner(item: u32, known: u32, p: vec2u) -> Corner {
  if (((p.x + p.y) & 1u) == 1u) {
    // 10 01 21 12
    let ray = select(select(1u, 2u, p.x == 2u), select(0u, 3u, p.y == 2u), p.x == 1u);
    return kept_corner(corner_rays(item, ray), SIDE_BY_SIDE);
  }
  let at = known + select(ITEM_CORNERS + CORNER_WORDS * (p.y + p.x / 2u), ITEM_CENTRE, p.x == 1u);
  return Corner(items[at + CORNER_SURFACE_KEY], items[at + CORNER_NORMALS_KEY], items[at + CORNER_FIRST]);
}

fn unit_count(lane: u32) -> u32 {
  return min(counted_units(CHUNKS + step_.level - 1u, lane), job.chunk_capacity);
}

fn sort_unit(n: u32, lane: u32) {
  let level = step_.level;
  let chunk = chunk_at(level - 1u, n);
  var path: Path;
  var kept = 0u;
  var kind = NOTHING;
  var corners: array<Corner, 4>;
  var cell = vec2u(0u);
  if (lane < 4u * min(items[chunk + CHUNK_COUNT], CHUNK_ITEMS)) {
    let item = items[chunk + CHUNK_FIRST] + lane / 4u;
    let at = item_at(level - 1u, item);
    let child = vec2u(lane & 1u, (lane >> 1u) & 1u);
    cell = 2u * vec2u(items[at + ITEM_CELL] & 0xffffu, items[at + ITEM_CELL] >> 16u) + child;
    // Those of the last level are not traced; as they are, all 0, they meet no surface that a central ray meets.
    if (level < job.depth) {
      for (var c = 0u; c < 4u; c++) { corners[c] = child_corner(item, at, child + vec2u(c & 1u, c >> 1u)); }
    }
    kept = centre_rays(item, lane % 4u);
    path = kept_centre(kept, SIDE_BY_SIDE);
    kind = classify(path, corners, level);
  }
  collect(lane, kind, path, kept, SIDE_BY_SIDE, cell.x, cell.y, level, corners);
}
