// Copies columns of a row-major block into `left`, column by column: tiles of 32 x 32 entries.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> block: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> left: array<vec2f>;

var<workgroup> tile: array<vec2f, TRANSPOSE>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = step_.row + 32u * group.y;
  let column = 32u * group.x;
  let x = lane & 31u;
  for (var y = lane >> 5u; y < 32u; y += 8u) {
    tile[33u * y + x] = block[(row + y) * step_.width + step_.column + column + x];
  }
  workgroupBarrier();
  for (var y = lane >> 5u; y < 32u; y += 8u) {
    left[(step_.panel + column + y) * job.order + row + x] = tile[33u * x + y];
  }
}
