// Gordon's integral over a polygon, edge by edge (docs/theory.md, "Shape function").

// Part of the phase gradient w in the plane of unit normal n; where there is none, a tiny one along `side`, which gives the
// area. Taken out twice: a normal that rounding left too long or too short leaves a part of w along itself, and where the
// rest is that small it would pass for the gradient.
fn phase_gradient(w: vec3f, n: vec3f, side: vec3f) -> vec3f {
  let once = w - dot(w, n) * n;
  let wt = once - dot(once, n) * n;
  if (dot(wt, wt) < 1e-14) { return 1e-7 * normalize(side); }
  return wt;
}

// (x, phi, g / |w_t|^2) of the polygon edge from p to q, n its normal, wt the phase gradient in its plane.
fn gordon_edge(p: vec3f, q: vec3f, n: vec3f, wt: vec3f) -> vec3f {
  let a = q - p;
  return vec3f(0.5 * dot(wt, a), 0.5 * dot(wt, p + q), dot(wt, cross(a, n)) / dot(wt, wt));
}

// One edge's part of Gordon's integral, times jk: g [ s1 + (1 + s1)(-2 sin^2(k phi/2)) + j (1 + s1) sin(k phi) ].
fn gordon_term(edge: vec3f, k: f32) -> vec2f {
  let s1 = sinc_minus_one(k * edge.x);
  let half = cos_sin(0.5 * k * edge.y);
  return edge.z * vec2f(s1 - 2.0 * (1.0 + s1) * half.y * half.y, (1.0 + s1) * 2.0 * half.x * half.y);
}
