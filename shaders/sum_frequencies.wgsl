// Electromagnetic computing, part 2: the field of every group at every frequency. A workgroup takes one group; its
// lanes are FREQUENCY_LANES frequencies (of the dispatch's block number wg.y) x RECORD_LANES shares of the records. Sums run
// in a fixed order.
// Phases are integers in units of 2^-32 turn: f0's turns plus n times the turns per step wrap by themselves.

@group(0) @binding(2) var<storage, read> groups: array<Group>;
@group(0) @binding(3) var<storage, read> records: array<vec4f>;
@group(0) @binding(4) var<storage, read> quad_records: array<vec4f>;
// 8 numbers (re, im of VV HH VH HV) per group and frequency of this dispatch.
@group(0) @binding(5) var<storage, read_write> partial: array<f32>;

const RECORD_LANES = 256u / FREQUENCY_LANES;

// (cos, sin) of `quadrant` quarter turns and x turns more, |x| <= 1/8. 2 pi enters as a sum of two floats, since its
// rounding alone would turn every phase the same way and survive any averaging.
fn cos_sin_octant(quadrant: u32, x: f32) -> vec2f {
  let z = x * x;
  let s = x * 6.2831855 + x * (-1.7484556e-7 + z * (-41.341702 + z * (81.605249 + z * (-76.705860 + z * 42.058694))));
  let c = 1.0 + z * (-19.739209 + z * (64.939394 + z * (-85.456817 + z * (60.244641 + z * -26.426257))));
  switch quadrant & 3u {
    case 0u: { return vec2f(c, s); }
    case 1u: { return vec2f(-s, c); }
    case 2u: { return vec2f(-c, -s); }
    default: { return vec2f(s, -c); }
  }
}

// (cos, sin) of a number of turns given in units of 2^-32.
fn cos_sin_turns(turns: u32) -> vec2f {
  let quadrant = (turns + 0x20000000u) >> 30u;
  return cos_sin_octant(quadrant, f32(bitcast<i32>(turns - (quadrant << 30u))) * 2.3283064365386963e-10);
}

// (cos, sin) of radians of moderate size, as exact near 0 as x itself.
fn cos_sin(x: f32) -> vec2f {
  let turns = x * 0.15915494;
  let rest = turns - round(turns);
  let quadrant = round(4.0 * rest);
  return cos_sin_octant(bitcast<u32>(i32(quadrant)), rest - 0.25 * quadrant);
}

// sin(x)/x - 1 without cancellation near 0.
fn sinc_minus_one(x: f32) -> f32 {
  let y = x * x;
  if (y > 1.0) { return cos_sin(x).y / x - 1.0; }
  return -y / 6.0 * (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0)));
}

fn sinc(x: f32) -> f32 {
  return 1.0 + sinc_minus_one(x);
}

// One edge's part of Gordon's integral, times jk: g [ s1 + (1 + s1)(-2 sin^2(k phi/2)) + j (1 + s1) sin(k phi) ].
fn gordon_term(edge: vec3f, k: f32) -> vec2f {
  let s1 = sinc_minus_one(k * edge.x);
  let half = cos_sin(0.5 * k * edge.y);
  return edge.z * vec2f(s1 - 2.0 * (1.0 + s1) * half.y * half.y, (1.0 + s1) * 2.0 * half.x * half.y);
}

fn phasor(turns: u32) -> vec2f {
  let t = cos_sin_turns(turns);
  return vec2f(t.x, -t.y);
}

var<workgroup> shared_re: array<vec4f, 256>;
var<workgroup> shared_im: array<vec4f, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  if (FREQUENCY_LANES * wg.y >= step_.frequency_count) { return; }
  let group = groups[wg.x];
  let column = FREQUENCY_LANES * wg.y + lane % FREQUENCY_LANES;
  let share = lane / FREQUENCY_LANES;
  let n = step_.first_frequency + column;
  let k = job.tx_v.w + f32(n) * job.tx_h.w;
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  for (var i = share; i < group.records; i += RECORD_LANES) {
    let head = records[2u * (group.record + i)];
    let amplitude = records[2u * (group.record + i) + 1u];
    let p = phasor(bitcast<u32>(head.x) + n * bitcast<u32>(head.y)) * (sinc(k * head.z) * sinc(k * head.w));
    re += amplitude * p.x;
    im += amplitude * p.y;
  }
  for (var i = share; i < group.quad_records; i += RECORD_LANES) {
    let at = 5u * (group.quad_record + i);
    let head = quad_records[at];
    let amplitude = quad_records[at + 1u];
    let first = quad_records[at + 2u];
    let sum = gordon_term(first.xyz, k) + gordon_term(quad_records[at + 3u].xyz, k)
      + gordon_term(quad_records[at + 4u].xyz, k) + gordon_term(vec3f(head.zw, first.w), k);
    let p = phasor(bitcast<u32>(head.x) + n * bitcast<u32>(head.y));
    // I = sum / (jk)
    let shape = vec2f(sum.y, -sum.x) / k;
    re += amplitude * (shape.x * p.x - shape.y * p.y);
    im += amplitude * (shape.x * p.y + shape.y * p.x);
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
  if (share == 0u && column < step_.frequency_count) {
    let at = (wg.x * step_.frequency_count + column) * 8u;
    let r = shared_re[lane];
    let i = shared_im[lane];
    for (var c = 0u; c < 4u; c++) {
      partial[at + 2u * c] = r[c];
      partial[at + 2u * c + 1u] = i[c];
    }
  }
}
