// A traced ray into the buffer, its words `stride` apart.

fn keep_ray(at: u32, stride: u32, path: Path, centre: bool) {
  rays[at] = path.surface_key;
  rays[at + stride] = path.facet_key;
  if (!centre) {
    rays[at + 2u * stride] = path.first;
    return;
  }
  rays[at + 2u * stride] = path.visible;
  rays[at + 3u * stride] = path.count | (cut_off << CUT_OFF_BIT);
  for (var m = 0u; m < path.count; m++) { rays[at + (4u + m) * stride] = met[m]; }
}
