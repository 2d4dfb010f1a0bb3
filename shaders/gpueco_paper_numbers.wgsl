// Lit pixels out of the target that holds facet numbers: the position is where the pixel's ray meets the facet's plane.

@group(0) @binding(4) var numbers: texture_2d<u32>;
@group(0) @binding(5) var<storage, read> facets: array<Facet>;

struct Surface {
  point: vec3f,
  normal: vec3f,
}

fn lit(at: vec2u) -> bool {
  return textureLoad(numbers, at, 0).x != 0u;
}

fn surface(a: Aspect, at: vec2u) -> Surface {
  let facet = textureLoad(numbers, at, 0).x - 1u;
  let out = vec3f(facets[facet].normal_x, facets[facet].normal_y, facets[facet].normal_z);
  let n = select(out, -out, dot(out, a.r) < 0.0);
  let x = (vec2f(at) + 0.5 - job.centre) * job.pixel;
  let foot = x.x * a.u + x.y * a.v;
  let h = dot(n, facets[facet].corner0 - foot) / dot(n, a.r);
  return Surface(foot + h * a.r, n);
}
