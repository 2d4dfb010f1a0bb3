// exp(-j phase) of a contribution.
fn phasor(cycles: u32) -> vec2f {
  let t = cos_sin_cycles(cycles);
  return vec2f(t.x, -t.y);
}
