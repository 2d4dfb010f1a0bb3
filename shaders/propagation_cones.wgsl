// Widths of the cones of rays.

// Tangent of the cone's half angle: the widest angle to a neighbour in the face's lattice.
fn cone_tangent(place: Place, d: vec3f) -> f32 {
  let steps = array<vec2i, 6>(vec2i(1, 0), vec2i(0, 1), vec2i(-1, 1), vec2i(-1, 0), vec2i(0, -1), vec2i(1, -1));
  var widest = 0.0;
  for (var k = 0u; k < 6u; k++) {
    let q = vec2i(i32(place.i), i32(place.j)) + steps[k];
    if (q.x < 0 || q.y < 0 || q.x + q.y > i32(step_.n)) { continue; }
    widest = max(widest, length(cross(d, vertex_direction(Place(place.face, u32(q.x), u32(q.y))))));
  }
  return widest / sqrt(1.0 - widest * widest);
}

// Tangent of the widest circumradius of the triangles at a vertex in its face: the cone of a reception sphere.
fn sphere_tangent(place: Place) -> f32 {
  let steps = array<vec2i, 6>(vec2i(1, 0), vec2i(0, 1), vec2i(-1, 1), vec2i(-1, 0), vec2i(0, -1), vec2i(1, -1));
  let d = vertex_direction(place);
  var widest = 0.0;
  for (var k = 0u; k < 6u; k++) {
    let p = vec2i(i32(place.i), i32(place.j)) + steps[k];
    let q = vec2i(i32(place.i), i32(place.j)) + steps[(k + 1u) % 6u];
    if (any(min(p, q) < vec2i(0)) || max(p.x + p.y, q.x + q.y) > i32(step_.n)) { continue; }
    let a = vertex_direction(Place(place.face, u32(p.x), u32(p.y))) - d;
    let b = vertex_direction(Place(place.face, u32(q.x), u32(q.y))) - d;
    widest = max(widest, length(a) * length(b) * length(a - b) / (2.0 * length(cross(a, b))));
  }
  return widest / sqrt(1.0 - widest * widest);
}
