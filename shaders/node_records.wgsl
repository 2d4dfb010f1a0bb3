// What sum_nodes.wgsl sums of conductors: real amplitudes, the same at all frequencies.

const COMPONENTS = 1u;

fn component_weight(frequency: u32, component: u32) -> f32 {
  return 1.0;
}

fn add_parallelogram(sum: ptr<function, Sum>, at: u32, component: u32, shape: f32, p: vec2f) {
  let amplitude = records[at].amplitudes * shape;
  (*sum).re += amplitude * p.x;
  (*sum).im += amplitude * p.y;
}

fn add_quadrilateral(sum: ptr<function, Sum>, at: u32, component: u32, factor: vec2f) {
  let amplitude = quad_records[at].amplitudes;
  (*sum).re += amplitude * factor.x;
  (*sum).im += amplitude * factor.y;
}
