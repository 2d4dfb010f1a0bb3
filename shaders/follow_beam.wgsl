// Follows the beam of an adaptive cell from facet to facet (docs/adaptive-tubes.md).

const NO_FLAT = 0xffffffffu;
// Nodes and leaves that are looked at before a beam counts as blocked.
const STEPS = 4096u;

fn facing_normal(slot: u32, d: vec3f) -> vec3f {
  let n = slots[3u * slot].xyz;
  return select(n, -n, dot(n, d) > 0.0);
}

// What the cell's beam does up to its first hit, on the flat of `slot`.
struct FirstLeg {
  bent: bool,     // it crosses the flat's rim
  before: u32,    // in front of the flat stand facets of the same surface only: 1; others: 2
  goes_on: bool,  // something stands where a facet of the flat reflects to
}

fn first_leg(cell: Cell, slot: u32) -> FirstLeg {
  let flat = flat_of(slot);
  let surface = numbers_of(slot).y;
  let up = facing_normal(slot, job.d.xyz);
  let foot = solid(slot).a;
  var found = FirstLeg(false, 0u, false);
  var covered = 0u;
  for (var c = 0u; c < over_count; c++) {
    let other = over[c];
    let n = clip_facet(solid(other), 4u);
    if (flat_of(other) == flat) {
      covered += part_of_cell(n, cell.side);
      found.goes_on = found.goes_on || (candidates[slot_state(other)] & GOES_ON) != 0u;
    } else if (height_left(n, up, foot) > PLANE_SLACK * job.diagonal) {
      found.before = max(found.before, select(2u, 1u, numbers_of(other).y == surface));
    }
  }
  found.bent = covered < covering_area(cell.side);
  return found;
}

// Sets the four sides of the beam along unit d about a parallelogram of sides a, b with its centre at o. False when it is too
// thin to be told from a plane.
fn aim(o: vec3f, side_a: vec3f, side_b: vec3f, d: vec3f) -> bool {
  let a = side_a - dot(side_a, d) * d;
  let b = side_b - dot(side_b, d) * d;
  beam_foot = o;
  beam_d = d;
  beam_count = 4u;
  let slack = SIDE_SLACK * job.diagonal;
  for (var k = 0u; k < 2u; k++) {
    let p = select(a, b, k == 1u);
    let across = cross(select(b, a, k == 1u), d);
    let size = length(across);
    let reach = 0.5 * abs(dot(p, across)) / max(size, 1e-30);
    if (!(reach > 1e-4 * length(p))) { return false; }
    let n = across / size;
    let c = min(slack, 0.1 * reach) - reach;
    beam_sides[2u * k] = vec4f(n, c);
    beam_sides[2u * k + 1u] = vec4f(-n, c);
  }
  return true;
}

struct Found {
  covered: f32,  // of the beam, by the flat asked for [m^2]
  blocked: bool, // by anything else
}

// What a search is for: facets over a cell; anything that blocks the beam, where the first found ends the search; that and
// how much of the beam a flat covers.
const FIND_OVER = 0u;
const FIND_ANY = 1u;
const FIND_ALL = 2u;

// Searches the hierarchy for facets in the beam. Of beams that are followed the first five sides are the four along the rays and
// the plane it starts from. Of a cell of side `side` [m] only facets count that incident rays may meet first.
fn search(flat: u32, what: u32, side: f32) -> Found {
  var found = Found(0.0, false);
  var stack: array<u32, STACK_SIZE>;
  var top = 1u;
  stack[0] = 0u;
  for (var step = 0u; top > 0u; step++) {
    if (step == STEPS) {
      found.blocked = true;
      over_count = CELL_LIST + 1u;
      break;
    }
    top--;
    let node = stack[top];
    if ((node & 1u) == 0u) {
      let n = 7u * (node >> 4u);
      let inside = children_in_beam(n);
      let children = bitcast<vec4u>(boxes[n + 6u]);
      for (var c = 0u; c < 4u; c++) {
        if (inside[c]) {
          stack[top] = children[c];
          top++;
        }
      }
      continue;
    }
    let first = node >> 4u;
    for (var slot = first; slot < first + ((node >> 1u) & 7u); slot++) {
      if (what == FIND_OVER) {
        if ((candidates[slot_state(slot)] & AWAY) == 0u) { _ = consider(slot, side); }
        continue;
      }
      // Rays pass by facets that they graze.
      if (abs(dot(slots[3u * slot].xyz, beam_d)) < GRAZING_COSINE) { continue; }
      let own = flat_of(slot) == flat;
      let left = clip_facet(solid(slot), select(beam_count, 5u, own));
      if (left == 0u) { continue; }
      if (own) {
        found.covered += area_left(left);
      } else {
        found.blocked = true;
        if (what == FIND_ANY) { return found; }
      }
    }
  }
  return found;
}

// Follows the beam of a cell that meets the flat of its central ray as a whole.
fn follow_on(cell: Cell, path: Path) -> u32 {
  let quick = cell.level < 0;
  let s = job.s.xyz;
  var slot = slot_of(met[0]);
  var d = job.d.xyz;
  var n = facing_normal(slot, d);
  var o = beam_foot + dot(n, solid(slot).a - beam_foot) / dot(n, d) * d;
  var a = cell.side * job.u.xyz;
  var b = cell.side * job.v.xyz;
  let slack = PLANE_SLACK * job.diagonal;
  for (var m = 1u; m <= path.count; m++) {
    a -= 2.0 * dot(n, a) * n;
    b -= 2.0 * dot(n, b) * n;
    d = normalize(d - 2.0 * dot(n, d) * n);
    let foot = solid(slot).a;
    // Large footprints are to be seen as a whole or not at all.
    if (quick && m > 1u && dot(n, s) > 0.0) {
      if (((path.visible >> (m - 1u)) & 1u) == 0u) { return SUBDIVIDE; }
      let along = 1.0 / dot(n, d);
      if (!aim(o, a - dot(n, a) * along * d, b - dot(n, b) * along * d, s)) { return SUBDIVIDE; }
      cut_beam(4u, foot, n, slack);
      beam_count = 5u;
      if (search(NO_FLAT, FIND_ANY, 0.0).blocked) { return SUBDIVIDE; }
    }
    // Tubes cut off by the bounce limit end at their last hit.
    if (m == MAX_BOUNCES) { break; }
    if (!aim(o, a, b, d)) { return SUBDIVIDE; }
    cut_beam(4u, foot, n, slack);
    beam_count = 5u;
    let ends = m < path.count;
    var flat = NO_FLAT;
    var may_bend = false;
    if (ends) {
      slot = slot_of(met[m]);
      flat = flat_of(slot);
      may_bend = !quick && is_curved(slot);
      n = facing_normal(slot, d);
      cut_beam(5u, solid(slot).a, n, slack);
      beam_count = 6u;
    }
    let across = abs(dot(cross(a, b), d));
    let whole = 4.0 * beam_sides[0].w * beam_sides[2].w / (length(a) * length(b)) * across;
    let found = search(flat, select(FIND_ANY, FIND_ALL, may_bend), 0.0);
    if (ends) {
      let least = 1.0 - 2e-5 - 1e-6 * job.diagonal * (1.0 / length(a) + 1.0 / length(b));
      if (found.covered < max(least, 0.5) * whole) { return select(SUBDIVIDE, COMPARE, may_bend); }
      o += dot(n, solid(slot).a - o) / dot(n, d) * d;
    }
    if (found.blocked) { return SUBDIVIDE; }
  }
  return LEAF;
}
