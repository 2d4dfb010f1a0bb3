// What the kernels of edge diffraction share: the head of the records (scene/edge-records.ts) as a uniform.

struct EdgeJob {
  frequencies: u32,
  nodes: u32,
  fixed_exponent: i32,
  blocks: u32,
  slots: u32,
  // Positions of the sections, in units of 16 bytes.
  spectrum_at: u32,
  block_at: u32,
  near_at: u32,
  slot_at: u32,
  face_at: u32,
  term_at: u32,
  table_at: u32,
  k0: f32,
  dk: f32,
}

@group(0) @binding(0) var<uniform> job: EdgeJob;
@group(0) @binding(2) var<storage, read> records: array<vec4u>;

const NO_FACE = 0xffffffffu;

fn floats(at: u32) -> vec4f {
  return bitcast<vec4f>(records[at]);
}

// A float of the spectrum: the nodes' wavenumbers, then their polynomials at every frequency.
fn spectrum(i: u32) -> f32 {
  return bitcast<f32>(records[job.spectrum_at + i / 4u][i % 4u]);
}
