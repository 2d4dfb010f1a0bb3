// Ray-tube tracing, first level: one workgroup a tile of 16 x 16 tubes. Corner rays first (shared by neighbours),
// then the validity of each tube against its central ray (paper 003, section 2.1; docs/sbr.md, "Tubes").

const LANES = 256u;

var<workgroup> corner_keys: array<vec2u, 289>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) tile: vec3u, @builtin(local_invocation_index) lane: u32) {
  let tile_i = tile.x % step_.tiles_i;
  let tile_j = tile.x / step_.tiles_i;
  let origin = vec2i(step_.cell_i + i32(16u * tile_i), step_.cell_j + i32(16u * tile_j));
  for (var c = lane; c < 289u; c += 256u) {
    let path = trace_path(launch_point(f32(origin.x + i32(c % 17u)), f32(origin.y + i32(c / 17u)), 1.0), false);
    corner_keys[c] = vec2u(path.surface_key, path.facet_key);
  }
  workgroupBarrier();
  let i = lane % 16u;
  let j = lane / 16u;
  let path = trace_path(launch_point(f32(origin.x + i32(i)) + 0.5, f32(origin.y + i32(j)) + 0.5, 1.0), true);
  let c = j * 17u + i;
  let keys = array<vec2u, 4>(corner_keys[c], corner_keys[c + 1u], corner_keys[c + 17u], corner_keys[c + 18u]);
  let kind = classify(path, keys, 0u);
  collect(lane, kind, path, 16u * tile_i + i, 16u * tile_j + j, 0u);
}
