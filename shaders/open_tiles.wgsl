// The tiles that rays are owed to: they may show facets that are not lit whole, or send something on.

@group(0) @binding(2) var<storage, read_write> candidates: array<u32>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let tile = id.x;
  if (tile >= step_.tiles_i * step_.tiles_j) { return; }
  let kinds = candidates[kinds_over(tile)];
  let whole = covering_area(16.0 * job.base.w);
  if (candidates[done_area(tile)] >= whole) { return; }
  // Facets behind such as are lit whole do not show.
  let other = (kinds & OTHER) != 0u && candidates[lit_area(tile)] < whole;
  if (!other && (kinds & LIT) == 0u) { return; }
  let n = atomicAdd(&counters[TILES], 1u);
  if (n >= job.open_capacity) {
    atomicOr(&counters[OVERFLOW], 1u);
    return;
  }
  candidates[occupied_tile(n)] = tile;
}
