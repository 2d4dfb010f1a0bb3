// Equivalent edge currents of a pixel's piece of an edge (paper 001, equation 2), times 4 pi/(jk) as everything in the sums.

@group(0) @binding(5) var<storage, read> edges: array<Edge>;

fn pixel_field(pixel: u32) {
  let at = vec2u(pixel % job.size, pixel / job.size);
  if (!lit(at)) { return; }
  let a = aspects[step_.aspect];
  let texel = textureLoad(wedges, at, 0);
  let e = edges[u32(texel.w) - 1u];
  let t = e.tangent;
  // Lines are drawn as rectangles one pixel wide, which hold as many centres as they are pixels long.
  let reach = length(vec2f(dot(t, a.u), dot(t, a.v)));
  let piece = min(job.pixel / max(reach, 1e-6), e.samples * e.spacing);
  let v = face_amplitudes(a, e.faces[0], e.wedge)
    + face_amplitudes(a, e.faces[1], e.wedge);
  let p = phasor(path_turns(phase_path(a, texel.xyz)), 0u);
  add_field(pixel, v * (piece * sinc(0.5 * job.wavenumber * dot(a.w, t) * piece) * 12.566371 / job.wavenumber), vec2f(p.y, -p.x));
}
