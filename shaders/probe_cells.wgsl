// Adaptive tubes: what becomes of the cells of one level, a lane each. A cell that rays are owed to has its central ray
// traced and is followed as a beam; it is one tube if all its rays are proven to do what the central one does
// (docs/adaptive-tubes.md).

@group(0) @binding(2) var<storage, read> nodes: array<vec4f>;
@group(0) @binding(3) var<storage, read> boxes: array<vec4f>;
@group(0) @binding(4) var<storage, read> slots: array<vec4f>;
@group(0) @binding(5) var<storage, read> candidates: array<u32>;
@group(0) @binding(6) var<storage, read> facet_candidates: array<u32>;
@group(0) @binding(7) var<storage, read_write> items: array<u32>;
@group(0) @binding(8) var<storage, read_write> rays: array<u32>;
@group(0) @binding(9) var<storage, read_write> counters: array<atomic<u32>>;

var<workgroup> tubes: atomic<u32>;
var<workgroup> launched: atomic<u32>;

// What becomes of a cell whose central ray takes `path`.
fn prove(cell: Cell, view: View, path: Path, lit: bool) -> u32 {
  let last = cell.level == i32(job.depth);
  if (path.count == 0u) { return select(LEAF, SUBDIVIDE, !last && over_count > 0u); }
  let slot = slot_of(met[0]);
  let curved = cell.level >= 0 && is_curved(slot);
  if (last && (path.count > 1u || lit || view.mixed || !curved)) { return LEAF; }
  if (view.crowded) { return select(COMPARE, SUBDIVIDE, view.mixed); }
  let leg = first_leg(cell, slot);
  if (last) { return select(LEAF, COMPARE, leg.bent); }
  if ((leg.bent || leg.before == 1u) && !curved) { return SUBDIVIDE; }
  if (leg.before == 2u) { return SUBDIVIDE; }
  if (leg.bent || leg.before == 1u) { return select(COMPARE, SUBDIVIDE, view.mixed); }
  if (path.count == 1u && !leg.goes_on) { return LEAF; }
  let kind = follow_on(cell, path);
  return select(kind, SUBDIVIDE, kind == COMPARE && view.mixed);
}

// Traces and proves a cell; what became of it to word `out` of `rays` and on, `stride` apart.
fn probe(cell: Cell, out: u32, stride: u32) -> u32 {
  aim_cell(cell.centre, cell.side / job.base.w);
  let view = look(cell);
  aim_cell(cell.centre, cell.side / job.base.w);
  if (!view.open || (view.crowded && cell.level < 0)) {
    let kind = select(NOTHING, SUBDIVIDE, view.open);
    rays[out + 3u * stride] = kind << 8u;
    return kind;
  }
  let scale = cell_scale(cell.level);
  let at = vec2f(lattice_cell(cell.level, cell.at.x | (cell.at.y << 16u))) + 0.5;
  let o = launch_point(at.x, at.y, scale);
  var path = trace_path(o, hit_over(o, view.crowded), true);
  let lit = path.count > 0u && proven_kind(slot_of(met[0])) != OTHER;
  var kind = prove(cell, view, path, lit);
  // The first bounce of facets that are lit whole is summed apart (sum_facets.wgsl).
  if (lit) { path.visible &= ~1u; }
  if (kind == LEAF && (path.count == 0u || path.visible == 0u)) { kind = NOTHING; }
  atomicAdd(&launched, 1u);
  if (cell.level == 0 || (cell.level < 0 && kind != SUBDIVIDE)) { atomicAdd(&tubes, 1u); }
  keep_ray(out, stride, path, true);
  rays[out + 3u * stride] = path.count | (kind << 8u);
  if (kind == SUBDIVIDE || kind == COMPARE) {
    for (var w = 0u; w < 2u; w++) { rays[out + (CENTRE_WORDS + w) * stride] = view.bits[w]; }
  }
  return kind;
}

fn first_bits(count: u32) -> u32 {
  return select((1u << (count % 32u)) - 1u, 0xffffffffu, count >= 32u);
}

