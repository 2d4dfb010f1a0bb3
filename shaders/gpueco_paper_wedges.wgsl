// Pixels that hold a visible edge: its position and number.

@group(0) @binding(4) var wedges: texture_2d<f32>;

fn lit(at: vec2u) -> bool {
  return textureLoad(wedges, at, 0).w != 0.0;
}
