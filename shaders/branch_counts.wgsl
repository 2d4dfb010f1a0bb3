// A traced path on a target with sheets, in the place of path_counts.wgsl: hits of all its branches.

struct Path {
  count: u32,     // hits; between kernels 2 stands for more
  words: u32,     // that they take, with those of the sheets before the receiver
  surface_key: u32,
  normals_key: u32,
  first: u32,     // facet met first
  radiating: u32, // hits that radiate
  cut_off: u32,   // power, in parts of CUT_OFF_UNITS, whose waves would meet the target once more after the last reflection
  more: u32,      // 1: a branch has more bounces than tubes are compared by
}

// In one word, of 2, 11, 11, 7 and 1 bits.
fn packed_counts(path: Path) -> u32 {
  return min(path.count, 2u) | (path.words << 2u) | (path.radiating << 13u) | (path.cut_off << 24u) | (path.more << 31u);
}

// `first`: its first word.
fn unpacked_path(counts: u32, surface_key: u32, normals_key: u32, first: u32) -> Path {
  let count = counts & 3u;
  return Path(
    count, (counts >> 2u) & 0x7ffu, surface_key, normals_key, select(NO_FACET, first & FACET, count > 0u),
    (counts >> 13u) & 0x7ffu, (counts >> 24u) & 0x7fu, counts >> 31u);
}

fn goes_on(path: Path) -> bool {
  return path.more == 1u;
}

fn path_words(path: Path) -> u32 {
  return path.words;
}
