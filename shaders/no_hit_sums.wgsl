// In place of hit_sums.wgsl: for an aspect that serves no other direction than its own.
fn keep_hit_sum(record: u32, sum: vec3f) {}

fn keep_quad_hit_sum(record: u32, sum: vec3f) {}
