// Physical optics of a pixel's parallelogram (paper 001, equation 1; its contour sum is a product of two sincs).

fn pixel_field(pixel: u32) {
  let a = aspects[step_.aspect];
  let at = vec2u(pixel % job.size, pixel / job.size);
  if (!lit(at)) { return; }
  let s = surface(a, at);
  let cosine = dot(s.normal, a.r.xyz);
  let slope = -vec2f(dot(s.normal, a.u.xyz), dot(s.normal, a.v.xyz)) / cosine;
  let du = job.k.z * (a.u.xyz + slope.x * a.r.xyz);
  let dv = job.k.z * (a.v.xyz + slope.y * a.r.xyz);
  let k = job.k.x;
  let shape = sinc(0.5 * k * dot(a.w.xyz, du)) * sinc(0.5 * k * dot(a.w.xyz, dv)) * job.k.z * job.k.z / cosine;
  add_field(pixel, shape * facet_amplitudes(a, s.normal), phasor(path_turns(phase_path(a, s.point)), 0u));
}
