// Matrix of the method of moments (full-wave/pair-integrals.ts) for functions apart: a lane has one entry, the sum over the two triangles of
// either function and all images of the second in planes of symmetry. With a = r - p_i, b = r' - p_j, R = r - r', G = exp(-jkR) / 4 pi R and
// grad G = h R, h = -(1 + jkR) G / R^2,
//   alpha jk [a.b - 4 / k^2] G - (1 - alpha) [(a.R) (n.b) - (a.b) (n.R)] h,
// summed by the rule of 3 points, nearer by those of 6 and 16. R comes from positions about the centres of the triangles, and from centres that are
// sums of two floats. Entries of functions too close for that are written afterwards (moment_near.wgsl).
// The host prepends the constants and structs of full-wave/gpu-layouts.ts.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> triangles: array<Triangle>;
@group(0) @binding(3) var<storage, read> functions: array<FunctionParts>;
@group(0) @binding(4) var<storage, read_write> block: array<vec2f>;

// Barycentric coordinates of the points and their weights (Dunavant, degrees 2, 4 and 8): 3 points, then 6, then 16.
const RULES = array<vec4f, 25>(
  vec4f(0.6666667, 0.16666667, 0.16666667, 0.33333334),
  vec4f(0.16666667, 0.6666667, 0.16666667, 0.33333334),
  vec4f(0.16666667, 0.16666667, 0.6666667, 0.33333334),
  vec4f(0.10810301817, 0.44594849092, 0.44594849092, 0.22338158968),
  vec4f(0.44594849092, 0.10810301817, 0.44594849092, 0.22338158968),
  vec4f(0.44594849092, 0.44594849092, 0.10810301817, 0.22338158968),
  vec4f(0.81684757298, 0.09157621351, 0.09157621351, 0.10995174366),
  vec4f(0.09157621351, 0.81684757298, 0.09157621351, 0.10995174366),
  vec4f(0.09157621351, 0.09157621351, 0.81684757298, 0.10995174366),
  vec4f(0.3333333333, 0.3333333333, 0.3333333333, 0.1443156077),
  vec4f(0.08141482341, 0.4592925883, 0.4592925883, 0.09509163427),
  vec4f(0.4592925883, 0.08141482341, 0.4592925883, 0.09509163427),
  vec4f(0.4592925883, 0.4592925883, 0.08141482341, 0.09509163427),
  vec4f(0.6588613845, 0.1705693078, 0.1705693078, 0.1032173705),
  vec4f(0.1705693078, 0.6588613845, 0.1705693078, 0.1032173705),
  vec4f(0.1705693078, 0.1705693078, 0.6588613845, 0.1032173705),
  vec4f(0.8989055434, 0.05054722832, 0.05054722832, 0.03245849762),
  vec4f(0.05054722832, 0.8989055434, 0.05054722832, 0.03245849762),
  vec4f(0.05054722832, 0.05054722832, 0.8989055434, 0.03245849762),
  vec4f(0.00839477741, 0.2631128296, 0.728492393, 0.02723031417),
  vec4f(0.00839477741, 0.728492393, 0.2631128296, 0.02723031417),
  vec4f(0.2631128296, 0.00839477741, 0.728492393, 0.02723031417),
  vec4f(0.2631128296, 0.728492393, 0.00839477741, 0.02723031417),
  vec4f(0.728492393, 0.00839477741, 0.2631128296, 0.02723031417),
  vec4f(0.728492393, 0.2631128296, 0.00839477741, 0.02723031417));

fn corner(t: Triangle, i: u32) -> vec3f {
  return select(select(t.corner2, t.corner1, i == 1u), t.corner0, i == 0u);
}

fn point_of(t: Triangle, b: vec4f) -> vec3f {
  return b.x * t.corner0 + b.y * t.corner1 + b.z * t.corner2;
}

// Of corner i of triangle t and corner j of triangle s.
fn pair(t: Triangle, i: u32, s: Triangle, j: u32) -> vec2f {
  let between = (t.centre - s.centre) + (t.centre_rest - s.centre_rest);
  let apart = length(between) / max(t.size, s.size);
  let first = select(select(0u, 3u, apart < f32(MIDDLE)), 9u, apart < f32(NEAR));
  let count = select(select(3u, 6u, apart < f32(MIDDLE)), 16u, apart < f32(NEAR));
  let p = corner(t, i);
  let q = corner(s, j);
  let n = t.normal;
  let is_closed = dot(n, n) > 0.0;
  let electric = job.k * select(1.0, ELECTRIC, is_closed);
  var sum = vec2f(0.0);
  for (var o = 0u; o < count; o++) {
    let outer = RULES[first + o];
    let at = point_of(t, outer);
    let a = at - p;
    let from_source = between + at;
    for (var c = 0u; c < count; c++) {
      let inner = RULES[first + c];
      let source = point_of(s, inner);
      let b = source - q;
      let d = from_source - source;
      let r2 = dot(d, d);
      let inverse = inverseSqrt(r2);
      let phase = job.k * r2 * inverse;
      let e = cos_sin(phase);
      let g = vec2f(e.x, -e.y) * (outer.w * inner.w * inverse * 0.079577472);
      let ab = dot(a, b);
      let x = electric * (ab - job.charge);
      sum += vec2f(-x * g.y, x * g.x);
      if (is_closed) {
        let y = (1.0 - ELECTRIC) * (dot(a, d) * dot(n, b) - ab * dot(n, d)) * inverse * inverse;
        // -(1 + j phase) g, taken off.
        sum += y * vec2f(g.x - phase * g.y, g.y + phase * g.x);
      }
    }
  }
  return sum * (t.area * s.area);
}

@compute @workgroup_size(64, 4)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = step_.row + id.y;
  let column = step_.first + id.x;
  if (id.x >= step_.width || row >= job.order) { return; }
  var value = vec2f(select(0.0, 1.0, row == column), 0.0);
  if (row < job.unknowns && column < job.unknowns) {
    value = vec2f(0.0);
    let f = functions[row];
    let g = functions[column];
    for (var a = 0u; a < 2u; a++) {
      let t = triangles[f.triangles[a]];
      for (var b = 0u; b < 2u; b++) {
        let factor = f.factors[a] * g.factors[b];
        if (factor == 0.0) { continue; }
        for (var image = 0u; image < job.images; image++) {
          let sign = select(1.0, -1.0, ((job.opposite >> image) & 1u) == 1u);
          value += (sign * factor) * pair(t, f.corners[a], triangles[g.triangles[b] + image * job.triangles], g.corners[b]);
        }
      }
    }
  }
  block[row * step_.width + id.x] = value;
}
