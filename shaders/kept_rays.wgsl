// Rays back from the buffer, for the kernels that sort them out; their words stand `stride` apart.

fn kept_corner(at: u32, stride: u32) -> Corner {
  return Corner(
    rays[at + CORNER_SURFACE_KEY * stride], rays[at + CORNER_NORMALS_KEY * stride], rays[at + CORNER_FIRST * stride]);
}

// A centre's path; its facets into `met`, and `cut_off`.
fn kept_centre(at: u32, stride: u32) -> Path {
  let ends = rays[at + CENTRE_COUNT * stride];
  cut_off = ends >> CUT_OFF_BIT;
  let count = min(ends & ((1u << CUT_OFF_BIT) - 1u), MAX_BOUNCES);
  for (var m = 0u; m < count; m++) { met[m] = rays[at + (CENTRE_FACETS + m) * stride]; }
  return Path(
    count, rays[at + CENTRE_SURFACE_KEY * stride], rays[at + CENTRE_NORMALS_KEY * stride], rays[at + CENTRE_VISIBLE * stride],
    select(NO_FACET, met[0], count > 0u));
}
