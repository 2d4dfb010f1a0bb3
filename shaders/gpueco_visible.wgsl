// Visibility, part 2: how many samples each facet has, and how many of them nothing nearer hides. A facet that lies
// between the samples is looked at in four points.

@group(0) @binding(5) var<storage, read> depth: array<u32>;
@group(0) @binding(6) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> found: array<atomic<u32>, COUNT_WORDS>;

@compute @workgroup_size(RASTER_LANES)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let entry = wg.x + count.x * wg.y;
  if (entry >= job.works) { return; }
  let a = aspects[wg.z];
  let t = triangle(work[entry], a);
  let end = samples(t);
  if (end == 0u) { return; }
  var covered = 0u;
  var seen = 0u;
  for (var i = lane; i < end; i += RASTER_LANES) {
    let at = sample(t, i);
    if (!covers(t, at)) { continue; }
    covered++;
    let front = key_depth(depth[pixel_index(wg.z, at)]);
    if (height(t, vec2f(at) + 0.5) >= front - t.bias) { seen++; }
  }
  if (covered > 0u) {
    atomicAdd(&found[COUNT_SAMPLES], covered);
    atomicAdd(&found[COUNT_VISIBLE], seen);
  }
  if (lane < PROBES && probe_visible(t, wg.z, lane)) { atomicAdd(&found[COUNT_PROBES], 1u); }
  workgroupBarrier();
  if (lane < COUNT_WORDS) {
    let n = atomicLoad(&found[lane]);
    if (n > 0u) { atomicAdd(&counts[(wg.z * job.facets + t.facet) * COUNT_WORDS + lane], n); }
  }
}

// Whether the facet is in front at a point of it: its centre, or one nearer to a corner, in this entry's rows of this tile. What lies
// at the centre of the pixel may be half a pixel away, where a surface of the same slope is nearer by up to the second term.
fn probe_visible(t: Triangle, aspect: u32, probe: u32) -> bool {
  let heavy = vec3f(0.25) + select(vec3f(0.0), vec3f(0.25), vec3u(1u, 2u, 3u) == vec3u(probe));
  let weights = select(heavy, vec3f(1.0 / 3.0), probe == 0u);
  let x = weights.x * t.p0 + weights.y * t.p1 + weights.z * t.p2;
  let at = vec2i(floor(x));
  if (any(at < t.low) || any(at >= t.high)) { return false; }
  let slack = t.bias + 0.5 * (abs(t.slope.x) + abs(t.slope.y)) + job.pixel;
  return height(t, x) >= key_depth(depth[pixel_index(aspect, at)]) - slack;
}
