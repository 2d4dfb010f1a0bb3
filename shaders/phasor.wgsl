// What a contribution's records give at wavenumber k, without its phase. The kernel declares records and quad_records.

// One edge's part of Gordon's integral, times jk: g [ s1 + (1 + s1)(-2 sin^2(k phi/2)) + j (1 + s1) sin(k phi) ].
fn gordon_term(edge: vec3f, k: f32) -> vec2f {
  let s1 = sinc_minus_one(k * edge.x);
  let half = cos_sin(0.5 * k * edge.y);
  return edge.z * vec2f(s1 - 2.0 * (1.0 + s1) * half.y * half.y, (1.0 + s1) * 2.0 * half.x * half.y);
}

fn phasor(turns: u32) -> vec2f {
  let t = cos_sin_turns(turns);
  return vec2f(t.x, -t.y);
}

// Gordon's integral over the quadrilateral whose records start at `at`.
fn quad_shape(at: u32, k: f32) -> vec2f {
  let first = quad_records[at + 2u];
  let sum = gordon_term(first.xyz, k) + gordon_term(quad_records[at + 3u].xyz, k)
    + gordon_term(quad_records[at + 4u].xyz, k) + gordon_term(vec3f(quad_records[at].zw, first.w), k);
  return vec2f(sum.y, -sum.x) / k; // sum / (jk)
}
