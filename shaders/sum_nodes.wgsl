// Electromagnetic computing, part 2, for many frequencies (docs/numerics.md): the contributions of a group lie close
// together in delay, so that their sum, turned back by a common delay, is smooth over the band: a few Chebyshev nodes of the
// band serve all its frequencies, by interpolation. Where a group falls into several clusters of delay (edges of the target in
// front of other parts) each is taken on its own. One workgroup a group; sums run in a fixed order.
// What contributions add, in parts (components) with weights by frequency, CHUNK of them at once, is in node_records.wgsl or
// node_materials.wgsl.
// The host prepends SUM_DIGITS: the error is 10^-SUM_DIGITS of the sum of magnitudes (single precision's is about 1e-6).

@group(0) @binding(2) var<storage, read> groups: array<Group>;
@group(0) @binding(3) var<storage, read> records: array<Contribution>;
@group(0) @binding(4) var<storage, read> quad_records: array<QuadContribution>;
// Two per group and frequency of this dispatch: (re, im) of VV HH, then of VH HV.
@group(0) @binding(5) var<storage, read_write> partial: array<vec4f>;
@group(0) @binding(6) var<storage, read> counters: array<u32>;

const SUM_LANES = 128u;
// Frequencies of one dispatch, at the most.
const MAX_COUNT = 128u;
// Delays of a cluster lie within so many cycles over the band.
const WINDOW_CYCLES = 4.0;
// Clusters of a group; the last takes what is left.
const MAX_CLUSTERS = 16u;
const TURN = 4294967296.0;
const TAU = 6.2831853;
const MOST = 2147483647;

// Sums of the shares of the records, share by share, at every node.
var<workgroup> sum_re: array<vec4f, MAX_COUNT>;
var<workgroup> sum_im: array<vec4f, MAX_COUNT>;
var<workgroup> node_at: array<f32, MAX_COUNT>;     // in frequency steps from the dispatch's first
var<workgroup> node_weight: array<f32, MAX_COUNT>; // barycentric
// Least rate of the cluster and of those after it, and the cluster's extent with its shapes, in quarters.
var<workgroup> least: atomic<i32>;
var<workgroup> after: atomic<i32>;
var<workgroup> low: atomic<i32>;
var<workgroup> high: atomic<i32>;

// Real and imaginary parts of VV HH VH HV.
struct Sum {
  re: vec4f,
  im: vec4f,
}

// Turns per frequency step of record i (the parallelograms, then the quadrilaterals), and how much its shape adds to
// either side, both in units of 2^-32 cycle.
struct Rate {
  cycles: u32,
  spread: i32,
}

fn record_rate(group: Group, i: u32) -> Rate {
  var cycles: u32;
  var span = 0.0;
  if (i < group.records) {
    let at = group.record + i;
    cycles = records[at].cycles.y;
    span = abs(records[at].spans.x) + abs(records[at].spans.y);
  } else {
    let at = group.quad_record + i - group.records;
    cycles = quad_records[at].cycles.y;
    for (var c = 0u; c < 4u; c++) {
      let e = quad_records[at].edges[c];
      span = max(span, abs(e.x) + abs(e.y));
    }
  }
  return Rate(cycles, i32(min(span * job.wavenumber_step / TAU, 0.25) * TURN));
}

// As a signed number; MOST stands for none, and 2^-32 cycle less is nothing.
fn relative_rate(cycles: u32, reference: u32) -> i32 {
  return min(bitcast<i32>(cycles - reference), MOST - 1);
}

// Nodes that interpolate exp(jax) over -1 ... 1 to 10^-SUM_DIGITS (fitted; the true number or one or two more).
fn node_count(a: f32) -> u32 {
  let digits = f32(SUM_DIGITS);
  return u32(ceil(a + (1.2 + 0.68 * digits) * pow(max(a, 1e-6), 1.0 / 3.0) + 0.25 * digits));
}

