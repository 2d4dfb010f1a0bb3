// What the kernels of radio propagation share (paper 004). `Job` is constant over a run, `Step` is one batch of rays: the
// same rows of the lattice on some faces of the icosahedron. The host prepends MAX_REFLECTIONS, STACK_SIZE, WORKGROUP, SPHERES (1: reception spheres) and COUNT (1: receivers are
// counted, not listed).

struct Job {
  transmitter: vec4f,    // high parts; w: start of a reflected ray above its facet [m]
  transmitter_lo: vec4f, // low parts
  region_min: vec4f,     // absorbing box
  region_max: vec4f,
  zero: u32,             // always 0: see two_float
  slots: u32,            // facets
  diagonal: f32,         // of the target's box [m]
  receivers: u32,
  receiver_nodes: u32,
  capacity: u32,         // candidates
  listed_capacity: u32,  // paths of listed receivers
  fixed_exponent: i32,   // sums are integers times 2^-fixed_exponent
  excitations: u32,
  materials: u32,
  tables: u32,           // start of the antennas in `excitations`, in vec4f
  pad: u32,
  // Of each face of the icosahedron: corners; then the rows that give a direction's weights of them, high parts, low parts.
  faces: array<array<vec4f, 9>, 20>,
}

struct Step {
  n: u32,                // subdivision
  j0: u32,               // first row of triangles
  j1: u32,               // last row of vertices
  width: u32,            // places of a pair of rows: 2 (n + 1) - j0 - j1
  face: u32,             // first face
  places: u32,           // of one face
  total: u32,            // of all faces of the batch
  batch: u32,
  stride: u32,           // rays that the buffer has room for
  pad: vec3u,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;

const NO_FACET = 0xffffffffu;

// Words of `counters` before the sums.
const NOT_FINITE = 0u;
const PATHS = 1u;
const CANDIDATES = 2u;
const ESCAPED = 3u;
const SEGMENTS = 4u;         // low, high word
const OVERFLOWS = 8u;        // one word a batch: nonzero where its candidates were too many
// Words of `candidates` before the list: candidates of the batch, paths listed.
const LIST = 2u;

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
  let corners = &job.faces[place.face];
  return normalize(k * (*corners)[0].xyz + f32(place.i) * (*corners)[1].xyz + f32(place.j) * (*corners)[2].xyz);
}

// A ray's words, those of neighbouring rays side by side: reflections; facets (slots) met; then the ends of each segment
// along the unfolded ray, from and to.
fn count_word(ray: u32) -> u32 { return ray; }
fn met_word(ray: u32, k: u32) -> u32 { return (1u + k) * step_.stride + ray; }
fn from_word(ray: u32, b: u32) -> u32 { return (1u + MAX_REFLECTIONS + 2u * b) * step_.stride + ray; }
fn to_word(ray: u32, b: u32) -> u32 { return from_word(ray, b) + step_.stride; }
