// Ray-tube tracing, further levels: one workgroup takes up to 64 invalid cells of the level before and traces the
// 2 x 2 cells of each.

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let at = group.x * ITEM_WORDS;
  let level = step_.level;
  var path: Path;
  var kind = NOTHING;
  var i = 0u;
  var j = 0u;
  if (lane < 4u * items_in[at]) {
    let parent = items_in[at + 1u + lane / 4u];
    i = 2u * (parent & 0xffffu) + (lane & 1u);
    j = 2u * (parent >> 16u) + ((lane >> 1u) & 1u);
    let scale = exp2(-f32(level));
    let origin = vec2i(step_.cell_i, step_.cell_j) * i32(1u << level) + vec2i(i32(i), i32(j));
    var keys: array<vec2u, 4>;
    for (var c = 0; c < 4; c++) {
      let corner = trace_path(launch_point(f32(origin.x + (c & 1)), f32(origin.y + (c >> 1u)), scale), false);
      keys[c] = vec2u(corner.surface_key, corner.facet_key);
    }
    path = trace_path(launch_point(f32(origin.x) + 0.5, f32(origin.y) + 0.5, scale), true);
    kind = classify(path, keys, level);
  }
  collect(lane, kind, path, i, j, level);
}
