// A beam: the parallel rays through a polygon, between two planes. Sides are linear forms [n, c], relative to its foot, that are
// negative inside. The kernel declares boxes and slots.

const MOST_SIDES = 6u;
const MOST_CORNERS = 12u;
// What stands within the beam reaches so far into it from its sides, and from the planes of the facets that end it: parts
// of the box diagonal, somewhat more than rounding moves things (and facets of a flat lie off its plane).
const SIDE_SLACK = 5e-7;
const PLANE_SLACK = 6e-7;
const FAR_BELOW = 3e38;

var<private> beam_foot: vec3f;
var<private> beam_d: vec3f;
var<private> beam_sides: array<vec4f, MOST_SIDES>;
var<private> beam_count: u32;

// What is left of the last facet clipped, from poly_at on, relative to the foot.
var<private> poly: array<vec3f, 2u * MOST_CORNERS>;
var<private> poly_at: u32;

// Which children of a node may overlap the beam.
fn children_in_beam(n: u32) -> vec4<bool> {
  let cx = 0.5 * (boxes[n] + boxes[n + 3u]) - beam_foot.x;
  let cy = 0.5 * (boxes[n + 1u] + boxes[n + 4u]) - beam_foot.y;
  let cz = 0.5 * (boxes[n + 2u] + boxes[n + 5u]) - beam_foot.z;
  let ex = 0.5 * (boxes[n + 3u] - boxes[n]);
  let ey = 0.5 * (boxes[n + 4u] - boxes[n + 1u]);
  let ez = 0.5 * (boxes[n + 5u] - boxes[n + 2u]);
  var inside = vec4<bool>(true);
  for (var k = 0u; k < beam_count; k++) {
    let s = beam_sides[k];
    let least = s.x * cx + s.y * cy + s.z * cz - (abs(s.x) * ex + abs(s.y) * ey + abs(s.z) * ez);
    inside = inside & (least < vec4f(-s.w));
  }
  return inside;
}

// Clips a facet at the first `sides` sides (Sutherland and Hodgman); the number of corners left.
fn clip_facet(facet: Corners, sides: u32) -> u32 {
  let a = facet.a - beam_foot;
  let b = facet.b - beam_foot;
  let c = facet.c - beam_foot;
  for (var k = 0u; k < sides; k++) {
    let s = beam_sides[k];
    if (min(dot(s.xyz, a), min(dot(s.xyz, b), dot(s.xyz, c))) >= -s.w) { return 0u; }
  }
  poly[0] = a;
  poly[1] = b;
  poly[2] = c;
  poly_at = 0u;
  var n = 3u;
  for (var k = 0u; k < sides; k++) {
    let s = beam_sides[k];
    let to = MOST_CORNERS - poly_at;
    var kept = 0u;
    var last = poly[poly_at + n - 1u];
    var last_value = dot(s.xyz, last) + s.w;
    for (var i = 0u; i < n; i++) {
      let p = poly[poly_at + i];
      let value = dot(s.xyz, p) + s.w;
      if ((value < 0.0) != (last_value < 0.0)) {
        poly[to + min(kept, MOST_CORNERS - 1u)] = last + last_value / (last_value - value) * (p - last);
        kept++;
      }
      if (value < 0.0) {
        poly[to + min(kept, MOST_CORNERS - 1u)] = p;
        kept++;
      }
      last = p;
      last_value = value;
    }
    if (kept < 3u) { return 0u; }
    n = min(kept, MOST_CORNERS);
    poly_at = to;
  }
  return n;
}

// Area of the polygon of n corners that clip_facet has left, seen along the beam.
fn area_left(n: u32) -> f32 {
  let first = poly[poly_at];
  var sum = vec3f(0.0);
  for (var i = 2u; i < n; i++) { sum += cross(poly[poly_at + i - 1u] - first, poly[poly_at + i] - first); }
  return 0.5 * abs(dot(sum, beam_d));
}

// How far it reaches along `up` beyond the plane through `foot`.
fn height_left(n: u32, up: vec3f, foot: vec3f) -> f32 {
  var most = -FAR_BELOW;
  for (var i = 0u; i < n; i++) { most = max(most, dot(up, poly[poly_at + i] + (beam_foot - foot))); }
  return most;
}

// Makes side k the plane through a point, keeping what reaches more than `least` beyond it along unit `up`.
fn cut_beam(k: u32, point: vec3f, up: vec3f, least: f32) {
  beam_sides[k] = vec4f(-up, dot(up, point - beam_foot) + least);
}

// Sets the beam along the incidence over a square of the lattice, about `at` (in the lattice's cells); its four sides.
fn aim_cell(at: vec2f, side: f32) {
  let p = (at + vec2f(job.u.w, job.v.w)) * job.base.w;
  let half = -0.5 * side * job.base.w;
  beam_foot = p.x * job.u.xyz + p.y * job.v.xyz;
  beam_d = job.d.xyz;
  beam_count = 4u;
  beam_sides[0] = vec4f(job.u.xyz, half);
  beam_sides[1] = vec4f(-job.u.xyz, half);
  beam_sides[2] = vec4f(job.v.xyz, half);
  beam_sides[3] = vec4f(-job.v.xyz, half);
}

// Area of what is left of a facet clipped at a square of this side [m], in parts of 1 / WHOLE.
fn part_of_cell(n: u32, side: f32) -> u32 {
  return u32(round(f32(WHOLE) * min(area_left(n) / (side * side), 1.0)));
}
