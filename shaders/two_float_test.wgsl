// Exactness of the two-float module on this device: sums and products of random pairs with their error terms.

struct TestJob { zero: u32 }
@group(0) @binding(0) var<uniform> job: TestJob;
@group(0) @binding(1) var<storage, read> pairs: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> results: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&pairs)) { return; }
  let p = pairs[id.x];
  results[id.x] = vec4f(two_sum(p.x, p.y), two_prod(p.x, p.y));
}
