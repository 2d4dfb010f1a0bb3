// Sorting out the cells of one workgroup (LANES lanes, set by the kernel): leaves, quad leaves and cells to subdivide go to their lists,
// each workgroup's part contiguous and in lane order, so that the contents of a group never depend on timing.

@group(0) @binding(4) var<storage, read> items_in: array<u32>;
@group(0) @binding(5) var<storage, read_write> items_out: array<u32>;
@group(0) @binding(6) var<storage, read_write> leaves: array<u32>;
@group(0) @binding(7) var<storage, read_write> quads: array<u32>;
@group(0) @binding(8) var<storage, read_write> groups: array<Group>;
@group(0) @binding(9) var<storage, read_write> counters: array<atomic<u32>>;

const NOTHING = 0u;
const LEAF = 1u;
const QUAD = 2u;
const SUBDIVIDE = 3u;

// Running counts over lanes: x packs leaves, quads and subdivisions (10 bits each), y records and quad records.
var<workgroup> scan: array<vec2u, LANES>;
var<workgroup> start: array<u32, 5>; // leaf, quad, record, quad record, item group
var<workgroup> fits: u32;

fn radiating(path: Path) -> u32 {
  let last = 1u << (path.count - 1u);
  return select(path.visible, last, job.exit_form == 1u) & job.bounce_mask;
}

// What becomes of a cell whose corner keys (surface, facet) are given.
fn classify(path: Path, keys: array<vec2u, 4>, level: u32) -> u32 {
  var same_surfaces = true;
  var same_facets = true;
  for (var c = 0u; c < 4u; c++) {
    same_surfaces = same_surfaces && keys[c].x == path.surface_key;
    same_facets = same_facets && keys[c].y == path.facet_key;
  }
  if (!same_surfaces && level < job.depth) { return SUBDIVIDE; }
  if (path.count == 0u || (!same_surfaces && job.exit_form == 1u)) { return NOTHING; }
  if (radiating(path) == 0u) { return NOTHING; }
  // A tube across facets of one smooth surface: its first footprint is the quadrilateral of its corners. Later ones
  // are the central ray's: flat facets split the beam, and a polygon spanned between its parts would be far larger
  // than what they light (docs/sbr.md, "Tubes").
  return select(LEAF, QUAD, same_surfaces && !same_facets && path.count == 1u);
}

// Writes the workgroup's cells to the lists. (i, j): the lane's cell within the batch at `level`.
fn collect(lane: u32, kind: u32, path: Path, i: u32, j: u32, level: u32) {
  var radiates = 0u;
  if (kind == LEAF || kind == QUAD) { radiates = countOneBits(radiating(path)); }
  let own = vec2u(
    select(0u, 1u, kind == LEAF) | select(0u, 1u << 10u, kind == QUAD) | select(0u, 1u << 20u, kind == SUBDIVIDE),
    select(0u, radiates, kind == LEAF) | (select(0u, radiates, kind == QUAD) << 16u));
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
  let records = vec2u(total.y & 0xffffu, total.y >> 16u);
  if (lane == 0u) {
    let item_groups = (n.z + ITEM_GROUP - 1u) / ITEM_GROUP;
    start[0] = atomicAdd(&counters[LEAVES], n.x);
    start[1] = atomicAdd(&counters[QUADS], n.y);
    start[2] = atomicAdd(&counters[RECORDS], records.x);
    start[3] = atomicAdd(&counters[QUAD_RECORDS], records.y);
    var ok = start[0] + n.x <= job.leaf_capacity && start[1] + n.y <= job.quad_capacity
      && start[2] + records.x <= job.record_capacity && start[3] + records.y <= job.quad_record_capacity;
    if (n.z > 0u) {
      start[4] = atomicAdd(&counters[CHILD_ARGS + 4u * level], item_groups);
      ok = ok && start[4] + item_groups <= job.item_group_capacity;
    }
    if (ok && n.x + n.y > 0u) {
      let g = atomicAdd(&counters[GROUP_ARGS], 1u);
      ok = g < job.group_capacity;
      if (ok) {
        groups[g] = Group(start[0], n.x, start[2], records.x, start[1], n.y, start[3], records.y);
        atomicAdd(&counters[TOTAL_LEAVES], n.x + n.y);
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
    let at = (start[4] + rank / ITEM_GROUP) * ITEM_WORDS;
    items_out[at + 1u + rank % ITEM_GROUP] = i | (j << 16u);
    // The first of each item group writes how many it holds.
    if (rank % ITEM_GROUP == 0u) { items_out[at] = min(ITEM_GROUP, n.z - rank); }
    return;
  }
  let head = vec4u(
    i | (j << 16u),
    level | (path.count << 8u),
    radiating(path),
    select(start[3] + (before.y >> 16u), start[2] + (before.y & 0xffffu), kind == LEAF));
  if (kind == LEAF) {
    let at = (start[0] + (before.x & 1023u)) * LEAF_WORDS;
    for (var w = 0u; w < 4u; w++) { leaves[at + w] = head[w]; }
    for (var m = 0u; m < path.count; m++) { leaves[at + 4u + m] = met[m]; }
    return;
  }
  let at = (start[1] + ((before.x >> 10u) & 1023u)) * QUAD_WORDS;
  for (var w = 0u; w < 4u; w++) { quads[at + w] = head[w]; }
  quads[at + 4u] = met[0];
  // The corner rays once more, now to keep their facets: counter-clockwise ++ -+ -- +-.
  let scale = exp2(-f32(level));
  let origin = vec2i(step_.cell_i, step_.cell_j) * i32(1u << level) + vec2i(i32(i), i32(j));
  for (var c = 0u; c < 4u; c++) {
    let di = select(0, 1, c == 0u || c == 3u);
    let dj = select(0, 1, c < 2u);
    let p = launch_point(f32(origin.x + di), f32(origin.y + dj), scale);
    let hit = traverse(p, job.d.xyz, NO_SLOT, false);
    quads[at + 5u + c] = bitcast<u32>(slots[4u * hit.slot + 3u].x);
  }
}
