// As sum_frequencies, for a target with materials: amplitudes but for those of conductors are complex and stand at the nodes of the
// band, from where `node_weights` interpolate to each frequency.

@group(0) @binding(7) var<storage, read> amplitudes: array<vec4f>; // see material_amplitudes
@group(0) @binding(8) var<storage, read> node_weights: array<f32>; // by frequency and node

// Adds a contribution's amplitude at a frequency times a complex factor.
fn add(sum: ptr<function, Sum>, contribution: u32, metal: bool, real_amplitude: vec4f, frequency: u32, factor: vec2f) {
  if (metal || is_metal(contribution)) {
    (*sum).re += real_amplitude * factor.x;
    (*sum).im += real_amplitude * factor.y;
    return;
  }
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  for (var node = 0u; node < job.material_nodes; node++) {
    let weight = node_weights[frequency * job.material_nodes + node];
    let at = 2u * (contribution * job.material_nodes + node);
    re += weight * amplitudes[at];
    im += weight * amplitudes[at + 1u];
  }
  (*sum).re += re * factor.x - im * factor.y;
  (*sum).im += re * factor.y + im * factor.x;
}

fn lane_sum(group: Group, share: u32, frequency: u32, k: f32) -> Sum {
  var sum = Sum(vec4f(0.0), vec4f(0.0));
  let metal = is_metal_group(group);
  for (var i = share; i < group.records; i += RECORD_LANES) {
    let at = group.record + i;
    let cycles = records[at].cycles;
    let spans = records[at].spans;
    let p = phasor(cycles.x + frequency * cycles.y) * (sinc(k * spans.x) * sinc(k * spans.y));
    add(&sum, at, metal, records[at].amplitudes, frequency, p);
  }
  for (var i = share; i < group.quad_records; i += RECORD_LANES) {
    let at = group.quad_record + i;
    let cycles = quad_records[at].cycles;
    let p = phasor(cycles.x + frequency * cycles.y);
    let shape = quad_shape(at, k);
    let factor = vec2f(shape.x * p.x - shape.y * p.y, shape.x * p.y + shape.y * p.x);
    add(&sum, job.record_capacity + at, metal, quad_records[at].amplitudes, frequency, factor);
  }
  return sum;
}
