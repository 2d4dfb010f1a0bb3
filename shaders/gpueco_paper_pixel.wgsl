// Which pixel an invocation takes: of all of them, or of the list of those that hold something.

@group(0) @binding(2) var<storage, read> list: array<u32>;
@group(0) @binding(3) var<storage, read> count: array<u32>;
@group(0) @binding(6) var<storage, read> aspects: array<Aspect>;
// Real and imaginary parts of VV HH VH HV of every pixel.
@group(0) @binding(7) var<storage, read_write> fields: array<vec4f>;

fn add_field(pixel: u32, amplitudes: vec4f, p: vec2f) {
  fields[2u * pixel] += amplitudes * p.x;
  fields[2u * pixel + 1u] += amplitudes * p.y;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let number = id.x + 64u * groups.x * id.y;
  if (CULLED == 0u) {
    if (number < job.size * job.size) { pixel_field(number); }
  } else if (number < count[0]) {
    pixel_field(list[number]);
  }
}
