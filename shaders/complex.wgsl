// Complex numbers (re, im), for formulas written as their source has them.

fn complex_multiply(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn complex_divide(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y) / dot(b, b);
}

// The root with positive real part; -j sqrt|z| for negative reals.
fn complex_sqrt(z: vec2f) -> vec2f {
  let modulus = length(z);
  let re = sqrt(0.5 * (modulus + z.x));
  return vec2f(re, select(-sqrt(modulus), z.y / (2.0 * re), re > 0.0));
}
