// In the place of places.wgsl: of an aspect that serves no other direction than its own.
fn keep_place(record: u32, place: vec3f) {}

fn keep_quad_place(record: u32, place: vec3f) {}
