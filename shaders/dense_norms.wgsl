// Sums of squares of the columns of a row-major buffer: a lane has a column.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> block: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> norms: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var total = 0.0;
  // Of 64 rows at a time: a single sum over all rows would lose the small ones.
  for (var first = 0u; first < job.order; first += 64u) {
    var some = 0.0;
    for (var row = first; row < first + 64u; row++) {
      let z = block[row * step_.width + id.x];
      some += dot(z, z);
    }
    total += some;
  }
  norms[id.x] = total;
}
