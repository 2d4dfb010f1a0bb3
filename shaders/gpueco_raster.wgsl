// Rasterising in compute: a workgroup takes one entry of the work list, a facet or some rows of a large one. Samples are
// pixel centres. Edge functions are evaluated from the lesser end of an edge to the greater, so that both facets at it
// get the same number and every sample of a closed surface lies in exactly one facet.

@group(0) @binding(2) var<storage, read> facets: array<Facet>;
@group(0) @binding(3) var<storage, read> work: array<Work>;
@group(0) @binding(4) var<storage, read> aspects: array<Aspect>;

struct Triangle {
  facet: u32,
  n: vec3f,            // turned to the radar
  p0: vec2f,           // corners in pixels, counter-clockwise
  p1: vec2f,
  p2: vec2f,
  h: vec3f,            // height of p0, least and greatest height [m]
  slope: vec2f,        // of the height, per pixel [m]
  bias: f32,           // by which rounding may displace a height [m]
  low: vec2i,          // samples of this entry: x and y from low to below high
  high: vec2i,
}

// High below low where the facet is not drawn.
fn triangle(entry: Work, a: Aspect) -> Triangle {
  var t: Triangle;
  t.facet = entry.facet & 0x7fffffffu;
  t.n = vec3f(facets[t.facet].normal_x, facets[t.facet].normal_y, facets[t.facet].normal_z);
  t.low = vec2i(0);
  t.high = vec2i(0);
  if ((entry.facet >> 31u) == 1u && dot(t.n, a.r) < 0.0) { t.n = -t.n; }
  let cosine = dot(t.n, a.r);
  if (cosine <= GRAZING) { return t; }
  let q0 = project(a, facets[t.facet].corner0);
  let q1 = project(a, facets[t.facet].corner1);
  let q2 = project(a, facets[t.facet].corner2);
  t.p0 = q0.xy;
  t.p1 = q1.xy;
  t.p2 = q2.xy;
  let d1 = q1.xy - q0.xy;
  let d2 = q2.xy - q0.xy;
  if (d1.x * d2.y - d1.y * d2.x < 0.0) {
    t.p1 = q2.xy;
    t.p2 = q1.xy;
  }
  t.h = vec3f(q0.z, min(q0.z, min(q1.z, q2.z)), max(q0.z, max(q1.z, q2.z)));
  t.slope = -vec2f(dot(t.n, a.u), dot(t.n, a.v)) * (job.pixel / cosine);
  t.bias = job.rounding * (1.0 + (abs(t.slope.x) + abs(t.slope.y)) / job.pixel);
  let low = min(t.p0, min(t.p1, t.p2));
  let high = max(t.p0, max(t.p1, t.p2));
  let corner = vec2i(step_.tile_x, step_.tile_y);
  let part = i32(entry.part & 0xffffu);
  let parts = i32(entry.part >> 16u);
  // Sample x of pixel i is i + 0.5; one pixel more either side, since the edge functions decide.
  let begin = vec2i(floor(low)) - 1;
  let to = vec2i(ceil(high)) + 1;
  let rows = to.y - begin.y;
  t.low = max(vec2i(begin.x, begin.y + rows * part / parts), corner);
  t.high = min(vec2i(to.x, begin.y + rows * (part + 1) / parts), corner + vec2i(i32(job.tile)));
  t.high = min(t.high, vec2i(i32(job.size)));
  return t;
}

fn samples(t: Triangle) -> u32 {
  if (any(t.high <= t.low)) { return 0u; }
  let n = t.high - t.low;
  return u32(n.x * n.y);
}

fn sample(t: Triangle, i: u32) -> vec2i {
  let width = u32(t.high.x - t.low.x);
  return t.low + vec2i(i32(i % width), i32(i / width));
}

fn left_of(p: vec2f, q: vec2f, x: vec2f) -> bool {
  let swap = q.x < p.x || (q.x == p.x && q.y < p.y);
  let a = select(p, q, swap);
  let d = select(q, p, swap) - a;
  let e = d.x * (x.y - a.y) - d.y * (x.x - a.x);
  return select(e >= 0.0, e < 0.0, swap);
}

fn covers(t: Triangle, at: vec2i) -> bool {
  let x = vec2f(at) + 0.5;
  return left_of(t.p0, t.p1, x) && left_of(t.p1, t.p2, x) && left_of(t.p2, t.p0, x);
}

// Height of the facet's plane at a point of the image, kept to the facet's own heights.
fn height(t: Triangle, x: vec2f) -> f32 {
  return clamp(t.h.x + dot(t.slope, x - t.p0), t.h.y, t.h.z);
}
