// Phases and slopes in single precision: (cos, sin) of fixed-point cycles and of radians, and sin(x)/x.

// (cos, sin) of `quadrant` quarter cycles and x cycles more, |x| <= 1/8. 2 pi enters as a sum of two floats, since its
// rounding alone would turn every phase the same way and survive any averaging.
fn cos_sin_octant(quadrant: u32, x: f32) -> vec2f {
  let z = x * x;
  let s = x * 6.2831855 + x * (-1.7484556e-7 + z * (-41.341702 + z * (81.605249 + z * (-76.705860 + z * 42.058694))));
  let c = 1.0 + z * (-19.739209 + z * (64.939394 + z * (-85.456817 + z * (60.244641 + z * -26.426257))));
  switch quadrant & 3u {
    case 0u: { return vec2f(c, s); }
    case 1u: { return vec2f(-s, c); }
    case 2u: { return vec2f(-c, -s); }
    default: { return vec2f(s, -c); }
  }
}

// (cos, sin) of a number of cycles given in units of 2^-32.
fn cos_sin_cycles(cycles: u32) -> vec2f {
  let quadrant = (cycles + 0x20000000u) >> 30u;
  return cos_sin_octant(quadrant, f32(bitcast<i32>(cycles - (quadrant << 30u))) * 2.3283064365386963e-10);
}

// (cos, sin) of radians of moderate size, as exact near 0 as x itself.
fn cos_sin(x: f32) -> vec2f {
  let cycles = x * 0.15915494;
  let rest = cycles - round(cycles);
  let quadrant = round(4.0 * rest);
  return cos_sin_octant(bitcast<u32>(i32(quadrant)), rest - 0.25 * quadrant);
}

// sin(x)/x - 1 without cancellation near 0.
fn sinc_minus_one(x: f32) -> f32 {
  let y = x * x;
  if (y > 1.0) { return cos_sin(x).y / x - 1.0; }
  return -y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0)));
}

fn sinc(x: f32) -> f32 {
  return 1.0 + sinc_minus_one(x);
}
