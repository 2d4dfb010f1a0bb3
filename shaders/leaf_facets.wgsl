// Where facet m of the path of the leaf at word `at` stands among the words of `leaves`.
fn facet_at(at: u32, m: u32) -> u32 {
  if (m < KEPT_FACETS) { return at + LEAF_FACETS + m; }
  return tail_at(leaves[at + LEAF_TAIL], m);
}
