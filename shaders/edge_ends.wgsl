// Edge diffraction on the GPU, part 1: amplitudes of the strips' ends at the Chebyshev nodes of the band, one invocation a
// slot and node. EndPart of cpu-diffraction in single precision; the factors were made in double.

// Per slot and node: real, then imaginary parts of VV HH VH HV [m].
@group(0) @binding(3) var<storage, read_write> amplitudes: array<vec4f>;

// Modified trapezoidal rule (Alazah, Chandler-Wilde and La Porte, Numer. Math. 128, 2014) with 6 points, step
// sqrt(pi / 6.5): error 1e-8. Squares of the nodes, and exp(-node^2).
const POINTS = 6u;
const NODE = array<f32, 6>(0.12083049, 1.0874744, 3.0207622, 5.9206938, 9.7872696, 14.620489);
const WEIGHT = array<f32, 6>(0.88618417, 0.33706672, 0.048764038, 0.0026833377, 5.6162043e-5, 4.4709762e-7);
// sqrt(2) / (pi / step) and sqrt(2) pi / step
const FACTOR = 0.31295607;
const POLE = 6.3906732;
// exp(-40) is far below the last digit; exp(z) stays finite.
const POLE_LIMIT = 40.0;

// W(x) = e^{jx^2} erfc(e^{j pi/4} x), x >= 0.
fn fresnel_w(x: f32) -> vec2f {
  let x2 = x * x;
  let x4 = x2 * x2;
  var sum = 0.0;
  var sum_t = 0.0;
  for (var i = 0u; i < POINTS; i++) {
    let d = WEIGHT[i] / (x4 + NODE[i] * NODE[i]);
    sum += d;
    sum_t += d * NODE[i];
  }
  var w = FACTOR * x * vec2f(x2 * sum + sum_t, sum_t - x2 * sum);
  let z = POLE * x;
  if (z < POLE_LIMIT) {
    // The poles of the integrand: 2 e^{jx^2} / (e^{z(1+j)} + 1).
    let e = exp(z) * cos_sin(z) + vec2f(1.0, 0.0);
    let c = cos_sin(x2);
    w += 2.0 / dot(e, e) * vec2f(c.x * e.x + c.y * e.y, c.y * e.x - c.x * e.y);
  }
  return w;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let node = id.x % job.nodes;
  let slot = id.x / job.nodes;
  if (slot >= job.slots) { return; }
  let phase = records[job.slot_at + 2u * slot];
  if (phase.z == NO_FACE) {
    let table = job.table_at + phase.w + 2u * node;
    amplitudes[2u * id.x] = floats(table);
    amplitudes[2u * id.x + 1u] = floats(table + 1u);
    return;
  }
  let strip = floats(job.slot_at + 2u * slot + 1u);
  let at = job.face_at + 8u * phase.z;
  let head = floats(at);
  let counts = records[at + 1u];
  let f_s = floats(at + 2u);
  let f_t = floats(at + 3u);
  let f_r = floats(at + 4u);
  let k = spectrum(node);
  let l = k * strip.z;
  let r = sqrt(2.0 * l);
  let wa = fresnel_w(r * head.y);
  let wc = fresnel_w(r * head.x);
  // The ends of the moments S = j (..), so that its pair is turned below, T and R.
  var s = f_s.x * wa + f_s.y * wc;
  var t = f_t.x * wa + f_t.y * wc;
  var m = f_r.x * wa + f_r.y * wc;
  if (counts.x > 0u) {
    let w1 = fresnel_w(r);
    s += f_s.z * w1;
    t += f_t.z * w1;
    m += f_r.z * w1;
    if (counts.y > 0u) {
      let w2 = fresnel_w(r * head.z);
      s += f_s.w * w2;
      t += f_t.w * w2;
      m += f_r.w * w2;
    }
  }
  s = vec2f(-s.y, s.x);
  let first = job.term_at + 2u * bitcast<u32>(head.w);
  for (var i = 0u; i < counts.x; i++) {
    let a = floats(first + 2u * i);
    let b = floats(first + 2u * i + 1u);
    let e = exp(-2.0 * l * a.x);
    s += e * a.yz;
    t += e * vec2f(a.w, b.x);
    m += e * b.yz;
  }
  let g = strip.y * sinc(k * strip.x);
  let coef_s = floats(at + 5u);
  let coef_t = floats(at + 6u);
  let coef_r = floats(at + 7u);
  amplitudes[2u * id.x] = g * (coef_s * s.y + coef_t * t.x + coef_r * m.x);
  amplitudes[2u * id.x + 1u] = g * (coef_t * t.y - coef_s * s.x + coef_r * m.y);
}
