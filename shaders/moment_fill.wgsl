// Matrix of the method of moments (full-wave/pair-integrals.ts) for functions apart: a lane has one entry, the sum over the two triangles of
// either function and all images of the second in planes of symmetry. With a = r - p_i, b = r' - p_j, R = r - r', G = exp(-jkR) / 4 pi R and
// grad G = h R, h = -(1 + jkR) G / R^2,
//   alpha jk [a.b - 4 / k^2] G - (1 - alpha) [(a.R) (n.b) - (a.b) (n.R)] h,
// summed by the rule of 3 points, nearer by those of 6 and 16. R comes from positions about the centres of the triangles, and from centres
// that are sums of two floats. Entries of functions too close for that are written afterwards (moment_near.wgsl).
// The host prepends the constants and structs of full-wave/gpu-backend.ts.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> triangles: array<Triangle>;
@group(0) @binding(3) var<storage, read> functions: array<FunctionParts>;
// Barycentric coordinates of the points and their weights: 6 points, then 16.
@group(0) @binding(4) var<storage, read> rules: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> block: array<vec2f>;

fn corner(t: Triangle, i: u32) -> vec3f {
  return select(select(t.corner2, t.corner1, i == 1u), t.corner0, i == 0u);
}

fn point_of(t: Triangle, b: vec4f) -> vec3f {
  return b.x * t.corner0 + b.y * t.corner1 + b.z * t.corner2;
}

// Of one pair of points, times 4 pi; the factors of the electric and the magnetic part; the normal is 0 on open surfaces.
fn term(factors: vec2f, n: vec3f, a: vec3f, b: vec3f, d: vec3f) -> vec2f {
  let r2 = dot(d, d);
  let inverse = inverseSqrt(r2);
  let phase = job.k * r2 * inverse;
  let e = cos_sin(phase);
  let g = vec2f(e.x, -e.y) * inverse;
  let ab = dot(a, b);
  let x = factors.x * (ab - job.charge);
  let y = factors.y * (dot(a, d) * dot(n, b) - ab * dot(n, d)) * inverse * inverse;
  // j g, and -(1 + j phase) g, taken off.
  return vec2f(-x * g.y, x * g.x) + y * vec2f(g.x - phase * g.y, g.y + phase * g.x);
}

// Of corner i of triangle t and corner j of triangle s.
fn pair(t: Triangle, i: u32, s: Triangle, j: u32) -> vec2f {
  let between = (t.centre - s.centre) + (t.centre_rest - s.centre_rest);
  let apart = length(between) / max(t.size, s.size);
  let p = corner(t, i);
  let q = corner(s, j);
  let n = t.normal;
  let factors = vec2f(job.k * select(1.0, ELECTRIC, dot(n, n) > 0.0), 1.0 - ELECTRIC);
  var sum = vec2f(0.0);
  if (apart >= f32(MIDDLE)) {
    // Halfway from the centre to the corners.
    let at0 = 0.5 * t.corner0;
    let at1 = 0.5 * t.corner1;
    let at2 = 0.5 * t.corner2;
    let d0 = between + at0;
    let d1 = between + at1;
    let d2 = between + at2;
    let a0 = at0 - p;
    let a1 = at1 - p;
    let a2 = at2 - p;
    for (var c = 0u; c < 3u; c++) {
      let source = 0.5 * corner(s, c);
      let b = source - q;
      sum += term(factors, n, a0, b, d0 - source);
      sum += term(factors, n, a1, b, d1 - source);
      sum += term(factors, n, a2, b, d2 - source);
    }
    return sum * (t.area * s.area * (0.079577472 / 9.0));
  }
  let first = select(0u, 6u, apart < f32(NEAR));
  let end = select(6u, 22u, apart < f32(NEAR));
  for (var o = first; o < end; o++) {
    let outer = rules[o];
    let at = point_of(t, outer);
    let d = between + at;
    var inner_sum = vec2f(0.0);
    for (var c = first; c < end; c++) {
      let inner = rules[c];
      let source = point_of(s, inner);
      inner_sum += inner.w * term(factors, n, at - p, source - q, d - source);
    }
    sum += outer.w * inner_sum;
  }
  return sum * (t.area * s.area * 0.079577472);
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
