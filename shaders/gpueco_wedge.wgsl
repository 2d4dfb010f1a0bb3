// Michaeli's fringe currents of an edge, untruncated and without singularities but for an observer along a face
// (docs/edge-diffraction.md, "Untruncated current"; paper 001, equation 2). Everything is real and free of the wavenumber.

// Nearer to a line of sight along the edge or along a face currents are not defined.
const END_ON = 1e-4;
const LEAST_C = 1e-6;

// Angle of (x, y), -pi to pi: the built-in's, which may be off by 1e-4, set right by a step of Newton's method.
fn angle_of(y: f32, x: f32) -> f32 {
  let rough = atan2(y, x);
  let t = cos_sin(rough);
  return rough + (y * t.x - x * t.y) / (x * t.x + y * t.y);
}

fn cotangent(x: f32) -> f32 {
  let t = cos_sin(x);
  return t.x / t.y;
}

// cot(x/N)/N - cot(x/2)/2, analytic at 0.
fn chi(x: f32, N: f32) -> f32 {
  if (abs(x) >= 0.35) { return cotangent(x / N) / N - 0.5 * cotangent(0.5 * x); }
  let y = x * x;
  let i = 1.0 / (N * N);
  let a = 4.0 * i;
  return -x * ((a - 1.0) / 12.0 + y * ((a * a - 1.0) / 720.0 + y * ((a * a * a - 1.0) / 30240.0
    + y * ((a * a * a * a - 1.0) / 1209600.0 + y * (a * a * a * a * a - 1.0) / 47900160.0))));
}

// Differences dS/j and dT between a wedge's strip and a half-plane's.
fn delta_untruncated(N: f32, phi0: f32, c: f32) -> vec2f {
  let inside = c <= 1.0;
  // w = 2 acos c, or 2j times acosh c
  let w0 = select(2.0 * log(c + sqrt(max(c * c - 1.0, 0.0))), 2.0 * angle_of(sqrt(max(1.0 - c * c, 0.0)), c), inside);
  let w2 = select(-w0 * w0, w0 * w0, inside);
  let f2 = phi0 * phi0;
  if (f2 < 0.25 && abs(w2) < 0.25) {
    let s2 = (w2 - f2) / 4.0;
    let g = w2 - 2.0 * s2;
    let h = s2 * s2;
    var e = vec2f(1.0, w2 - 3.0 * s2);
    var t = vec2f(1.0, w2 - s2);
    var sum = vec2f(0.0);
    var a = 1.0;
    let bernoulli = array<f32, 5>(1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1209600.0, 1.0 / 47900160.0);
    for (var i = 0u; i < 5u; i++) {
      a *= 4.0 / (N * N);
      let d = -bernoulli[i] * (a - 1.0);
      sum += d * vec2f(e.x, t.x);
      e = vec2f(e.y, g * e.y - h * e.x);
      t = vec2f(t.y, g * t.y - h * t.x);
    }
    let by_sine = 1.0 / (1.0 - (w2 / 6.0) * (1.0 - (w2 / 20.0) * (1.0 - (w2 / 42.0) * (1.0 - w2 / 72.0))));
    return vec2f(0.5 * by_sine * sum.x, -0.5 * phi0 * sum.y);
  }
  if (inside) {
    let p = chi(0.5 * (w0 + phi0), N);
    let q = chi(0.5 * (w0 - phi0), N);
    var dS = 0.25 * (q + p) / (c * sqrt(max(1.0 - c * c, 1e-30)));
    if (w0 < 0.02) {
      // (q + p)/sin(w/2) as the derivative 2 chi'(phi0/2): the difference loses its digits.
      let sn = cos_sin(0.5 * phi0 / N).y * N;
      let s1 = 2.0 * cos_sin(0.25 * phi0).y;
      dS = 0.5 * (1.0 / (s1 * s1) - 1.0 / (sn * sn)) / c;
    }
    return vec2f(dS, 0.5 * (q - p));
  }
  let w = max(w0, 0.003);
  let kN = 1.0 / (N * (cos_sin(phi0 / N).x - cosh(w / N)));
  let k2 = 1.0 / (2.0 * (cos_sin(0.5 * phi0).x - cosh(0.5 * w)));
  return vec2f(
    (sinh(w / N) * kN - sinh(0.5 * w) * k2) / sinh(w),
    cos_sin(phi0 / N).y * kN - cos_sin(0.5 * phi0).y * k2);
}

// A_ch of one face (VV HH VH HV): what a length of the edge adds to the amplitude F, per metre.
fn face_amplitudes(a: Aspect, face: EdgeFace, N: f32) -> vec4f {
  let x = face.into;
  let y = face.out;
  let z = face.along;
  let ix = dot(a.r, x);
  let iy = dot(a.r, y);
  let cos_beta = -dot(a.r, z);
  let sin_beta = length(vec2f(ix, iy));
  if (sin_beta < END_ON) { return vec4f(0.0); }
  let full = N * 3.14159265;
  var phi0 = angle_of(iy, ix);
  if (phi0 < 0.0) { phi0 += 6.2831853; }
  // Rounding at grazing may put the transmitter a little inside the wedge.
  if (phi0 > full) { phi0 = select(0.0, full, phi0 - full < 6.2831853 - phi0); }
  let along = sin_beta * x + cos_beta * z;
  let c = max(length(a.s - along) / (2.0 * sin_beta), LEAST_C);
  let half_cos = abs(cos_sin(0.5 * phi0).x);
  let half_sin = cos_sin(0.5 * phi0).y;
  let lit = iy > GRAZING;
  var delta = vec2f(0.0);
  if (N < 2.0 - 1e-6) { delta = delta_untruncated(N, phi0, c); }
  let S = select(-0.25, 0.25, lit) / (c * (c + half_cos)) + delta.x;
  let T = -0.5 * half_sin / (c + half_cos) + delta.y;
  let R = select(0.0, 1.0, lit) - 1.0 / N + (1.0 - 2.0 * c * c) * S;
  let v = strengths(a, a.tx_v, x, z, sin_beta, cos_beta, vec3f(S, T, R));
  let h = strengths(a, a.tx_h, x, z, sin_beta, cos_beta, vec3f(S, T, R));
  return vec4f(v.x, h.y, v.y, h.x);
}

// (towards V, towards H) for one transmit polarisation e; ki x e has the component `hz` along the edge.
fn strengths(a: Aspect, e: vec3f, x: vec3f, z: vec3f, sin_beta: f32, cos_beta: f32, moments: vec3f) -> vec2f {
  let ez = dot(e, z);
  let hz = dot(cross(e, a.r), z);
  let across = hz * moments.x;
  let along = (ez * moments.y + cos_beta * hz * moments.z) / sin_beta;
  let f = 1.0 / (6.2831853 * sin_beta);
  return f * vec2f(
    across * dot(a.rx_v, x) + along * dot(a.rx_v, z),
    across * dot(a.rx_h, x) + along * dot(a.rx_h, z));
}
