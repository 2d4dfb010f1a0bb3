// The kernel declares quad_records.

// Gordon's integral over the quadrilateral whose records start at `at`.
fn quad_shape(at: u32, k: f32) -> vec2f {
  let first = quad_records[at + 2u];
  let sum = gordon_term(first.xyz, k) + gordon_term(quad_records[at + 3u].xyz, k)
    + gordon_term(quad_records[at + 4u].xyz, k) + gordon_term(vec3f(quad_records[at].zw, first.w), k);
  return vec2f(sum.y, -sum.x) / k; // sum / (jk)
}
