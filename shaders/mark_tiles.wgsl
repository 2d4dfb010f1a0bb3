// Which facets lie in front of which tiles of the batch: each facet's outline along the incidence against the tiles of
// its box, by separating axes. A lane takes one facet; a facet over many tiles is then taken by the whole workgroup.
// wg.y counts strips of tile rows. No tile that a ray could hit anything in is passed by (docs/ray-engine.md).

@group(0) @binding(2) var<storage, read> corners: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> candidates: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;

const LANES = 64u;
const FEW_TILES = 12;

// A facet seen along the incidence, in cells from the batch's first: its box, and along the normal (x, y) of each side
// the range (z, w) it spans.
struct Outline {
  low: vec2f,
  high: vec2f,
  sides: array<vec4f, 3>,
}

var<workgroup> wide: array<u32, LANES>;
var<workgroup> wide_count: atomic<u32>;

fn in_cells(p: vec3f) -> vec2f {
  return vec2f(dot(p, job.u.xyz), dot(p, job.v.xyz)) / job.base.w
    - vec2f(job.u.w + f32(step_.cell_i), job.v.w + f32(step_.cell_j));
}

fn outline_of(slot: u32) -> Outline {
  var q: array<vec2f, 3>;
  for (var k = 0u; k < 3u; k++) { q[k] = in_cells(corners[3u * slot + k].xyz); }
  var found: Outline;
  found.low = min(q[0], min(q[1], q[2]));
  found.high = max(q[0], max(q[1], q[2]));
  for (var k = 0u; k < 3u; k++) {
    let side = q[(k + 1u) % 3u] - q[k];
    let n = vec2f(side.y, -side.x) / max(length(side), 1e-30);
    let s = vec3f(dot(n, q[0]), dot(n, q[1]), dot(n, q[2]));
    found.sides[k] = vec4f(n, min(s.x, min(s.y, s.z)), max(s.x, max(s.y, s.z)));
  }
  return found;
}

fn slack_cells() -> f32 {
  return SLACK * job.diagonal / job.base.w;
}

// The tiles of the facet's box within this workgroup's strip: first and last along i and j.
fn tile_range(facet: Outline, rows: vec2i) -> vec4i {
  let low = vec2i(clamp(floor((facet.low - slack_cells()) / 16.0), vec2f(-1.0), vec2f(65536.0)));
  let high = vec2i(clamp(floor((facet.high + slack_cells()) / 16.0), vec2f(-1.0), vec2f(65536.0)));
  return vec4i(max(low.x, 0), max(low.y, rows.x), min(high.x, i32(step_.tiles_i) - 1), min(high.y, rows.y - 1));
}

fn mark(facet: Outline, slot: u32, at: vec2i) {
  let centre = 16.0 * vec2f(at) + 8.0;
  for (var k = 0u; k < 3u; k++) {
    let side = facet.sides[k];
    let s = dot(side.xy, centre);
    let reach = 8.0 * (abs(side.x) + abs(side.y)) + slack_cells();
    if (s - reach > side.w || s + reach < side.z) { return; }
  }
  let tile = u32(at.x) + u32(at.y) * step_.tiles_i;
  let n = atomicAdd(&candidates[tile], 1u);
  if (n == 0u) { atomicStore(&candidates[occupied_tile(atomicAdd(&counters[TILE_ARGS], 1u))], tile); }
  if (n < TILE_LIST) { atomicStore(&candidates[tile_list(tile) + n], slot); }
}

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
