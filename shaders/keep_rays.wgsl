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
  rays[at + CENTRE_COUNTS * stride] = packed_counts(path);
}

fn free_tail() -> u32 {
  let tail = atomicAdd(&counters[TAILS], 1u);
  if (tail >= job.tail_capacity) { atomicOr(&counters[OVERFLOW], 1u); }
  return min(tail, job.tail_capacity - 1u);
}
