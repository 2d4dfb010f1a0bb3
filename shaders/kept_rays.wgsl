// Rays back from the buffer, for the kernels that sort them out; their words stand `stride` apart.

fn kept_corner(at: u32, stride: u32) -> vec3u {
  return vec3u(rays[at], rays[at + stride], rays[at + 2u * stride]);
}

// A centre's path; its facets into `met`, and `cut_off`.
fn kept_centre(at: u32, stride: u32) -> Path {
  let ends = rays[at + 3u * stride];
  cut_off = ends >> CUT_OFF_BIT;
  let count = min(ends & ((1u << CUT_OFF_BIT) - 1u), MAX_BOUNCES);
  for (var m = 0u; m < count; m++) { met[m] = rays[at + (4u + m) * stride]; }
  let head = kept_corner(at, stride);
  return Path(count, head.x, head.y, head.z, select(NO_FACET, met[0], count > 0u));
}
