// Gordon's integral over a polygon, edge by edge (docs/theory.md, "Shape function", equation (12)).

// w_t: part of the scattering vector w in the plane of unit normal n; where there is none, a tiny one along `side`, which gives the
// area. Taken out twice: a normal that rounding left too long or too short leaves a part of w along itself, and where the
// rest is that small it would pass for w_t.
fn tangential_part(w: vec3f, n: vec3f, side: vec3f) -> vec3f {
  let once = w - dot(w, n) * n;
  let wt = once - dot(once, n) * n;
  if (dot(wt, wt) < 1e-14) { return 1e-7 * normalize(side); }
  return wt;
}

// (x / k, phi / k, g / |w_t|^2) of the edge from one vertex to the next, n the polygon's normal N.
fn gordon_edge(vertex: vec3f, next: vec3f, n: vec3f, wt: vec3f) -> vec3f {
  let edge = next - vertex;
  return vec3f(0.5 * dot(wt, edge), 0.5 * dot(wt, vertex + next), dot(wt, cross(edge, n)) / dot(wt, wt));
}

// One edge's part of the sum, times jk: g [ y + (1 + y)(-2 sin^2(phi/2)) + j (1 + y) sin phi ], y = sinc x - 1.
fn gordon_term(edge: vec3f, k: f32) -> vec2f {
  let y = sinc_minus_one(k * edge.x);
  let half = cos_sin(0.5 * k * edge.y);
  return edge.z * vec2f(y - 2.0 * (1.0 + y) * half.y * half.y, (1.0 + y) * 2.0 * half.x * half.y);
}
