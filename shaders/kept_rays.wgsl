// Rays back from the buffer, for the kernels that sort them out; their words stand `stride` apart.

fn kept_corner(at: u32, stride: u32) -> Corner {
  return Corner(
    rays[at + CORNER_SURFACE_KEY * stride], rays[at + CORNER_NORMALS_KEY * stride], rays[at + CORNER_FIRST * stride]);
}

// A centre's path; its facets stay where they are.
fn kept_centre(at: u32, stride: u32) -> Path {
  return unpacked_path(
    rays[at + CENTRE_COUNTS * stride], rays[at + CENTRE_SURFACE_KEY * stride], rays[at + CENTRE_NORMALS_KEY * stride],
    rays[at + CENTRE_FACETS * stride]);
}
