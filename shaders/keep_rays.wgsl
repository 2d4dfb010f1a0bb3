// A traced ray into the buffer, its words `stride` apart.

fn keep_ray(at: u32, stride: u32, path: Path, centre: bool) {
  if (!centre) {
    rays[at + CORNER_SURFACE_KEY * stride] = path.surface_key;
    rays[at + CORNER_NORMALS_KEY * stride] = path.normals_key;
    rays[at + CORNER_FIRST * stride] = path.first;
    return;
  }
  rays[at + CENTRE_SURFACE_KEY * stride] = path.surface_key;
  rays[at + CENTRE_NORMALS_KEY * stride] = path.normals_key;
  rays[at + CENTRE_VISIBLE * stride] = path.visible;
  rays[at + CENTRE_COUNT * stride] = path.count | (cut_off << CUT_OFF_BIT);
  for (var m = 0u; m < path.count; m++) { rays[at + (CENTRE_FACETS + m) * stride] = met[m]; }
}
