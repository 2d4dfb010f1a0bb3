// Exchanges rows of a block, in order: `row` + j with `exchanges[row + j]`, for j < `depth`. A lane has a column.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> exchanges: array<u32>;
@group(0) @binding(3) var<storage, read_write> block: array<vec2f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= step_.width) { return; }
  for (var row = step_.row; row < step_.row + step_.depth; row++) {
    let other = exchanges[row];
    if (other == row) { continue; }
    let kept = block[row * step_.width + id.x];
    block[row * step_.width + id.x] = block[other * step_.width + id.x];
    block[other * step_.width + id.x] = kept;
  }
}
