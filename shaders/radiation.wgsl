// Phases of path lengths as fixed-point turns: shared by whatever makes contributions.

// Fraction of a two-float number of turns, in units of 2^-32 turn.
fn fixed_turns(x: vec2f) -> u32 {
  let whole = x.x - round(x.x);
  return (bitcast<u32>(i32(whole * 2147483648.0)) << 1u) + bitcast<u32>(i32(round(x.y * 4294967296.0)));
}

fn difference(a: Vec3tf, b: Vec3tf) -> vec3f {
  return vec3f(tf_add(a.x, -b.x).x, tf_add(a.y, -b.y).x, tf_add(a.z, -b.z).x);
}

// Turns at f0 and turns per step of a path length, as the bits of two floats.
fn record_turns(path_length: vec2f) -> vec2f {
  return vec2f(
    bitcast<f32>(fixed_turns(tf_mul(path_length, job.cycles_per_metre))),
    bitcast<f32>(fixed_turns(tf_mul(path_length, job.cycles_per_metre_step))));
}
