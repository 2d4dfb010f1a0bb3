// From one direction of a look to the next: every contribution's delay changes by step_.turn . P (`Look` in scene/). Delays are
// fixed-point turns, so that going on from direction to direction loses nothing but each step's own rounding.

@group(0) @binding(2) var<storage, read> groups: array<Group>;
@group(0) @binding(3) var<storage, read> places: array<vec3f>;
@group(0) @binding(4) var<storage, read_write> records: array<Contribution>;
@group(0) @binding(5) var<storage, read_write> quad_records: array<QuadContribution>;
@group(0) @binding(6) var<storage, read> counters: array<u32>;

fn further(place: vec3f) -> vec2u {
  return record_cycles(vec2f(dot(step_.turn, place), 0.0));
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  for (var n = wg.x; n < min(counters[GROUPS], job.group_capacity); n += num.x) {
    let group = groups[n];
    for (var i = group.record + lane; i < group.record + group.records; i += 64u) {
      records[i].cycles += further(places[i]);
    }
    for (var i = group.quad_record + lane; i < group.quad_record + group.quad_records; i += 64u) {
      quad_records[i].cycles += further(places[job.record_capacity + i]);
    }
  }
}
