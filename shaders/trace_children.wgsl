// Ray-tube tracing, further levels: the rays of the cells that the level before left to subdivide, 32 cells a workgroup
// whatever tile they are of. Of the 3 x 3 corners and 4 centres of a cell's children eight are new; each subgroup of 32
// lanes takes one of them. At the last level, where central rays alone decide, 64 cells a workgroup and 64 lanes a centre.

@group(0) @binding(2) var<storage, read> nodes: array<BvhNode>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read> candidates: array<u32>;
@group(0) @binding(6) var<storage, read> items: array<u32>;
@group(0) @binding(7) var<storage, read_write> rays: array<u32>;
@group(0) @binding(8) var<storage, read_write> leaves: array<u32>;
@group(0) @binding(9) var<storage, read_write> counters: array<atomic<u32>>;

// In units of a child cell from the parent's corner.
fn place(ray: u32) -> vec2f {
  switch ray {
    case 0u: { return vec2f(1.0, 0.0); }
    case 1u: { return vec2f(0.0, 1.0); }
    case 2u: { return vec2f(2.0, 1.0); }
    case 3u: { return vec2f(1.0, 2.0); }
    default: { return vec2f(vec2u(ray & 1u, (ray >> 1u) & 1u)) + 0.5; }
  }
}

// Cells of a workgroup.
fn cells() -> u32 {
  return select(32u, 64u, step_.level == job.depth);
}

// Rays of the n-th so many cells.
fn trace(n: u32, lane: u32, end: u32) {
  let level = step_.level;
  let item = cells() * n + lane % cells();
  if (item >= end) { return; }
  let ray = lane / cells() + select(0u, 4u, level == job.depth);
  let packed = items[item_at(level - 1u, item) + ITEM_CELL];
  let parent = vec2u(packed & 0xffffu, packed >> 16u);
  let shift = 3u + level;
  let tile = min((parent.x >> shift) + (parent.y >> shift) * step_.tiles_i, job.tile_capacity - 1u);
  let corner = vec2i(step_.cell_i, step_.cell_j) * i32(1u << level) + vec2i(2u * parent);
  let at = vec2f(corner) + place(ray);
  let centre = ray >= 4u;
  let o = launch_point(at.x, at.y, exp2(-f32(level)));
  let out = select(corner_rays(item, ray), centre_rays(item, ray - 4u), centre);
  let most = select(compared_bounces(), MAX_BOUNCES, centre);
  keep_ray(out, SIDE_BY_SIDE, trace_path(o, first_hit(o, tile), most, centre, out, SIDE_BY_SIDE), centre);
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  // A list that overflowed leaves nonsense behind; the aspect is void then, but the kernel has to end.
  let end = min(counted_units(ITEMS + step_.level - 1u, lane), job.item_capacity);
  for (var n = wg.x; n < (end + cells() - 1u) / cells(); n += num.x) {
    trace(n, lane, end);
    workgroupBarrier();
  }
}
