// How the facets of a path stand in its records: the first KEPT_FACETS there, those of the few longer paths in a tail behind the
// leaves, so that what most records take does not depend on the longest path.

// Where facet m of a path with this tail stands among the words of `leaves`, from KEPT_FACETS on.
fn tail_at(tail: u32, m: u32) -> u32 {
  return LEAF_WORDS * job.leaf_capacity + TAIL_WORDS * tail + m - KEPT_FACETS;
}
