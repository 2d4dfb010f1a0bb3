// The slab method: the part of a ray, between two distances, inside a box, from the distances a and b at which it crosses the planes of
// the box across x, y and z, in either order. First and last distance; the ray misses the box where the first is the greater.

fn inside_box(a: vec3f, b: vec3f, from_: f32, to_: f32) -> vec2f {
  let near = min(a, b);
  let far = max(a, b);
  return vec2f(max(max(near.x, near.y), max(near.z, from_)), min(min(far.x, far.y), min(far.z, to_)));
}
