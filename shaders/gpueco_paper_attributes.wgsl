// Lit pixels out of the targets that hold position and normal.

@group(0) @binding(4) var points: texture_2d<f32>;
@group(0) @binding(5) var normals: texture_2d<f32>;

struct Surface {
  point: vec3f,
  normal: vec3f,
}

fn lit(at: vec2u) -> bool {
  return textureLoad(points, at, 0).w != 0.0;
}

fn surface(a: Aspect, at: vec2u) -> Surface {
  return Surface(textureLoad(points, at, 0).xyz, textureLoad(normals, at, 0).xyz);
}
