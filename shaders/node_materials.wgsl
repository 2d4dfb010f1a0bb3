// What sum_nodes.wgsl sums of targets with materials: the real amplitudes of conductors, component 0, then complex ones at the nodes of
// the band, each a component on its own. These are interpolated to the frequencies after summing, for they need not be smooth (kinks
// of tables).

@group(0) @binding(7) var<storage, read> amplitudes: array<vec4f>; // see material_amplitudes
@group(0) @binding(8) var<storage, read> node_weights: array<f32>; // by frequency and node

const CHUNK = 8u;

fn component_count(group: Group) -> u32 {
  return select(1u + job.material_nodes, 1u, is_metal_group(group));
}

fn component_weight(frequency: u32, component: u32) -> f32 {
  if (component == 0u) { return 1.0; }
  return node_weights[frequency * job.material_nodes + component - 1u];
}

fn add_parallelogram(sums: ptr<function, array<Sum, CHUNK>>, at: u32, first: u32, components: u32, shape: f32, p: vec2f) {
  if (components == 1u || is_metal(at)) {
    if (first == 0u) { add_real(sums, records[at].amplitudes * shape, p); }
  } else {
    add(sums, at, first, shape * p);
  }
}

fn add_quadrilateral(sums: ptr<function, array<Sum, CHUNK>>, at: u32, first: u32, components: u32, factor: vec2f) {
  if (components == 1u || is_metal(job.record_capacity + at)) {
    if (first == 0u) { add_real(sums, quad_records[at].amplitudes, factor); }
  } else {
    add(sums, job.record_capacity + at, first, factor);
  }
}

fn add_real(sums: ptr<function, array<Sum, CHUNK>>, amplitude: vec4f, factor: vec2f) {
  (*sums)[0].re += amplitude * factor.x;
  (*sums)[0].im += amplitude * factor.y;
}

fn add(sums: ptr<function, array<Sum, CHUNK>>, contribution: u32, first: u32, factor: vec2f) {
  let begin = 2u * contribution * job.material_nodes;
  for (var c = 0u; c < CHUNK; c++) {
    let component = first + c;
    if (component > 0u && component <= job.material_nodes) {
      let re = amplitudes[begin + 2u * component - 2u];
      let im = amplitudes[begin + 2u * component - 1u];
      (*sums)[c].re += re * factor.x - im * factor.y;
      (*sums)[c].im += re * factor.y + im * factor.x;
    }
  }
}