// Which cell is lane number n's, and where its outcome goes; false where there is none.
fn cell_of(n: u32, cell: ptr<function, Cell>, out: ptr<function, u32>, number: ptr<function, u32>) -> bool {
  let level = bitcast<i32>(step_.level);
  (*cell).level = level;
  if (level <= 0) {
    var place = vec2u(0u);
    if (level == -4) {
      if (n >= min(atomicLoad(&counters[TILES]), job.open_capacity)) { return false; }
      *number = n;
      let listed = candidates[candidates[occupied_tile(n)]];
      (*cell).under = vec2u(first_bits(listed), first_bits(listed - min(listed, 32u)));
      *out = tile_entry(n, 0u);
    } else {
      let parent = n / 16u;
      let quarter = vec2u(n % 4u, n / 4u % 4u);
      if (level == -2) {
        if (parent >= atomicLoad(&counters[CUT_CELLS])) { return false; }
        *number = items[cut_tile(parent)];
        place = quarter;
        *out = tile_entry(*number, FIRST_QUARTER + n % 16u);
        (*cell).under = kept_over(tile_entry(*number, 0u), CELLS);
      } else {
        if (parent >= atomicLoad(&counters[CUT_CELLS + 1u])) { return false; }
        let packed = items[cut_cell(parent)];
        *number = packed / 16u;
        place = 4u * vec2u(packed % 4u, packed / 4u % 4u) + quarter;
        *out = tile_entry(*number, FIRST_CELL + place.x + 16u * place.y);
        (*cell).under = kept_over(tile_entry(*number, FIRST_QUARTER + packed % 16u), CELLS);
      }
    }
    (*cell).tile = candidates[occupied_tile(*number)];
    let side = u32(16) >> u32(level + 4);
    let along = 16u / side;
    (*cell).at = along * vec2u((*cell).tile % step_.tiles_i, (*cell).tile / step_.tiles_i) + place;
  } else {
    let item = n / 4u;
    if (item >= min(atomicLoad(&counters[ITEMS + u32(level) - 1u]), job.item_capacity)) { return false; }
    let at = item_at(u32(level) - 1u, item);
    let packed = items[at];
    (*cell).under = vec2u(items[at + 1u], items[at + 2u]);
    (*cell).at = 2u * vec2u(packed & 0xffffu, packed >> 16u) + vec2u(n & 1u, (n >> 1u) & 1u);
    let of_tile = (*cell).at >> vec2u(4u + u32(level));
    (*cell).tile = min(of_tile.x + of_tile.y * step_.tiles_i, job.tile_capacity - 1u);
    *out = item_child(item, n % 4u);
  }
  let scale = cell_scale(level);
  (*cell).centre = scale * (vec2f(lattice_cell(level, (*cell).at.x | ((*cell).at.y << 16u))) + 0.5);
  (*cell).side = scale * job.base.w;
  return true;
}

@compute @workgroup_size(CELL_LANES)
fn main(
  @builtin(workgroup_id) wg: vec3u, @builtin(num_workgroups) num: vec3u, @builtin(local_invocation_index) lane: u32
) {
  let level = bitcast<i32>(step_.level);
  var cell: Cell;
  var out = 0u;
  var number = 0u;
  for (var n = CELL_LANES * wg.x + lane; cell_of(n, &cell, &out, &number); n += CELL_LANES * num.x) {
    let kind = probe(cell, out, select(SIDE_BY_SIDE, CELLS, level <= 0));
    if (kind == SUBDIVIDE && level < 0) {
      // Where in the list does not show: all that is written stands by the number of the tile.
      let which = select(0u, 1u, level == -2);
      let k = atomicAdd(&counters[CUT_CELLS + which], 1u);
      if (which == 0u) {
        items[cut_tile(k)] = number;
      } else {
        items[cut_cell(k)] = 16u * number + n % 16u;
      }
    }
  }
  workgroupBarrier();
  if (lane == 0u) {
    atomicAdd(&counters[TOTAL_TUBES], atomicLoad(&tubes));
    atomicAdd(&counters[TOTAL_RAYS], atomicLoad(&launched));
  }
}
