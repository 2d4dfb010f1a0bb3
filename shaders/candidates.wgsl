// Candidates: the slots that rays of one tile can meet first, those that rays first reflected off one facet can meet next,
// and those that can hide a facet from the receiver. All are found before tracing by conservative tests
// (mark_tiles.wgsl, search_facets.wgsl). `candidates` holds, in words: per tile of the batch how many there are; the
// numbers of the tiles that have any; per tile their slots. `facet_candidates` holds per slot twice a number and slots,
// for reflected rays and for the receiver. Numbers larger than a list's length: it holds a part of them only; UNKNOWN:
// nobody looked.

const UNKNOWN = 0xffffffffu;

// The tests allow for rays that are off by this part of the box diagonal: some times what rounding does.
const SLACK = 4e-6;

fn occupied_tile(n: u32) -> u32 {
  return job.tile_capacity + n;
}

fn tile_list(tile: u32) -> u32 {
  return 2u * job.tile_capacity + TILE_LIST * tile;
}

fn reflected_list(slot: u32) -> u32 {
  return (1u + FACET_LIST) * (2u * slot);
}

fn hiding_list(slot: u32) -> u32 {
  return reflected_list(slot) + 1u + FACET_LIST;
}
