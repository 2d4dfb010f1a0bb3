// What sum_nodes.wgsl sums of targets with materials: complex amplitudes at the nodes of the band, each a component on its own. These are
// interpolated to the frequencies after summing, for they need not be smooth (kinks of tables). The host prepends MATERIAL_NODES.

@group(0) @binding(7) var<storage, read> amplitudes: array<vec4f>; // see material_amplitudes
@group(0) @binding(8) var<storage, read> node_weights: array<f32>; // by frequency and node

const COMPONENTS = MATERIAL_NODES;

fn component_weight(frequency: u32, component: u32) -> f32 {
  return node_weights[frequency * MATERIAL_NODES + component];
}

fn add_parallelogram(sum: ptr<function, Sum>, at: u32, component: u32, shape: f32, p: vec2f) {
  add(sum, at, component, shape * p);
}

fn add_quadrilateral(sum: ptr<function, Sum>, at: u32, component: u32, factor: vec2f) {
  add(sum, job.record_capacity + at, component, factor);
}

fn add(sum: ptr<function, Sum>, contribution: u32, component: u32, factor: vec2f) {
  let at = 2u * (contribution * MATERIAL_NODES + component);
  let re = amplitudes[at];
  let im = amplitudes[at + 1u];
  (*sum).re += re * factor.x - im * factor.y;
  (*sum).im += re * factor.y + im * factor.x;
}
