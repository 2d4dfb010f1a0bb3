// Physical optics of a pixel's parallelogram (paper 001, equation 1; its contour sum is a product of two sincs).

fn pixel_field(pixel: u32) {
  let a = aspects[step_.aspect];
  let at = vec2u(pixel % job.size, pixel / job.size);
  if (!lit(at)) { return; }
  let s = surface(a, at);
  let cosine = dot(s.normal, a.r);
  let slope = -vec2f(dot(s.normal, a.u), dot(s.normal, a.v)) / cosine;
  let du = job.pixel * (a.u + slope.x * a.r);
  let dv = job.pixel * (a.v + slope.y * a.r);
  let k = job.wavenumber;
  let shape = sinc(0.5 * k * dot(a.w, du)) * sinc(0.5 * k * dot(a.w, dv)) * job.pixel * job.pixel / cosine;
  add_field(pixel, shape * facet_amplitudes(a, s.normal), phasor(path_turns(phase_path(a, s.point)), 0u));
}
