// Culling: the numbers of the pixels that hold something, so that the next pass runs on them alone (the paper's Z-cull).

@group(0) @binding(2) var<storage, read_write> list: array<u32>;
@group(0) @binding(3) var<storage, read_write> count: array<atomic<u32>>;

var<workgroup> found: atomic<u32>;
var<workgroup> first: u32;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let inside = all(id.xy < vec2u(job.size));
  var place = 0u;
  let wanted = inside && lit(min(id.xy, vec2u(job.size - 1u)));
  if (wanted) { place = atomicAdd(&found, 1u); }
  workgroupBarrier();
  if (lane == 0u) {
    let n = atomicLoad(&found);
    first = atomicAdd(&count[0], n);
    // Arguments of the next pass: workgroups of 64 along x and y.
    let groups = (first + n + 63u) / 64u;
    atomicMax(&count[1], min(groups, AXIS));
    atomicMax(&count[2], (groups + AXIS - 1u) / AXIS);
    atomicMax(&count[3], 1u);
  }
  workgroupBarrier();
  if (wanted) { list[first + place] = id.x + job.size * id.y; }
}
