// Ray-tube tracing, further levels: one workgroup takes up to 16 invalid cells of the level before and traces the 2 x 2 cells
// of each. Small workgroups, since a tile has few invalid cells; the 3 x 3 corners of a cell are traced once.

const LANES = 64u;

var<workgroup> corner_keys: array<vec2u, 9u * ITEM_GROUP>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let at = group.x * ITEM_WORDS;
  // A list that overflowed leaves nonsense here; the aspect is void then, but the kernel has to end.
  let count = min(items_in[at], ITEM_GROUP);
  let level = step_.level;
  let scale = exp2(-f32(level));
  let origin = vec2i(step_.cell_i, step_.cell_j) * i32(1u << level);
  for (var c = lane; c < 9u * count; c += LANES) {
    let parent = items_in[at + 1u + c / 9u];
    let i = origin.x + i32(2u * (parent & 0xffffu) + c % 3u);
    let j = origin.y + i32(2u * (parent >> 16u) + (c % 9u) / 3u);
    let corner = trace_path(launch_point(f32(i), f32(j), scale), false);
    corner_keys[c] = vec2u(corner.surface_key, corner.facet_key);
  }
  workgroupBarrier();
  var path: Path;
  var kind = NOTHING;
  var i = 0u;
  var j = 0u;
  if (lane < 4u * count) {
    let parent = items_in[at + 1u + lane / 4u];
    let a = lane & 1u;
    let b = (lane >> 1u) & 1u;
    i = 2u * (parent & 0xffffu) + a;
    j = 2u * (parent >> 16u) + b;
    let c = 9u * (lane / 4u) + 3u * b + a;
    let keys = array<vec2u, 4>(corner_keys[c], corner_keys[c + 1u], corner_keys[c + 3u], corner_keys[c + 4u]);
    path = trace_path(launch_point(f32(origin.x + i32(i)) + 0.5, f32(origin.y + i32(j)) + 0.5, scale), true);
    kind = classify(path, keys, level);
  }
  collect(lane, kind, path, i, j, level);
}
