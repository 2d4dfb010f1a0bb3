// Edge diffraction on the GPU, part 2: the field of every block of segments at every frequency. A workgroup takes one
// block; its lanes are FREQUENCY_LANES frequencies (of the dispatch's block number wg.y) x RECORD_LANES shares of the
// records. Sums of a block run in a fixed order, blocks are added as integers: no split of blocks changes a byte.
// Phases are integers in units of 2^-32 turn: f0's turns plus n times the turns per step wrap by themselves.

@group(0) @binding(3) var<storage, read> amplitudes: array<vec4f>;
// Two words (low, high) per value, 8 values (re, im of VV HH VH HV) per frequency.
@group(0) @binding(4) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> counters: array<atomic<u32>>;

const NOT_FINITE = 0u;
const RECORD_LANES = 256u / FREQUENCY_LANES;

var<workgroup> shared_re: array<vec4f, 256>;
var<workgroup> shared_im: array<vec4f, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  let group = records[job.block_at + wg.x];
  let n = FREQUENCY_LANES * wg.y + lane % FREQUENCY_LANES;
  let share = lane / FREQUENCY_LANES;
  let k = job.k0 + f32(n) * job.dk;
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  let counts = select(vec2u(0u), group.yw, n < job.frequencies);
  for (var i = share; i < counts.x; i += RECORD_LANES) {
    let at = job.near_at + 2u * (group.x + i);
    let head = records[at];
    let amplitude = floats(at + 1u) * sinc(k * floats(at).z);
    let p = cos_sin_turns(head.x + n * head.y);
    re += amplitude * p.x;
    im += amplitude * p.y;
  }
  for (var i = share; i < counts.y; i += RECORD_LANES) {
    let slot = group.z + i;
    let head = records[job.slot_at + 2u * slot];
    var a_re = vec4f(0.0);
    var a_im = vec4f(0.0);
    for (var node = 0u; node < job.nodes; node++) {
      let polynomial = spectrum(job.nodes + node * job.frequencies + n);
      let at = 2u * (slot * job.nodes + node);
      a_re += polynomial * amplitudes[at];
      a_im += polynomial * amplitudes[at + 1u];
    }
    let p = cos_sin_turns(head.x + n * head.y);
    re += a_re * p.x - a_im * p.y;
    im += a_re * p.y + a_im * p.x;
  }
  shared_re[lane] = re;
  shared_im[lane] = im;
  workgroupBarrier();
  for (var reach = RECORD_LANES / 2u; reach > 0u; reach /= 2u) {
    if (share < reach) {
      shared_re[lane] += shared_re[lane + reach * FREQUENCY_LANES];
      shared_im[lane] += shared_im[lane + reach * FREQUENCY_LANES];
    }
    workgroupBarrier();
  }
  if (share > 0u || n >= job.frequencies) { return; }
  for (var c = 0u; c < 4u; c++) {
    add(16u * n + 4u * c, shared_re[lane][c]);
    add(16u * n + 4u * c + 2u, shared_im[lane][c]);
  }
}

fn add(at: u32, x: f32) {
  let value = to_fixed(x);
  let before = atomicAdd(&totals[at], value.x);
  atomicAdd(&totals[at + 1u], value.y + select(0u, 1u, before + value.x < before));
}
