// Backprojection (isar/backprojection.ts): each pixel sums the range profiles of all pulses where it lies. A workgroup has a block of
// BLOCK x BLOCK pixels, four to a lane, whatever tiles the host cuts. The range of a block's middle is the host's, in double precision, as
// fixed-point fractions of a cycle of the carrier and of a period of the profiles; the range of a pixel beyond it is small and exact enough in
// single precision: with d the vector from the middle to the antenna and q that to the pixel,
//   |d - q| - |d| = (q.q / |d| - 2 q.u) / (1 + |d - q| / |d|),  u = d / |d|
// without cancellation. In the far field 1 / |d| is 0 and this is -q.u.
// The host prepends BLOCK, GROUP (pulses summed together), and the structs of gpu/imaging/engine.ts.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
// Per block of the tile and pulse: fractions of a cycle and of a period at the block's middle.
@group(0) @binding(2) var<storage, read> middles: array<vec2u>;
// Of each pulse: position, or direction in the far field.
@group(0) @binding(3) var<storage, read> antennas: array<vec4f>;
@group(0) @binding(4) var<storage, read> profiles: array<vec2f>;
@group(0) @binding(5) var<storage, read_write> image: array<vec2f>;

// Of the pulses of a group: direction from the block's middle with 1 / distance, and its range.
var<workgroup> towards: array<vec4f, GROUP>;
var<workgroup> ranges: array<vec2u, GROUP>;

// A number of cycles as a fraction of one.
fn fraction_of(cycles: f32) -> u32 {
  return bitcast<u32>(i32((cycles - round(cycles)) * 4294967296.0));
}

// The profile that begins at `row`, at a fraction of its period, by cubic B-splines.
fn profile_at(row: u32, place: u32) -> vec2f {
  let bin = place >> job.shift;
  let last = job.bins - 1u;
  let t = f32(place & ((1u << job.shift) - 1u)) * job.bin_fraction;
  let s = 1.0 - t;
  return (s * s * s * profiles[row + ((bin + last) & last)]
    + (4.0 - 3.0 * t * t * (1.0 + s)) * profiles[row + bin]
    + (4.0 - 3.0 * s * s * (1.0 + t)) * profiles[row + ((bin + 1u) & last)]
    + t * t * t * profiles[row + ((bin + 2u) & last)]) * 0.16666667;
}

@compute @workgroup_size(HALF, HALF)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,
  @builtin(local_invocation_index) lane: u32) {
  let own_block = step_.first_block + group.x;
  let block_row = own_block / job.blocks_across;
  let corner = BLOCK * vec2u(own_block - block_row * job.blocks_across, block_row);
  let middle = job.first + (f32(corner.x) + HALF_PIXELS) * job.across + (f32(corner.y) + HALF_PIXELS) * job.along;

  var q: array<vec3f, 4>;
  var total: array<vec2f, 4>;
  for (var i = 0u; i < 4u; i++) {
    let at = local.xy + HALF * vec2u(i & 1u, i >> 1u);
    q[i] = (f32(at.x) - HALF_PIXELS) * job.across + (f32(at.y) - HALF_PIXELS) * job.along;
    let pixel = corner + at;
    if (pixel.x < job.cols && pixel.y < job.rows) { total[i] = image[pixel.y * job.cols + pixel.x]; }
  }

  for (var first = 0u; first < step_.pulses; first += GROUP) {
    let count = min(GROUP, step_.pulses - first);
    workgroupBarrier();
    if (lane < count) {
      let antenna = antennas[first + lane].xyz;
      if (job.far_field == 1u) {
        towards[lane] = vec4f(antenna, 0.0);
      } else {
        let d = antenna - middle;
        let inverse = 1.0 / length(d);
        towards[lane] = vec4f(d * inverse, inverse);
      }
      ranges[lane] = middles[group.x * step_.pulses + first + lane];
    }
    workgroupBarrier();
    // In so many words: SwiftShader keeps an array that is declared in a loop from turn to turn.
    var sum: array<vec2f, 4>;
    for (var i = 0u; i < 4u; i++) { sum[i] = vec2f(0.0); }
    for (var k = 0u; k < count; k++) {
      let u = towards[k];
      let range = ranges[k];
      let row = (first + k) * job.bins;
      for (var i = 0u; i < 4u; i++) {
        let x = dot(q[i], q[i]) * u.w - 2.0 * dot(q[i], u.xyz);
        let beyond = x / (1.0 + sqrt(1.0 + x * u.w));
        let phase = cos_sin_cycles(range.x + fraction_of(beyond * job.cycles_per_metre));
        let sample = profile_at(row, range.y + fraction_of(beyond * job.periods_per_metre));
        sum[i] += vec2f(sample.x * phase.x - sample.y * phase.y, sample.x * phase.y + sample.y * phase.x);
      }
    }
    for (var i = 0u; i < 4u; i++) { total[i] += sum[i]; }
  }

  for (var i = 0u; i < 4u; i++) {
    let pixel = corner + local.xy + HALF * vec2u(i & 1u, i >> 1u);
    if (pixel.x < job.cols && pixel.y < job.rows) { image[pixel.y * job.cols + pixel.x] = total[i]; }
  }
}
