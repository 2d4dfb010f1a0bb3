// A ray against one facet. `slots` hold the rows of `Slot` (gpu/sbr/layouts.ts): all is relative to a corner, since digits are
// lost with the distance from the origin. Then for all of them facet and surface number, two slots a vec4. Of facets at the same distance the lower number wins, so that no order of testing ever shows.

const NO_SLOT = 0xffffffffu;
const GRAZING_COSINE = 2e-6;
const FAR = 3e38;

// For launched rays facets grow by this part of the box diagonal on each side as the ray sees them, in their plane by
// 1 / |cosine| as much: rounding moves the computed hit along the ray, off one facet and off its neighbour. At most by
// what boxes are wide enough for (docs/ray-engine.md, "Nothing is lost").
const GROWTH = 1.5e-7;
const MOST_GROWTH = 4e-6;

fn largest(m: vec3f) -> f32 {
  return max(abs(m.x), max(abs(m.y), abs(m.z)));
}

struct Hit {
  t: f32,
  slot: u32,
}

fn slot_at(slot: u32) -> Slot {
  let at = SLOT_ROWS * slot;
  return slot_of_rows(slots[at], slots[at + 1u], slots[at + 2u]);
}

fn first_corner(plane: Slot) -> vec3f {
  return vec3f(plane.corner_x, plane.corner_y, plane.corner_z);
}

// Facet and surface number.
fn numbers_of(slot: u32) -> vec2u {
  let pair = bitcast<vec4u>(slots[SLOT_ROWS * job.slots + slot / 2u]);
  return select(pair.xy, pair.zw, (slot & 1u) == 1u);
}

// `launched`: the ray comes from the aperture, not from a facet. Keeps the facet as the hit when the ray from o along unit d meets it no farther than the hit so far. All is loaded
// and computed before the one branch: waiting for memory three times in turn costs more than arithmetic done in vain.
fn meet_planes(
  slot: u32, plane: Slot, o: vec3f, d: vec3f, launched: bool, hit: ptr<function, Hit>
) {
  let from_corner = o - first_corner(plane);
  let cosine = dot(plane.normal, d);
  let inverse = 1.0 / cosine;
  let t = -dot(plane.normal, from_corner) * inverse;
  let p = fma(vec3f(t), d, from_corner);
  let u = dot(plane.gradient1, p);
  let v = dot(plane.gradient2, p);
  let growth = select(0.0, min(GROWTH * abs(inverse), MOST_GROWTH) * job.diagonal, launched);
  let inside = (u >= -growth * largest(plane.gradient1)) & (v >= -growth * largest(plane.gradient2))
    & (u + v <= 1.0 + growth * largest(plane.gradient1 + plane.gradient2));
  if ((abs(cosine) >= GRAZING_COSINE) & (t > 0.0) & (t <= (*hit).t) & inside) {
    if (t == (*hit).t && numbers_of(slot).x > numbers_of((*hit).slot).x) { return; }
    *hit = Hit(t, slot);
  }
}

fn meet(slot: u32, o: vec3f, d: vec3f, launched: bool, hit: ptr<function, Hit>) {
  meet_planes(slot, slot_at(slot), o, d, launched, hit);
}

// The facets of a leaf, first slot and after the last, but `skip`; a ray from the aperture has none to skip.
fn meet_leaf(leaf: vec2u, o: vec3f, d: vec3f, skip: u32, hit: ptr<function, Hit>) {
  for (var slot = leaf.x; slot < leaf.y; slot++) {
    if (slot != skip) { meet(slot, o, d, skip == NO_SLOT, hit); }
  }
}

fn away_from_zero(x: f32) -> f32 {
  return select(x, select(-1e-20, 1e-20, x >= 0.0), abs(x) < 1e-20);
}

fn inverse_direction(d: vec3f) -> vec3f {
  return vec3f(1.0) / vec3f(away_from_zero(d.x), away_from_zero(d.y), away_from_zero(d.z));
}
