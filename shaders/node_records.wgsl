// What sum_nodes.wgsl sums of conductors: real amplitudes, the same at all frequencies.

const CHUNK = 1u;

fn component_count(group: Group) -> u32 {
  return 1u;
}

fn component_weight(frequency: u32, component: u32) -> f32 {
  return 1.0;
}

fn add_parallelogram(sums: ptr<function, array<Sum, CHUNK>>, at: u32, first: u32, components: u32, shape: f32, p: vec2f) {
  let amplitude = records[at].amplitudes * shape;
  (*sums)[0].re += amplitude * p.x;
  (*sums)[0].im += amplitude * p.y;
}

fn add_quadrilateral(sums: ptr<function, array<Sum, CHUNK>>, at: u32, first: u32, components: u32, factor: vec2f) {
  let amplitude = quad_records[at].amplitudes;
  (*sums)[0].re += amplitude * factor.x;
  (*sums)[0].im += amplitude * factor.y;
}
