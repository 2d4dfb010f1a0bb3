// What a lane of frequency_lanes.wgsl sums: its share of a group's contributions at its frequency.
fn lane_sum(group: Group, share: u32, frequency: u32, k: f32) -> Sum {
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  for (var i = share; i < group.records; i += RECORD_LANES) {
    let own = records[group.record + i];
    let p = phasor(own.cycles.x + frequency * own.cycles.y) * (sinc(k * own.spans.x) * sinc(k * own.spans.y));
    re += own.amplitudes * p.x;
    im += own.amplitudes * p.y;
  }
  for (var i = share; i < group.quad_records; i += RECORD_LANES) {
    let at = group.quad_record + i;
    let cycles = quad_records[at].cycles;
    let amplitude = quad_records[at].amplitudes;
    let p = phasor(cycles.x + frequency * cycles.y);
    let shape = quad_shape(at, k);
    re += amplitude * (shape.x * p.x - shape.y * p.y);
    im += amplitude * (shape.x * p.y + shape.y * p.x);
  }
  return Sum(re, im);
}
