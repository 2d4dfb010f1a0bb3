// What one aspect's kernels share. `Job` is constant over the aspect, `Step` changes from dispatch to dispatch.
// The host prepends: MAX_BOUNCES, STACK_SIZE, LISTS (1: candidate lists, 0: none), FREQUENCY_LANES.

struct Job {
  base: vec4f,       // launch point of lattice offset 0 (high parts); w: tube side h
  base_lo: vec4f,    // low parts of the two-float numbers above
  u: vec4f,          // lattice axis; w: grid offset along u in cells
  u_lo: vec4f,
  v: vec4f,          // lattice axis; w: grid offset along v in cells
  v_lo: vec4f,
  d: vec4f,          // direction of incidence; w: f0/c [1/m]
  d_lo: vec4f,
  s: vec4f,          // direction to the receiver; w: df/c [1/m]
  s_lo: vec4f,
  tx_v: vec4f,       // transmit theta-hat; w: wavenumber k0 [rad/m]
  tx_h: vec4f,       // transmit phi-hat; w: wavenumber step dk [rad/m]
  rx_v: vec4f,       // receive theta-hat; w: start of a reflected ray above its facet [m]
  rx_h: vec4f,       // receive phi-hat
  zero: u32,         // always 0: see two_float
  exit_form: u32,    // 1: only the last bounce radiates, invalid tubes are dropped
  bounce_mask: u32,  // bounces that may radiate, one bit each
  depth: u32,        // subdivisions of an invalid tube
  fixed_exponent: i32, // sums are integers times 2^-fixed_exponent
  frequencies: u32,
  leaf_capacity: u32,
  quad_capacity: u32,
  record_capacity: u32,
  quad_record_capacity: u32,
  group_capacity: u32,
  item_capacity: u32,
  chunk_capacity: u32,
  tile_capacity: u32,
  slots: u32,        // facets
  facet_lists: u32,  // 1: the candidates of reflected rays have been looked for
  diagonal: f32,     // of the target's box [m]
}

struct Step {
  cell_i: i32,       // lattice index of the batch's first cell (level 0)
  cell_j: i32,
  tiles_i: u32,      // tiles of the batch along i
  level: u32,        // refinement of the cells this dispatch handles
  first_frequency: u32,
  frequency_count: u32,
  tiles_j: u32,      // and along j
  first_total: u32,  // the direction's first value in the totals, counted in frequencies
  turn: vec4f,       // of a look: from the direction before, minus this one
}

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

// The contributions that are summed together, in their order.
struct Group {
  leaf: u32,
  leaves: u32,
  record: u32,
  records: u32,
  quad: u32,
  quads: u32,
  quad_record: u32,
  quad_records: u32,
}

// 2^-level, exactly.
fn cell_scale(level: u32) -> f32 {
  return bitcast<f32>((127u - level) << 23u);
}

// Lattice index, at its level, of a cell that is packed as i | j << 16 within the batch.
fn lattice_cell(level: u32, packed: u32) -> vec2i {
  return (vec2i(step_.cell_i, step_.cell_j) << vec2u(level)) + vec2i(i32(packed & 0xffffu), i32(packed >> 16u));
}
