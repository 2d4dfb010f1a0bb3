// What sum_nodes.wgsl sums of targets with materials: complex amplitudes at the nodes of the band, each a component on its own. These are
// interpolated to the frequencies after summing, for they need not be smooth (kinks of tables).

@group(0) @binding(7) var<storage, read> amplitudes: array<vec4f>; // see material_amplitudes
@group(0) @binding(8) var<storage, read> node_weights: array<f32>; // by frequency and node

const CHUNK = 8u;

fn component_count() -> u32 {
  return job.material_nodes;
}

fn component_weight(frequency: u32, component: u32) -> f32 {
  return node_weights[frequency * job.material_nodes + component];
}

fn add_parallelogram(sums: ptr<function, array<Sum, CHUNK>>, at: u32, first: u32, shape: f32, p: vec2f) {
  add(sums, at, first, shape * p);
}

fn add_quadrilateral(sums: ptr<function, array<Sum, CHUNK>>, at: u32, first: u32, factor: vec2f) {
  add(sums, job.record_capacity + at, first, factor);
}

fn add(sums: ptr<function, array<Sum, CHUNK>>, contribution: u32, first: u32, factor: vec2f) {
  let begin = 2u * (contribution * job.material_nodes + first);
  for (var c = 0u; c < CHUNK; c++) {
    if (first + c < job.material_nodes) {
      let re = amplitudes[begin + 2u * c];
      let im = amplitudes[begin + 2u * c + 1u];
      (*sums)[c].re += re * factor.x - im * factor.y;
      (*sums)[c].im += re * factor.y + im * factor.x;
    }
  }
}
