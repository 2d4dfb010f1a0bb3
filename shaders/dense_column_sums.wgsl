// Sums of absolute values of a block's columns, written from `column` on: a lane has a column.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> block: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= step_.width) { return; }
  var total = 0.0;
  for (var row = 0u; row < job.order; row++) { total += length(block[row * step_.width + id.x]); }
  sums[step_.column + id.x] = total;
}
