// What the kernels of radio propagation share (paper 004). `Job` is constant over a run, `Step` is one batch of rays: the
// same rows of the lattice on some faces of the icosahedron. Both are declared in gpu/propagation/kernels.ts. The host prepends them,
// MAX_REFLECTIONS, STACK_SIZE, WORKGROUP, SPHERES (1: reception spheres) and COUNT (1: receivers are
// counted, not listed).

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;

const NO_FACET = 0xffffffffu;

// First word of a candidate; the listed paths follow the last one that there is room for.
fn candidate_at(candidate: u32) -> u32 { return HEAD_WORDS + CANDIDATE_WORDS * candidate; }

struct Place {
  face: u32,
  i: u32,
  j: u32,
}

// Rows of a face are paired, first with last, so that every pair is as long as any other: then no place stays empty but some of
// the middle row's. False for those.
fn place_of(ray: u32, place: ptr<function, Place>) -> bool {
  let in_face = ray % step_.places;
  let pair = in_face / step_.width;
  let x = in_face % step_.width;
  let first = step_.j0 + pair;
  let last = step_.j1 - pair;
  let length_ = step_.n + 1u - first;
  (*place).face = step_.face + ray / step_.places;
  (*place).i = select(x - length_, x, x < length_);
  (*place).j = select(last, first, x < length_);
  return x < length_ || first != last;
}

fn ray_at(place: Place) -> u32 {
  let pair = min(place.j - step_.j0, step_.j1 - place.j);
  let first = step_.j0 + pair;
  return (place.face - step_.face) * step_.places + pair * step_.width
    + place.i + select(step_.n + 1u - first, 0u, place.j == first);
}

fn vertex_direction(place: Place) -> vec3f {
  let k = f32(step_.n - place.i - place.j);
  let corners = &job.faces[place.face].corners;
  return normalize(k * (*corners)[0] + f32(place.i) * (*corners)[1] + f32(place.j) * (*corners)[2]);
}

// A ray's words, those of neighbouring rays side by side.
fn count_word(ray: u32) -> u32 { return RAY_REFLECTIONS * step_.stride + ray; }
fn met_word(ray: u32, k: u32) -> u32 { return (RAY_MET + k) * step_.stride + ray; }
fn from_word(ray: u32, b: u32) -> u32 { return (RAY_SEGMENTS + 2u * b) * step_.stride + ray; }
fn to_word(ray: u32, b: u32) -> u32 { return from_word(ray, b) + step_.stride; }
