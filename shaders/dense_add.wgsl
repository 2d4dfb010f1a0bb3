// Adds one row-major buffer to another: a workgroup has 64 x 64 entries.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read_write> sum: array<vec2f>;
@group(0) @binding(3) var<storage, read> summand: array<vec2f>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  for (var row = 64u * group.y; row < 64u * group.y + 64u; row++) {
    let at = row * step_.width + 64u * group.x + lane;
    sum[at] += summand[at];
  }
}
