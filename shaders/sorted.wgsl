// What becomes of a proven cell, once its corner rays are known where it wants them.

// The path of a cell's central ray; its facets into `met`.
fn kept_path(at: u32, stride: u32) -> Path {
  let count = min(rays[at + 3u * stride] & 0xffu, MAX_BOUNCES);
  for (var m = 0u; m < count; m++) { met[m] = rays[at + (4u + m) * stride]; }
  let head = kept_corner(at, stride);
  return Path(count, head.x, head.y, head.z, select(NO_FACET, met[0], count > 0u));
}

// What `collect` keeps of an item's corners holds the facets over it instead.
fn over_for_items(at: u32, stride: u32) -> array<vec3u, 4> {
  let over = kept_over(at, stride);
  var words: array<vec3u, 4>;
  words[0] = vec3u(over, 0u);
  return words;
}

fn sorted(path: Path, outcome: u32, corners: array<vec3u, 4>, level: u32) -> u32 {
  if (outcome == COMPARE) { return classify(path, corners, level); }
  if (outcome != LEAF) { return outcome; }
  return select(NOTHING, LEAF, radiating(path) != 0u);
}
