// The passes of paper 001 that draw (sections 3.1.1 and 3.2.2): facets into position and normal, or into their numbers alone; edges
// with their numbers, where no facet hides them.

@group(0) @binding(2) var<storage, read> facets: array<Facet>;
@group(0) @binding(3) var<storage, read> aspects: array<Aspect>;
@group(0) @binding(4) var<storage, read> edges: array<Edge>;

struct Vertex {
  @builtin(position) clip: vec4f,
  @location(0) point: vec3f,
  @location(1) @interpolate(flat) normal: vec3f,
  @location(2) @interpolate(flat) number: u32,
}

struct Attributes {
  @location(0) point: vec4f,
  @location(1) normal: vec4f,
}

// Depth runs from 0 next to the radar to 1, over a little more than the sphere that holds the target.
fn clip_position(a: Aspect, p: vec3f) -> vec4f {
  let q = project(a, p);
  let size = f32(job.size);
  return vec4f(2.0 * q.x / size - 1.0, 1.0 - 2.0 * q.y / size, 0.5 - q.z / (size * job.pixel * 1.01), 1.0);
}

// Outside the image: nothing is drawn.
const NOWHERE = vec4f(2.0, 2.0, 2.0, 1.0);

@vertex
fn facet_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) aspect: u32) -> Vertex {
  let a = aspects[aspect];
  let facet = index / 3u;
  let corner = index % 3u;
  var n = vec3f(facets[facet].normal_x, facets[facet].normal_y, facets[facet].normal_z);
  if (facets[facet].both_sides == 1u && dot(n, a.r) < 0.0) { n = -n; }
  let p = select(
    select(facets[facet].corner0, facets[facet].corner1, corner == 1u), facets[facet].corner2, corner == 2u);
  let clip = select(NOWHERE, clip_position(a, p), dot(n, a.r) > GRAZING);
  return Vertex(clip, p, n, facet + 1u);
}

@fragment
fn facet_attributes(v: Vertex) -> Attributes {
  return Attributes(vec4f(v.point, 1.0), vec4f(v.normal, 0.0));
}

@fragment
fn facet_number(v: Vertex) -> @location(0) u32 {
  return v.number;
}

@vertex
fn edge_vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) aspect: u32) -> Vertex {
  let a = aspects[aspect];
  let e = edges[index / 2u];
  let front = dot(e.faces[0].out, a.r) > GRAZING || dot(e.faces[1].out, a.r) > GRAZING;
  let p = e.start + f32(index % 2u) * e.samples * e.spacing * e.tangent;
  return Vertex(select(NOWHERE, clip_position(a, p), front), p, vec3f(0.0), index / 2u + 1u);
}

@fragment
fn edge_attributes(v: Vertex) -> @location(0) vec4f {
  return vec4f(v.point, f32(v.number));
}
