// Contributions of paths that meet conductors alone: their amplitudes are those of the records, real and the same at all frequencies.
// material_amplitudes.wgsl says which they are in the place of their first amplitude, and of a whole group in its first contribution's.

const METAL_RECORD = 3e38;

fn first_contribution(group: Group) -> u32 {
  return select(job.record_capacity + group.quad_record, group.record, group.records > 0u);
}

fn is_metal(contribution: u32) -> bool {
  return amplitudes[2u * contribution * job.material_nodes].x == METAL_RECORD;
}

fn is_metal_group(group: Group) -> bool {
  let mark = amplitudes[2u * first_contribution(group) * job.material_nodes];
  return mark.x == METAL_RECORD && mark.y == METAL_RECORD;
}
