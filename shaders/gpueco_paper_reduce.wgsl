// Parallel reduction of the pixels' fields to the 8 numbers of the aspect (paper 001, section 3.3).

@group(0) @binding(2) var<storage, read> fields: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;

const PER_LANE = 16u;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  for (var i = 0u; i < PER_LANE; i++) {
    let pixel = (wg.x * PER_LANE + i) * 64u + lane;
    if (pixel < job.size * job.size) {
      re += fields[2u * pixel];
      im += fields[2u * pixel + 1u];
    }
  }
  add_to_totals(0u, lane, 0u, re, im);
}
