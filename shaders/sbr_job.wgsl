// What one aspect's kernels share. `Job` is constant over the aspect, `Step` changes from dispatch to dispatch.
// The host prepends: MAX_BOUNCES, STACK_SIZE, and includes this module first.

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
  item_group_capacity: u32,
}

struct Step {
  cell_i: i32,       // lattice index of the batch's first cell (level 0)
  cell_j: i32,
  tiles_i: u32,      // tiles of the batch along i
  level: u32,        // refinement of the cells this dispatch handles
  first_frequency: u32,
  frequency_count: u32,
  pad0: u32,
  pad1: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;

// Words of the counter buffer; the host copies the dispatch arguments out of it.
const GROUP_ARGS = 0u;      // x y z of the dispatch over groups
const CHILD_ARGS = 4u;      // x y z of the dispatch over item groups, four words a level
// Words 24 to 26 hold the arguments of the dispatch over groups and blocks of frequencies; the host fills them in.
const LEAVES = 32u;
const QUADS = 33u;
const RECORDS = 34u;
const QUAD_RECORDS = 35u;
const OVERFLOW = 36u;       // nonzero: some list was too short, the aspect must be run again in smaller batches
const TOTAL_LEAVES = 37u;   // statistics, never cleared within an aspect
const TOTAL_RECORDS = 38u;
const NOT_FINITE = 39u;     // nonzero: a sum was infinite, not a number or too large

// A leaf: cell i | j << 16 (within the batch, at its level), level | count << 8, mask of radiating bounces, first
// record, then the facets met. A quad leaf has one bounce; its centre's facet and those of its corner rays follow.
const LEAF_WORDS = 4u + MAX_BOUNCES;
const QUAD_WORDS = 9u;

// Children-to-be of one workgroup: their number, then i | j << 16 of each.
const ITEM_GROUP = 16u;
const ITEM_WORDS = 17u;

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
