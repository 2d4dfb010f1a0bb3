// exp(-j phase) of a contribution.
fn phasor(turns: u32) -> vec2f {
  let t = cos_sin_turns(turns);
  return vec2f(t.x, -t.y);
}
