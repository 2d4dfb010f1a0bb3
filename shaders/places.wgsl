// Of every contribution the sum of the first hit of its tube and its own (`Look` in scene/): records first, then quadrilaterals.
@group(0) @binding(9) var<storage, read_write> places: array<vec3f>;

fn keep_place(record: u32, place: vec3f) {
  places[record] = place;
}

fn keep_quad_place(record: u32, place: vec3f) {
  places[job.record_capacity + record] = place;
}
