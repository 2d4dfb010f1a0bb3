// A traced path: facets met one after the other.

struct Path {
  count: u32,
  surface_key: u32,
  normals_key: u32,
  first: u32,     // facet met first
  radiating: u32, // bounces that radiate
  cut_off: u32,   // 1: it ends at the limit of its tracing, though its ray would meet the target once more
}

// Both counts and the last in one word.
const RADIATING_SHIFT = 8u;
const COUNT_MASK = 0xffu;
const CUT_OFF_BIT = 16u;

fn packed_counts(path: Path) -> u32 {
  return path.count | (path.radiating << RADIATING_SHIFT) | (path.cut_off << CUT_OFF_BIT);
}

// `first`: its first word.
fn unpacked_path(counts: u32, surface_key: u32, normals_key: u32, first: u32) -> Path {
  return Path(
    counts & COUNT_MASK, surface_key, normals_key, select(NO_FACET, first & ~RADIATES, (counts & COUNT_MASK) > 0u),
    (counts >> RADIATING_SHIFT) & COUNT_MASK, counts >> CUT_OFF_BIT);
}

// Whether it has more bounces than tubes are compared by.
fn goes_on(path: Path) -> bool {
  return path.count > COMPARED_BOUNCES || path.cut_off == 1u;
}

// Words that its facets take.
fn path_words(path: Path) -> u32 {
  return path.count;
}
