// Rays back from the buffer, for the kernels that sort them out; their words stand `stride` apart.

fn kept_corner(at: u32, stride: u32) -> Corner {
  return Corner(
    rays[at + CORNER_SURFACE_KEY * stride], rays[at + CORNER_NORMALS_KEY * stride], rays[at + CORNER_FIRST * stride]);
}

// A centre's path; its facets stay where they are.
fn kept_centre(at: u32, stride: u32) -> Path {
  let counts = rays[at + CENTRE_COUNTS * stride];
  let count = counts & COUNT_MASK;
  return Path(
    count, rays[at + CENTRE_SURFACE_KEY * stride], rays[at + CENTRE_NORMALS_KEY * stride],
    select(NO_FACET, rays[at + CENTRE_FACETS * stride] & ~RADIATES, count > 0u),
    (counts >> RADIATING_SHIFT) & COUNT_MASK, counts >> CUT_OFF_BIT);
}
