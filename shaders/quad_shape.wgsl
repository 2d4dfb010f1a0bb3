// The kernel declares quad_records.

// Gordon's integral over the quadrilateral of a contribution.
fn quad_shape(at: u32, k: f32) -> vec2f {
  let g = quad_records[at].weights;
  let sum = gordon_term(vec3f(quad_records[at].edges[0], g.x), k) + gordon_term(vec3f(quad_records[at].edges[1], g.y), k)
    + gordon_term(vec3f(quad_records[at].edges[2], g.z), k) + gordon_term(vec3f(quad_records[at].edges[3], g.w), k);
  return vec2f(sum.y, -sum.x) / k; // sum / (jk)
}
