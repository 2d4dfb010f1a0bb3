// What a bounce radiates, and phases as fixed-point turns: shared by whatever makes contributions.

// Fraction of a two-float number of turns, in units of 2^-32 turn.
fn fixed_turns(x: vec2f) -> u32 {
  let whole = x.x - round(x.x);
  return (bitcast<u32>(i32(whole * 2147483648.0)) << 1u) + bitcast<u32>(i32(round(x.y * 4294967296.0)));
}

// e_rx . V of VV HH VH HV for incident direction d and fields ev, eh (of the two transmit polarisations).
fn amplitudes(d: vec3f, n: vec3f, ev: vec3f, eh: vec3f) -> vec4f {
  let v = radiate(d, n, ev);
  let h = radiate(d, n, eh);
  return vec4f(v.x, h.y, v.y, h.x);
}

// (towards V, towards H): physical optics 2 n x H, or E and H of the reflected field.
fn radiate(d: vec3f, n: vec3f, e: vec3f) -> vec2f {
  let nd = dot(n, d);
  let ne = dot(n, e);
  var j = 2.0 * (ne * d - nd * e);
  var m = vec3f(0.0);
  if (job.exit_form == 1u) {
    let er = 2.0 * ne * n - e;
    j = ne * (d - 2.0 * nd * n) + nd * er;
    m = cross(er, n);
  }
  // e . [s x (s x J) + s x M] = -e . J - (s x e) . M, with s x theta-hat = phi-hat, s x phi-hat = -theta-hat
  return vec2f(-dot(job.rx_v.xyz, j) - dot(job.rx_h.xyz, m), -dot(job.rx_h.xyz, j) + dot(job.rx_v.xyz, m));
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
