// Visibility of edges: one bit for each of a piece's samples. A workgroup takes a piece, a lane a sample of it.

@group(0) @binding(2) var<storage, read> edges: array<Edge>;
@group(0) @binding(3) var<storage, read> pieces: array<Piece>;
@group(0) @binding(4) var<storage, read> aspects: array<Aspect>;
@group(0) @binding(5) var<storage, read> depth: array<u32>;
@group(0) @binding(6) var<storage, read_write> masks: array<atomic<u32>>;

// A face of an edge as drawn: its slope per pixel along u and v [m], whether it is in front, and which way from the edge it lies.
struct Side {
  slope: vec2f,
  into: vec2f,
  front: bool,
}

fn side_of(a: Aspect, face: EdgeFace) -> Side {
  let cosine = dot(face.out, a.r);
  let slope = -vec2f(dot(face.out, a.u), dot(face.out, a.v)) * (job.pixel / max(cosine, GRAZING));
  return Side(slope, vec2f(dot(face.into, a.u), dot(face.into, a.v)), cosine > GRAZING);
}

// Whether nothing is nearer than the edge's own face at a pixel's centre, or than the edge where the centre lies beside its faces.
fn passes(aspect: u32, at: vec2i, p: vec3f, across: vec2f, s0: Side, s1: Side) -> bool {
  let corner = vec2i(step_.tile_x, step_.tile_y);
  if (any(at < corner) || any(at >= corner + vec2i(i32(job.tile))) || any(at >= vec2i(i32(job.size)))) { return false; }
  let away = vec2f(at) + 0.5 - p.xy;
  var slope = vec2f(0.0);
  let beside = dot(away, across);
  // Of two faces on this side the one in front hides the other.
  var own = -3.0e38;
  if (s0.front && beside * dot(s0.into, across) >= 0.0) {
    own = dot(s0.slope, away);
    slope = s0.slope;
  }
  if (s1.front && beside * dot(s1.into, across) >= 0.0 && dot(s1.slope, away) > own) {
    own = dot(s1.slope, away);
    slope = s1.slope;
  }
  if (own < -1.0e38) { own = 0.0; }
  let bias = job.rounding * (1.0 + (abs(slope.x) + abs(slope.y)) / job.pixel);
  return p.z + own >= key_depth(depth[pixel_index(aspect, at)]) - bias;
}

@compute @workgroup_size(PIECE_SAMPLES)
fn main(@builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) count: vec3u, @builtin(local_invocation_index) lane: u32) {
  let number = wg.x + count.x * wg.y;
  if (number >= job.pieces) { return; }
  let a = aspects[wg.z];
  let e = edges[pieces[number].edge];
  let i = pieces[number].first + lane;
  let s0 = side_of(a, e.faces[0]);
  let s1 = side_of(a, e.faces[1]);
  if (f32(i) >= e.samples || !(s0.front || s1.front)) { return; }
  let t = (f32(i) + 0.5) * e.spacing;
  let p = project(a, e.start + t * e.tangent);
  let along = vec2f(dot(e.tangent, a.u), dot(e.tangent, a.v));
  let across = vec2f(-along.y, along.x);
  let low = vec2i(floor(p.xy - 0.5));
  if (passes(wg.z, low, p, across, s0, s1) || passes(wg.z, low + vec2i(1, 0), p, across, s0, s1)
    || passes(wg.z, low + vec2i(0, 1), p, across, s0, s1) || passes(wg.z, low + vec2i(1, 1), p, across, s0, s1)) {
    atomicOr(&masks[wg.z * job.pieces + number], 1u << lane);
  }
}
