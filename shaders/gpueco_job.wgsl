// What the kernels of rasterised physical optics share (docs/gpueco.md). A batch of aspects runs through each kernel at
// once: the aspect is the dispatch's z. `Job` is constant over the batch, `Step` changes from dispatch to dispatch; these and
// the records are declared in gpu/gpueco/kernels.ts. The host prepends them, the positions of what `counters` and `counts`
// hold (PARTIALS, COUNT_SAMPLES, ...), and AXIS: workgroups along an axis of a dispatch.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;

// Facets that meet the wave at less than the cosine GRAZING are neither drawn nor lit.

const PROBES = 4u;

// Depths as words that order like the floats: greater is nearer to the radar, 0 is the background.
fn depth_key(h: f32) -> u32 {
  let bits = bitcast<u32>(h);
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) == 1u);
}

fn key_depth(key: u32) -> f32 {
  if (key == 0u) { return -3.0e38; }
  return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) == 1u));
}

// Pixel coordinates and height towards the radar [m].
fn project(a: Aspect, p: vec3f) -> vec3f {
  return vec3f(
    dot(a.u, p) / job.pixel + job.centre.x,
    dot(a.v, p) / job.pixel + job.centre.y,
    dot(a.r, p));
}

// Place of a pixel in an aspect's depth buffer.
fn pixel_index(aspect: u32, at: vec2i) -> u32 {
  let local = vec2u(at - vec2i(step_.tile_x, step_.tile_y));
  return (aspect * job.tile + local.y) * job.tile + local.x;
}

// Phase path w . p of a point given in single precision [m], in two floats.
fn phase_path(a: Aspect, p: vec3f) -> vec2f {
  let x = tf_scale(vec2f(a.w.x, a.w_lo.x), p.x);
  let y = tf_scale(vec2f(a.w.y, a.w_lo.y), p.y);
  return tf_add(tf_add(x, y), tf_scale(vec2f(a.w.z, a.w_lo.z), p.z));
}

fn phasor(cycles: vec2u, n: u32) -> vec2f {
  return cos_sin_cycles(cycles.x + n * cycles.y);
}

// Physical optics of a facet with normal n towards the radar: radiated amplitudes A of VV HH VH HV (docs/theory.md, "5. Current" and
// "6. Radiated amplitude").
fn facet_amplitudes(a: Aspect, n: vec3f) -> vec4f {
  let v = radiate(a, n, a.tx_v);
  let h = radiate(a, n, a.tx_h);
  return vec4f(v.x, h.y, v.y, h.x);
}

// A of the current 2n x (d x E) for the receive polarisations V and H.
fn radiate(a: Aspect, n: vec3f, e: vec3f) -> vec2f {
  let j = -2.0 * (dot(n, e) * a.r - dot(n, a.r) * e);
  return vec2f(-dot(a.rx_v, j), -dot(a.rx_h, j));
}
