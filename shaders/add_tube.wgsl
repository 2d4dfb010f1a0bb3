// A tube that is reflected from facet to facet.

// What the bounces of a radiating tube (a leaf) add, each through a parallelogram.
fn add_tube(leaf: u32) {
  let at = LEAF_WORDS * leaf;
  let level = leaves[at + LEAF_LEVEL_COUNT] & 0xffu;
  let count = leaves[at + LEAF_LEVEL_COUNT] >> 8u;
  var record = leaves[at + LEAF_RECORD];
  var tube = launch(lattice_cell(level, leaves[at + LEAF_CELL]), cell_scale(level));
  var first_hit: vec3f;
  for (var bounce = 0u; bounce < count; bounce++) {
    let word = leaves[facet_at(at, bounce)];
    let plane = hit(&tube, word & ~RADIATES);
    if (bounce == 0u) { first_hit = tf_hi(tube.r); }
    if ((word & RADIATES) != 0u) {
      parallelogram_contribution(record, &tube, plane, footprint(&tube, plane), first_hit);
      record++;
    }
    reflection(&tube, plane);
  }
}
