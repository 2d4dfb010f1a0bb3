// Phases of path lengths as fixed-point cycles.

// Fraction of a two-float number of cycles, in units of 2^-32 cycle.
fn fixed_cycles(x: vec2f) -> u32 {
  let whole = x.x - round(x.x);
  return (bitcast<u32>(i32(whole * 2147483648.0)) << 1u) + bitcast<u32>(i32(round(x.y * 4294967296.0)));
}

// Cycles at f0 and from frequency to frequency of a path length [2^-32].
fn path_cycles(path_length: vec2f) -> vec2u {
  return vec2u(
    fixed_cycles(tf_mul(path_length, job.cycles_per_metre)), fixed_cycles(tf_mul(path_length, job.cycles_per_metre_step)));
}
