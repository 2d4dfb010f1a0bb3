// A tube that goes on reflected and, through sheets, straight: in the place of add_tube.wgsl on targets with sheets.

// What the hits of a radiating tube (a leaf) add, each through a parallelogram. SAVED: the tube goes on from this hit later, too,
// as it has met it; RESUMED: now.
fn add_tube(leaf: u32) {
  let at = LEAF_WORDS * leaf;
  let level = leaves[at + LEAF_LEVEL_COUNT] & 0xffu;
  let words = leaves[at + LEAF_LEVEL_COUNT] >> 8u;
  var record = leaves[at + LEAF_RECORD];
  var tube = launch(lattice_cell(level, leaves[at + LEAF_CELL]), cell_scale(level));
  var first_hit: vec3f;
  var saved: array<Tube, MAX_BOUNCES>;
  var depth = 0u;
  for (var m = 0u; m < words; m++) {
    let word = leaves[facet_at(at, m)];
    if ((word & SIGHT) != 0u) { continue; }
    if ((word & RESUMED) != 0u) {
      depth--;
      tube = saved[depth];
    }
    let plane = hit(&tube, word & FACET);
    if (m == 0u) { first_hit = tf_hi(tube.r); }
    if ((word & RADIATES) != 0u) {
      parallelogram_contribution(record, &tube, plane, footprint(&tube, plane), first_hit);
      record++;
    }
    if ((word & SAVED) != 0u) {
      saved[depth] = tube;
      depth++;
    }
    reflection(&tube, plane);
  }
}
