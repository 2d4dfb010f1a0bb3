// Phases of path lengths as fixed-point turns: shared by whatever makes contributions.

// Fraction of a two-float number of turns, in units of 2^-32 turn.
fn fixed_turns(x: vec2f) -> u32 {
  let whole = x.x - round(x.x);
  return (bitcast<u32>(i32(whole * 2147483648.0)) << 1u) + bitcast<u32>(i32(round(x.y * 4294967296.0)));
}

fn difference(a: Vec3tf, b: Vec3tf) -> vec3f {
  return vec3f(tf_add(a.x, -b.x).x, tf_add(a.y, -b.y).x, tf_add(a.z, -b.z).x);
}

// Cycles at f0 and from frequency to frequency of a path length [2^-32].
fn record_cycles(path_length: vec2f) -> vec2u {
  return vec2u(
    fixed_turns(tf_mul(path_length, job.cycles_per_metre)), fixed_turns(tf_mul(path_length, job.cycles_per_metre_step)));
}
