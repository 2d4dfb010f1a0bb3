// Electromagnetic computing for adaptive tubes: the first bounce of the facets that are lit whole and have their centre in the
// batch, each the polygon integral of the whole facet (docs/adaptive-tubes.md). A workgroup takes 64 facets: a lane each makes
// their contributions, then lanes are FREQUENCY_LANES frequencies x shares of the facets. Every facet's field is made an
// integer before it is added, so that no grouping changes a byte.

@group(0) @binding(2) var<storage, read> slots: array<vec4f>;
// Four per slot: the facet's centre (high parts, then low parts), and two of its corners relative to that.
@group(0) @binding(3) var<storage, read> facet_points: array<vec4f>;
@group(0) @binding(4) var<storage, read> candidates: array<u32>;
@group(0) @binding(5) var<storage, read_write> totals: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> counters: array<atomic<u32>>;

const LANES = 64u;
const SHARES = LANES / FREQUENCY_LANES;

var<workgroup> radiating: atomic<u32>;
var<workgroup> lit: array<u32, LANES>;
var<workgroup> turns: array<vec2u, LANES>;
var<workgroup> amplitude: array<vec4f, LANES>;
var<workgroup> edges: array<array<vec3f, 3>, LANES>;
var<workgroup> sums: array<array<vec2u, 8>, LANES>;

// Whether the facet's centre lies over the batch; it is taken for a part of the aperture that it may lie a rounding outside.
fn centre_in_batch(centre: vec3f) -> bool {
  let at = vec2f(dot(centre, job.u.xyz), dot(centre, job.v.xyz)) / job.base.w - vec2f(job.u.w, job.v.w);
  let tile = clamp(vec2i(floor(at / 16.0)), job.aperture.xy, job.aperture.zw);
  let first = vec2i(step_.cell_i, step_.cell_j) >> vec2u(4u);
  return all(tile >= first) && all(tile < first + vec2i(vec2u(step_.tiles_i, step_.tiles_j)));
}

// What facet number `lane` of the workgroup radiates at any frequency.
fn contribute(slot: u32, lane: u32) {
  let high = facet_points[4u * slot].xyz;
  let low = facet_points[4u * slot + 1u].xyz;
  let a = facet_points[4u * slot + 2u].xyz;
  let b = facet_points[4u * slot + 3u].xyz;
  let c = -(a + b);
  let d = job.d.xyz;
  let plane = slots[3u * slot].xyz;
  let n = select(plane, -plane, dot(plane, d) > 0.0);
  let d_exact = tf_vec(d, job.d_lo.xyz);
  let s_exact = tf_vec(job.s.xyz, job.s_lo.xyz);
  let centre = tf_vec(high, low);
  turns[lane] = bitcast<vec2u>(record_turns(tf_add(tf_dot(d_exact, centre), -tf_dot(s_exact, centre))));
  amplitude[lane] = amplitudes(d, n, job.tx_v.xyz, job.tx_h.xyz);
  let twice_area = cross(b - a, c - a);
  let p = twice_area / max(length(twice_area), 1e-30);
  let w = difference(s_exact, d_exact);
  let wt = phase_gradient(w, p, b - a);
  edges[lane][0] = gordon_edge(a, b, p, wt);
  edges[lane][1] = gordon_edge(b, c, p, wt);
  edges[lane][2] = gordon_edge(c, a, p, wt);
}

fn add_facet(i: u32, n: u32, k: f32, sum: ptr<function, array<vec2u, 8>>) {
  let g = gordon_term(edges[i][0], k) + gordon_term(edges[i][1], k) + gordon_term(edges[i][2], k);
  let shape = vec2f(g.y, -g.x) / k;
  let p = phasor(turns[i].x + n * turns[i].y);
  let re = amplitude[i] * (shape.x * p.x - shape.y * p.y);
  let im = amplitude[i] * (shape.x * p.y + shape.y * p.x);
  for (var c = 0u; c < 4u; c++) {
    (*sum)[2u * c] = add64((*sum)[2u * c], to_fixed(re[c]));
    (*sum)[2u * c + 1u] = add64((*sum)[2u * c + 1u], to_fixed(im[c]));
  }
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) lane: u32) {
  let slot = LANES * wg.x + lane;
  lit[lane] = 0u;
  if (slot < job.slots && (job.bounce_mask & 1u) == 1u) {
    let kind = kind_of(candidates[slot_state(slot)], candidates[flat_state(flat_of(slot))]);
    if (kind != OTHER && centre_in_batch(facet_points[4u * slot].xyz)) {
      lit[lane] = 1u;
      atomicAdd(&radiating, 1u);
      contribute(slot, lane);
    }
  }
  let all_lit = workgroupUniformLoad(&radiating);
  if (all_lit == 0u) { return; }
  if (lane == 0u) {
    atomicAdd(&counters[TOTAL_LEAVES], all_lit);
    atomicAdd(&counters[TOTAL_RECORDS], all_lit);
  }
  let share = lane / FREQUENCY_LANES;
  for (var first = 0u; first < job.frequencies; first += FREQUENCY_LANES) {
    let n = first + lane % FREQUENCY_LANES;
    let k = job.tx_v.w + f32(n) * job.tx_h.w;
    var sum: array<vec2u, 8>;
    if (n < job.frequencies) {
      for (var i = share; i < LANES; i += SHARES) {
        if (lit[i] == 1u) { add_facet(i, n, k, &sum); }
      }
    }
    sums[lane] = sum;
    workgroupBarrier();
    for (var reach = SHARES / 2u; reach > 0u; reach /= 2u) {
      if (share < reach) {
        for (var v = 0u; v < 8u; v++) { sums[lane][v] = add64(sums[lane][v], sums[lane + reach * FREQUENCY_LANES][v]); }
      }
      workgroupBarrier();
    }
    if (share == 0u && n < job.frequencies) {
      for (var v = 0u; v < 8u; v++) { add_total(8u * n + v, sums[lane][v]); }
    }
    workgroupBarrier();
  }
}
