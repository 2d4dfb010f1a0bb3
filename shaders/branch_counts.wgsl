// A traced path on a target with sheets, in the place of path_counts.wgsl: hits of all its branches.

struct Path {
  count: u32,     // hits
  words: u32,     // that they take, with those of the sheets before the receiver
  surface_key: u32,
  normals_key: u32,
  first: u32,     // facet met first
  radiating: u32, // hits that radiate
  cut_off: u32,   // power, in parts of CUT_OFF_UNITS, whose waves would meet the target once more after the last reflection
  more: u32,      // 1: a branch has more bounces than tubes are compared by
}

// In one word: 8 bits each but for the last two.
fn packed_counts(path: Path) -> u32 {
  return path.count | (path.words << 8u) | (path.radiating << 16u) | (path.cut_off << 24u) | (path.more << 31u);
}

// `first`: its first word.
fn unpacked_path(counts: u32, surface_key: u32, normals_key: u32, first: u32) -> Path {
  let count = counts & 0xffu;
  return Path(
    count, (counts >> 8u) & 0xffu, surface_key, normals_key, select(NO_FACET, first & FACET, count > 0u),
    (counts >> 16u) & 0xffu, (counts >> 24u) & 0x7fu, counts >> 31u);
}

fn goes_on(path: Path) -> bool {
  return path.more == 1u;
}

fn path_words(path: Path) -> u32 {
  return path.words;
}
