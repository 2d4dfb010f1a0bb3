// What one aspect's kernels share. `Job` is constant over the aspect, `Step` changes from dispatch to dispatch; these and
// the records of the lists are declared in gpu/sbr/layouts.ts. The host prepends them, and: MAX_BOUNCES, STACK_SIZE, LISTS (1: candidate lists, 0: none), FREQUENCY_LANES.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;

// Words of the counter buffer. A dispatch has as many workgroups as the host thinks fit; they take turns at what there is to do.
const GROUPS = 0u;
const TILES = 1u;           // occupied tiles
const CHUNKS = 2u;          // of cells to subdivide, one word a level
const ITEMS = 7u;           // cells to subdivide, one word a level
const LEAVES = 14u;
const QUADS = 15u;
const RECORDS = 16u;
const QUAD_RECORDS = 17u;
const OVERFLOW = 18u;       // nonzero: some list was too short, the aspect must be run again in smaller batches
const TOTAL_RECORDS = 19u;  // statistics, never cleared within an aspect
const NOT_FINITE = 20u;     // nonzero: a sum was infinite, not a number or too large
const LIT_LEAVES = 21u;     // leaves, one word a level
const CUT_OFF_LEAVES = 26u; // and those that the bounce limit cuts off

const NO_FACET = 0xffffffffu;

// A leaf: cell i | j << 16 (within the batch, at its level), level | count << 8, mask of radiating bounces, first
// record, then the facets met. A quad leaf has one bounce; its centre's facet and those of its corner rays follow.
const LEAF_WORDS = 4u + MAX_BOUNCES;
const QUAD_WORDS = 9u;

// 2^-level, exactly.
fn cell_scale(level: u32) -> f32 {
  return bitcast<f32>((127u - level) << 23u);
}

// Lattice index, at its level, of a cell that is packed as i | j << 16 within the batch.
fn lattice_cell(level: u32, packed: u32) -> vec2i {
  return (vec2i(step_.cell_i, step_.cell_j) << vec2u(level)) + vec2i(i32(packed & 0xffffu), i32(packed >> 16u));
}
