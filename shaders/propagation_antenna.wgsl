// Antennas: the vector g (real and imaginary part) towards a unit direction, |g|^2 = gain. From `tables` on `excitations` hold the rows
// of the transmitter's, then the receiver's. A table, from its `table` on: g_theta re, im, g_phi re, im.

struct Vec3c {
  re: vec3f,
  im: vec3f,
}

const HALF_PI = 1.5707964;
const DIPOLE = 1.28098492; // sqrt of the directivity 1.6409

// atan of 0 <= x <= 1 by the polynomial of Cephes' atanf (S. L. Moshier): WGSL's own may be off by 4096 units in the last place.
fn atan_unit(x: f32) -> f32 {
  let large = x > 0.41421357;
  let y = select(x, (x - 1.0) / (x + 1.0), large);
  let z = y * y;
  let p = (((0.0805374450 * z - 0.138776856) * z + 0.199777106) * z - 0.333329492) * z * y + y;
  return select(p, p + 0.5 * HALF_PI, large);
}

fn angle_of(y: f32, x: f32) -> f32 {
  let a = abs(x);
  let b = abs(y);
  let first = select(HALF_PI - atan_unit(a / max(b, 1e-30)), atan_unit(b / max(a, 1e-30)), b <= a);
  let half_turn = select(first, 2.0 * HALF_PI - first, x < 0.0);
  return select(half_turn, -half_turn, y < 0.0);
}

fn table_value(start: u32, thetas: u32, phis: u32, theta: f32, phi: f32) -> vec4f {
  let t = theta / (2.0 * HALF_PI) * f32(thetas - 1u);
  let turn = phi / (4.0 * HALF_PI);
  let p = (turn - floor(turn)) * f32(phis - 1u);
  let i = u32(clamp(floor(t), 0.0, f32(thetas) - 2.0));
  let j = u32(clamp(floor(p), 0.0, f32(phis) - 2.0));
  let a = t - f32(i);
  let b = p - f32(j);
  let at = start + i * phis + j;
  return mix(
    mix(excitations[at], excitations[at + 1u], b),
    mix(excitations[at + phis], excitations[at + phis + 1u], b), a);
}

fn antenna_vector(number: u32, vertical: bool, r: vec3f) -> Vec3c {
  let at = job.tables + ANTENNA_ROWS * number;
  let antenna = antenna_of_rows(excitations[at], excitations[at + 1u], excitations[at + 2u]);
  let axis = antenna.axis;
  let kind = u32(antenna.kind);
  let side = antenna.side;
  let across = cross(axis, r);
  let s = length(across);
  let c = clamp(dot(axis, r), -1.0, 1.0);
  let phi_hat = select(cross(axis, side), across / max(s, 1e-30), s > 1e-6);
  let theta_hat = cross(phi_hat, r);
  if (kind == 3u) {
    let g = table_value(
      u32(antenna.table), u32(antenna.thetas), u32(antenna.phis), angle_of(s, c), angle_of(dot(cross(axis, side), r), dot(side, r)));
    return Vec3c(g.x * theta_hat + g.z * phi_hat, g.y * theta_hat + g.w * phi_hat);
  }
  var gain = 1.0;
  if (kind == 1u) { gain = select(0.0, DIPOLE * cos_sin(HALF_PI * c).x / max(s, 1e-30), s > 1e-4); }
  if (kind == 2u) { gain = 1.2247449 * s; }
  return Vec3c(gain * select(phi_hat, theta_hat, vertical), vec3f(0.0));
}
