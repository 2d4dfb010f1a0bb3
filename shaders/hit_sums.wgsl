// Of every contribution the sum of the first hit of its tube and its own (docs/numerics.md, "Aspect extrapolation"): records first, then quadrilaterals.
@group(0) @binding(9) var<storage, read_write> hit_sums: array<vec3f>;

fn keep_hit_sum(record: u32, sum: vec3f) {
  hit_sums[record] = sum;
}

fn keep_quad_hit_sum(record: u32, sum: vec3f) {
  hit_sums[job.record_capacity + record] = sum;
}
