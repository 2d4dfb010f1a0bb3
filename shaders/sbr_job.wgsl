// What one aspect's kernels share. `Job` is constant over the aspect, `Step` changes from dispatch to dispatch; these and
// the records of the lists are declared in gpu/sbr/layouts.ts. The host prepends them, the positions of what `counters`
// hold (GROUPS, TILES, ...) and of the records that stand in buffers of words (ITEM_CELL, ...), and: MAX_BOUNCES, COMPARED_BOUNCES, TAIL_WORDS, STACK_SIZE, LISTS (1: candidate lists, 0: none), FREQUENCY_LANES.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;

const NO_FACET = 0xffffffffu;

// 2^-level, exactly.
fn cell_scale(level: u32) -> f32 {
  return bitcast<f32>((127u - level) << 23u);
}

// Lattice index, at its level, of a cell that is packed as i | j << 16 within the batch.
fn lattice_cell(level: u32, packed: u32) -> vec2i {
  return (vec2i(step_.cell_i, step_.cell_j) << vec2u(level)) + vec2i(i32(packed & 0xffffu), i32(packed >> 16u));
}
