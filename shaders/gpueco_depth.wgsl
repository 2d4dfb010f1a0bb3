// Visibility, part 1: the nearest height of every sample of the tile.

@group(0) @binding(5) var<storage, read_write> depth: array<atomic<u32>>;

@compute @workgroup_size(RASTER_LANES)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let entry = wg.x + count.x * wg.y;
  if (entry >= job.works) { return; }
  let t = triangle(work[entry], aspects[wg.z]);
  let end = samples(t);
  for (var i = lane; i < end; i += RASTER_LANES) {
    let at = sample(t, i);
    if (covers(t, at)) { atomicMax(&depth[pixel_index(wg.z, at)], depth_key(height(t, vec2f(at) + 0.5))); }
  }
}
