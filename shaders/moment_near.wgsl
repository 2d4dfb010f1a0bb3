// Writes entries of functions close together, which the host computed in double precision: `count` from `entry` on of a list sorted by
// columns.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> entries: array<NearEntry>;
@group(0) @binding(3) var<storage, read_write> block: array<vec2f>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= step_.count) { return; }
  let e = entries[step_.entry + id.x];
  block[e.row * step_.width + e.column - step_.first] = e.value;
}
