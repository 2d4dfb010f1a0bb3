// What is known of an adaptive cell before a ray: the facets over it, and whether rays are owed to it.

struct Cell {
  tile: u32,
  at: vec2u,     // within the batch, at its level
  level: i32,
  centre: vec2f, // in the lattice's cells
  side: f32,     // [m]
  under: vec2u,  // candidates of the tile that were over the cell it is a part of, a bit each
}

fn proven_kind(slot: u32) -> u32 {
  return kind_of(candidates[slot_state(slot)], candidates[flat_state(flat_of(slot))]);
}

// The facets over a cell.
var<private> over: array<u32, CELL_LIST>;
var<private> over_count: u32;

// What is known of a cell before a ray: which of the tile's candidates are over it; whether there are more facets than `over`
// holds, so that nothing can be proven; whether rays are owed to it; whether facets that are lit whole show beside others.
struct View {
  bits: vec2u,
  crowded: bool,
  open: bool,
  mixed: bool,
}

// Areas of the facets over a cell that are lit whole, and hit once besides; kinds of all of them.
var<private> lit_sum: u32;
var<private> done_sum: u32;
var<private> kinds: u32;

// Takes a facet that may be over a cell of this side [m] into account. Whether it is.
fn consider(slot: u32, side: f32) -> bool {
  let left = clip_facet(solid(slot), 4u);
  if (left == 0u) { return false; }
  let area = part_of_cell(left, side);
  if (area <= least_area(side)) { return false; }
  if (over_count < CELL_LIST) { over[over_count] = slot; }
  over_count++;
  let kind = proven_kind(slot);
  kinds |= kind;
  if (kind != OTHER) { lit_sum += area; }
  if (kind == DONE) { done_sum += area; }
  return true;
}

fn look(cell: Cell) -> View {
  var found: View;
  over_count = 0u;
  lit_sum = 0u;
  done_sum = 0u;
  kinds = 0u;
  if (candidates[cell.tile] <= CELL_LIST) {
    for (var w = 0u; w < 2u; w++) {
      for (var left = cell.under[w]; left != 0u; left &= left - 1u) {
        let c = firstTrailingBit(left);
        if (consider(candidates[cell_list(cell.tile) + 32u * w + c], cell.side)) { found.bits[w] |= 1u << c; }
      }
    }
  } else {
    _ = search(NO_FLAT, FIND_OVER, cell.side);
  }
  found.crowded = over_count > CELL_LIST;
  let whole = covering_area(cell.side);
  // Facets behind such as are lit whole do not show.
  let other = (kinds & OTHER) != 0u && lit_sum < whole;
  found.mixed = other && lit_sum > 0u;
  found.open = done_sum < whole && (other || ((kinds & LIT) != 0u && (found.crowded || sends_on(cell))));
  return found;
}

// Whether something stands where facets over a cell reflect to. In cells finer than the lattice's the central ray is the
// cheaper test.
fn sends_on(cell: Cell) -> bool {
  if (cell.level > 0) { return true; }
  let centre = beam_foot;
  for (var c = 0u; c < over_count; c++) {
    let slot = over[c];
    if (proven_kind(slot) != LIT) { continue; }
    let n = facing_normal(slot, job.d.xyz);
    let nd = dot(n, job.d.xyz);
    let a = cell.side * (job.u.xyz - 2.0 * dot(n, job.u.xyz) * n);
    let b = cell.side * (job.v.xyz - 2.0 * dot(n, job.v.xyz) * n);
    let foot = solid(slot).a;
    let o = centre + dot(n, foot - centre) / nd * job.d.xyz;
    if (!aim(o, a, b, normalize(job.d.xyz - 2.0 * nd * n))) { return true; }
    cut_beam(4u, foot, n, PLANE_SLACK * job.diagonal);
    beam_count = 5u;
    if (search(NO_FLAT, FIND_ANY, 0.0).blocked) { return true; }
  }
  return false;
}

// The first hit of a cell's central ray: among the facets over it, whatever the traversal.
fn hit_over(o: vec3f, crowded: bool) -> Hit {
  if (crowded) { return traverse(o, job.d.xyz, NO_SLOT, false); }
  var hit = Hit(FAR, NO_SLOT);
  for (var c = 0u; c < over_count; c++) { meet(over[c], o, job.d.xyz, true, &hit); }
  return hit;
}
