// Facets seen along the incidence, in cells of the lattice. Positions count from the lattice's own origin, so that what is
// decided by them does not depend on the batch. The kernel declares corners.

// Its box, and along the normal (x, y) of each side the range (z, w) it spans.
struct Outline {
  low: vec2f,
  high: vec2f,
  sides: array<vec4f, 3>,
}

fn in_cells(p: vec3f) -> vec2f {
  return vec2f(dot(p, job.u), dot(p, job.v)) / job.tube_side.x - vec2f(job.offset_u.x, job.offset_v.x);
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
  return SLACK * job.diagonal / job.tube_side.x;
}

// Number in the lattice of the batch's first tile.
fn first_tile() -> vec2i {
  return vec2i(step_.cell_i, step_.cell_j) >> vec2u(4u);
}

// The tiles of the facet's box within rows.x ... rows.y - 1 of the batch: first and last along i and j.
fn tile_range(facet: Outline, rows: vec2i) -> vec4i {
  let first = vec2f(first_tile());
  let low = vec2i(clamp(floor((facet.low - slack_cells()) / 16.0) - first, vec2f(-1.0), vec2f(65536.0)));
  let high = vec2i(clamp(floor((facet.high + slack_cells()) / 16.0) - first, vec2f(-1.0), vec2f(65536.0)));
  return vec4i(max(low.x, 0), max(low.y, rows.x), min(high.x, i32(step_.tiles_i) - 1), min(high.y, rows.y - 1));
}

// Whether a facet may lie in front of a tile of the batch: by separating axes.
fn in_front(facet: Outline, at: vec2i) -> bool {
  let centre = 16.0 * vec2f(first_tile() + at) + 8.0;
  for (var k = 0u; k < 3u; k++) {
    let side = facet.sides[k];
    let s = dot(side.xy, centre);
    let reach = 8.0 * (abs(side.x) + abs(side.y)) + slack_cells();
    if (s - reach > side.w || s + reach < side.z) { return false; }
  }
  return true;
}
