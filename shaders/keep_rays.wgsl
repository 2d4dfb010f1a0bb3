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
  rays[at + CENTRE_COUNTS * stride] = path.count | (path.radiating << RADIATING_SHIFT) | (path.cut_off << CUT_OFF_BIT);
}

// Facet m of a centre's path, as soon as it is known and again where it radiates.
fn keep_facet(at: u32, stride: u32, m: u32, word: u32) {
  if (m < KEPT_FACETS) {
    rays[at + (CENTRE_FACETS + m) * stride] = word;
    return;
  }
  let tail = at + CENTRE_TAIL * stride;
  if (m == KEPT_FACETS && (word & RADIATES) == 0u) { rays[tail] = free_tail(); }
  leaves[tail_at(rays[tail], m)] = word;
}

fn free_tail() -> u32 {
  let tail = atomicAdd(&counters[TAILS], 1u);
  if (tail >= job.tail_capacity) { atomicOr(&counters[OVERFLOW], 1u); }
  return min(tail, job.tail_capacity - 1u);
}