fn sum_group(n: u32, lane: u32) {
  let count = step_.frequency_count;
  let last = f32(count - 1u);
  let group = groups[n];
  let all = group.records + group.quad_records;
  let components = component_count(group);
  let out = 2u * count * n;
  // Each lane writes its own frequencies only.
  for (var row = lane; row < count; row += SUM_LANES) {
    partial[out + 2u * row] = vec4f(0.0);
    partial[out + 2u * row + 1u] = vec4f(0.0);
  }
  // Rates are taken relative to one of them, as signed numbers: any multiple of a turn may be left out.
  let reference = record_rate(group, 0u).cycles;
  if (lane == 0u) { atomicStore(&least, MOST); }
  workgroupBarrier();
  for (var i = lane; i < all; i += SUM_LANES) { atomicMin(&least, relative_rate(record_rate(group, i).cycles, reference)); }
  var start = workgroupUniformLoad(&least);
  var window = u32(min(WINDOW_CYCLES / max(last, 1.0), 0.5) * TURN);
  for (var cluster = 1u; cluster <= MAX_CLUSTERS && start != MOST; cluster++) {
    // The cluster: from the least rate that is left, as far as the window reaches.
    if (cluster == MAX_CLUSTERS) { window = 0xffffffffu; }
    if (lane == 0u) {
      atomicStore(&after, MOST);
      atomicStore(&low, MOST);
      atomicStore(&high, -MOST);
    }
    workgroupBarrier();
    for (var i = lane; i < all; i += SUM_LANES) {
      let rate = record_rate(group, i);
      let relative = relative_rate(rate.cycles, reference);
      if (relative < start) { continue; }
      if (bitcast<u32>(relative - start) > window) {
        atomicMin(&after, relative);
      } else {
        atomicMin(&low, (relative >> 2u) - (rate.spread >> 2u) - 1);
        atomicMax(&high, (relative >> 2u) + (rate.spread >> 2u) + 1);
      }
    }
    let begin = workgroupUniformLoad(&low) >> 1u;
    let end = workgroupUniformLoad(&high) >> 1u;
    let centre = 4 * (begin + end);
    let half_span = 4.0 * f32(end - begin) / TURN;
    let nodes = min(node_count(0.5 * TAU * half_span * last), count);
    // Nodes from either end, so that those near it keep their digits; all frequencies where that is no more work.
    for (var m = lane; m < nodes; m += SUM_LANES) {
      let lower = 2u * m < nodes;
      let turn = f32(2u * select(nodes - 1u - m, m, lower) + 1u) / f32(8u * nodes);
      let s = cos_sin(TAU * turn).y;
      let x = select(last - last * s * s, last * s * s, lower);
      node_at[m] = select(x, f32(m), nodes == count);
    }
    workgroupBarrier();
    for (var m = lane; m < nodes; m += SUM_LANES) {
      var product = 1.0;
      for (var other = 0u; other < nodes; other++) {
        if (other != m) { product *= (node_at[m] - node_at[other]) * (4.0 / last); }
      }
      node_weight[m] = 1.0 / product;
    }
    let shares = max(SUM_LANES / nodes, 1u);
    let share = lane / nodes;
    // Phases and shapes serve a chunk of components. No more nodes than lanes: each has one of a share.
    var sums: array<Sum, CHUNK>;
    for (var first = 0u; first < components; first += CHUNK) {
      if (share < shares) {
        sum_records(&sums, group, Selection(reference, start, window, centre), first, components, share, shares, lane % nodes);
      }
      for (var c = 0u; c < CHUNK; c++) {
        if (first + c >= components) { break; }
        if (first + c > 0u) { workgroupBarrier(); }
        if (share < shares) {
          sum_re[lane] = sums[c].re;
          sum_im[lane] = sums[c].im;
        }
        workgroupBarrier();
        var left = shares;
        while (left > 1u) {
          let keep = (left + 1u) / 2u;
          if (share < left - keep) {
            sum_re[lane] += sum_re[lane + keep * nodes];
            sum_im[lane] += sum_im[lane + keep * nodes];
          }
          left = keep;
          workgroupBarrier();
        }
        for (var row = lane; row < count; row += SUM_LANES) {
          interpolate(out + 2u * row, row, nodes, bitcast<u32>(centre) + reference, first + c);
        }
      }
    }
    start = workgroupUniformLoad(&after);
  }
}

// The records of a cluster: rates relative to `reference` from `start` as far as `window`; `centre` in the middle.
struct Selection {
  reference: u32,
  start: i32,
  window: u32,
  centre: i32,
}

// Sums the components from `first` on of a share of the cluster's records at node m, turned back by the central delay.
fn sum_records(
  sums: ptr<function, array<Sum, CHUNK>>, group: Group, of_cluster: Selection, first: u32, components: u32, share: u32,
  shares: u32, m: u32
) {
  let x = node_at[m];
  let whole = floor(x);
  let k = job.wavenumber + (f32(step_.first_frequency) + x) * job.wavenumber_step;
  for (var c = 0u; c < CHUNK; c++) { (*sums)[c] = Sum(vec4f(0.0), vec4f(0.0)); }
  for (var i = share; i < group.records + group.quad_records; i += shares) {
    let parallelogram = i < group.records;
    let at = select(group.quad_record + i - group.records, group.record + i, parallelogram);
    var cycles: vec2u;
    var spans: vec2f;
    // Side by side in memory: one load.
    if (parallelogram) { cycles = records[at].cycles; spans = records[at].spans; } else { cycles = quad_records[at].cycles; }
    let relative = relative_rate(cycles.y, of_cluster.reference);
    if (relative < of_cluster.start || bitcast<u32>(relative - of_cluster.start) > of_cluster.window) { continue; }
    let rate = relative - of_cluster.centre;
    let p = phasor(cycles.x + step_.first_frequency * cycles.y
      + u32(whole) * bitcast<u32>(rate) + bitcast<u32>(i32(round((x - whole) * f32(rate)))));
    if (parallelogram) {
      add_parallelogram(sums, at, first, components, sinc(k * spans.x) * sinc(k * spans.y), p);
    } else {
      let shape = quad_shape(at, k);
      add_quadrilateral(sums, at, first, components, vec2f(shape.x * p.x - shape.y * p.y, shape.x * p.y + shape.y * p.x));
    }
  }
}

// Adds the cluster's field of a component at frequency `row` of the dispatch, turned on by the delay that the nodes' sums lack.
fn interpolate(at: u32, row: u32, nodes: u32, rate: u32, component: u32) {
  var re = vec4f(0.0);
  var im = vec4f(0.0);
  var total = 0.0;
  for (var m = 0u; m < nodes; m++) {
    let distance = f32(row) - node_at[m];
    if (distance == 0.0) {
      re = sum_re[m];
      im = sum_im[m];
      total = 1.0;
      break;
    }
    let l = node_weight[m] / distance;
    re += l * sum_re[m];
    im += l * sum_im[m];
    total += l;
  }
  let p = component_weight(step_.first_frequency + row, component) * phasor(row * rate) / total;
  let a = re * p.x - im * p.y;
  let b = re * p.y + im * p.x;
  partial[at] += vec4f(a.x, b.x, a.y, b.y);
  partial[at + 1u] += vec4f(a.z, b.z, a.w, b.w);
}

@compute @workgroup_size(SUM_LANES)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let end = min(counters[GROUPS], job.group_capacity);
  for (var n = wg.x; n < end; n += num.x) {
    sum_group(n, lane);
    workgroupBarrier();
  }
}
