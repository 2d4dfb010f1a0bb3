// Sorting out the cells of one workgroup: leaves, quad leaves and cells to subdivide go to their lists, each workgroup's
// part contiguous and in lane order, so that the contents of a group never depend on timing.

const LANES = 256u;

// Running counts over lanes: x packs leaves, quads and subdivisions (10 bits each), y records (20 bits) and quad records.
var<workgroup> scan: array<vec2u, LANES>;
var<workgroup> start: array<u32, 6>; // leaf, quad, record, quad record, item, chunk
var<workgroup> fits: u32;

// The kernel says how many units of cells there are, `unit_count`, and has a workgroup collect the cells of one, `sort_unit`.
@compute @workgroup_size(LANES)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let end = unit_count(lane);
  for (var n = wg.x; n < end; n += num.x) {
    sort_unit(n, lane);
    workgroupBarrier();
  }
}

// What becomes of a cell with the given corners.
fn classify(path: Path, corners: array<Corner, 4>, level: u32) -> u32 {
  var same_surfaces = true;
  var same_normals = true;
  for (var c = 0u; c < 4u; c++) {
    same_surfaces = same_surfaces && corners[c].surface_key == path.surface_key;
    same_normals = same_normals && corners[c].normals_key == path.normals_key;
  }
  let long = COMPARED_BOUNCES < MAX_BOUNCES && goes_on(path);
  let valid = same_surfaces && (same_normals || path.count <= 1u);
  if (level < job.depth && select(!valid, level == 0u, long)) { return SUBDIVIDE; }
  if (path.count == 0u || (!same_surfaces && job.exit_form == 1u)) { return NOTHING; }
  if (path.radiating == 0u) { return NOTHING; }
  // A tube across facets of one smooth surface: its first footprint is the quadrilateral of its corners. Later ones
  // are the central ray's: plane facets split the beam, and a polygon spanned between its parts would be far larger
  // than what they light (docs/theory.md, "4. Footprint").
  return select(LEAF, QUAD, same_surfaces && !same_normals && path.count == 1u && path_words(path) == 1u);
}

// Writes the workgroup's cells to the lists. (i, j): the lane's cell within the batch at `level`, with corners
// 00 10 01 11; `kept`, `stride`: where its central ray stands.
fn collect(
  lane: u32, kind: u32, path: Path, kept: u32, stride: u32, i: u32, j: u32, level: u32, corners: array<Corner, 4>
) {
  let own = vec2u(
    select(0u, 1u, kind == LEAF) | select(0u, 1u << 10u, kind == QUAD) | select(0u, 1u << 20u, kind == SUBDIVIDE),
    select(0u, path.radiating, kind == LEAF) | (select(0u, path.radiating, kind == QUAD) << 20u));
  scan[lane] = own;
  workgroupBarrier();
  for (var reach = 1u; reach < LANES; reach <<= 1u) {
    var sum = scan[lane];
    if (lane >= reach) { sum += scan[lane - reach]; }
    workgroupBarrier();
    scan[lane] = sum;
    workgroupBarrier();
  }
  let total = scan[LANES - 1u];
  let n = vec3u(total.x & 1023u, (total.x >> 10u) & 1023u, total.x >> 20u);
  let records = vec2u(total.y & 0xfffffu, total.y >> 20u);
  if (lane == 0u) {
    start[0] = atomicAdd(&counters[BATCH_LEAVES], n.x);
    start[1] = atomicAdd(&counters[BATCH_QUADS], n.y);
    start[2] = atomicAdd(&counters[BATCH_RECORDS], records.x);
    start[3] = atomicAdd(&counters[BATCH_QUAD_RECORDS], records.y);
    var ok = start[0] + n.x <= job.leaf_capacity && start[1] + n.y <= job.quad_capacity
      && start[2] + records.x <= job.record_capacity && start[3] + records.y <= job.quad_record_capacity;
    if (n.z > 0u) {
      let chunks = (n.z + CHUNK_ITEMS - 1u) / CHUNK_ITEMS;
      start[4] = atomicAdd(&counters[ITEMS + level], n.z);
      start[5] = atomicAdd(&counters[CHUNKS + level], chunks);
      ok = ok && start[4] + n.z <= job.item_capacity && start[5] + chunks <= job.chunk_capacity;
    }
    if (ok && n.x + n.y > 0u) {
      let g = atomicAdd(&counters[GROUPS], 1u);
      ok = g < job.group_capacity;
      if (ok) {
        groups[g] = Group(start[0], n.x, start[2], records.x, start[1], n.y, start[3], records.y);
        atomicAdd(&counters[LIT_LEAVES + level], n.x + n.y);
        atomicAdd(&counters[TOTAL_RECORDS], records.x + records.y);
      }
    }
    if (!ok) { atomicOr(&counters[OVERFLOW], 1u); }
    fits = select(0u, 1u, ok);
  }
  workgroupBarrier();
  if (fits == 0u || kind == NOTHING) { return; }
  let before = scan[lane] - own;
  if (kind == SUBDIVIDE) {
    let rank = before.x >> 20u;
    let at = item_at(level, start[4] + rank);
    items[at + ITEM_CELL] = i | (j << 16u);
    for (var c = 0u; c < 4u; c++) { keep_corner(at + ITEM_CORNERS + CORNER_WORDS * c, corners[c]); }
    keep_corner(at + ITEM_CENTRE, corner_of(path));
    if (rank % CHUNK_ITEMS == 0u) {
      let chunk = chunk_at(level, start[5] + rank / CHUNK_ITEMS);
      items[chunk + CHUNK_FIRST] = start[4] + rank;
      items[chunk + CHUNK_COUNT] = min(CHUNK_ITEMS, n.z - rank);
    }
    return;
  }
  if (path.cut_off > 0u) { atomicAdd(&counters[CUT_OFF_LEAVES + level], path.cut_off); }
  let cell = i | (j << 16u);
  if (kind == LEAF) {
    let leaf = LEAF_WORDS * (start[0] + (before.x & 1023u));
    leaves[leaf + LEAF_CELL] = cell;
    leaves[leaf + LEAF_LEVEL_COUNT] = level | (path_words(path) << 8u);
    leaves[leaf + LEAF_RECORD] = start[2] + (before.y & 0xfffffu);
    let words = path_words(path);
    if (words > KEPT_FACETS) { leaves[leaf + LEAF_TAIL] = rays[kept + CENTRE_TAIL * stride]; }
    for (var m = 0u; m < min(words, KEPT_FACETS); m++) {
      leaves[leaf + LEAF_FACETS + m] = rays[kept + (CENTRE_FACETS + m) * stride];
    }
    return;
  }
  let quad = start[1] + ((before.x >> 10u) & 1023u);
  quads[quad].cell = cell;
  quads[quad].level = level;
  quads[quad].record = start[3] + (before.y >> 20u);
  quads[quad].facet = path.first;
  // Counter-clockwise ++ -+ -- +-.
  let order = array<u32, 4>(3u, 2u, 0u, 1u);
  for (var c = 0u; c < 4u; c++) { quads[quad].corner_facets[c] = corners[order[c]].first; }
}

fn keep_corner(at: u32, corner: Corner) {
  items[at + CORNER_SURFACE_KEY] = corner.surface_key;
  items[at + CORNER_NORMALS_KEY] = corner.normals_key;
  items[at + CORNER_FIRST] = corner.first;
}
