// What the kernels of adaptive tubes share (docs/adaptive-tubes.md): squares of the lattice, from whole tiles (level -4)
// over quarters of their sides (level -2) to the lattice's own cells (level 0) and what they are cut into.

// What becomes of a cell, besides NOTHING, LEAF and SUBDIVIDE: its corner rays decide.
const COMPARE = 4u;

// Cells that a workgroup of probe_cells takes.
const CELL_LANES = 128u;

// The tiles' lists in `candidates` are longer than those of candidates.wgsl. Behind them it holds per tile the areas of the
// facets over it that are lit whole and hit once, and lit whole, and which kinds of facets there are; then what was proven
// of each slot, and of each flat.
const CELL_LIST = 64u;

fn cell_list(tile: u32) -> u32 {
  return 2u * job.tile_capacity + CELL_LIST * tile;
}

fn done_area(tile: u32) -> u32 {
  return (2u + CELL_LIST) * job.tile_capacity + tile;
}

fn lit_area(tile: u32) -> u32 {
  return done_area(tile) + job.tile_capacity;
}

fn kinds_over(tile: u32) -> u32 {
  return done_area(tile) + 2u * job.tile_capacity;
}

fn slot_state(slot: u32) -> u32 {
  return (5u + CELL_LIST) * job.tile_capacity + slot;
}

fn flat_state(flat: u32) -> u32 {
  return slot_state(0u) + job.slots + flat;
}

// Bits of a slot's state (of a flat's only the first): it is not lit whole; something stands where it reflects to; no
// incident ray meets it first.
const NOT_LIT = 1u;
const GOES_ON = 2u;
const AWAY = 4u;

// Kinds of facets: not lit whole, or of a flat of which another facet is not; lit whole; and hit once besides.
const OTHER = 1u;
const LIT = 2u;
const DONE = 4u;

fn kind_of(state: u32, of_flat: u32) -> u32 {
  if (((state | of_flat) & NOT_LIT) != 0u) { return OTHER; }
  return select(DONE, LIT, (state & GOES_ON) != 0u);
}

// Areas are counted in parts of the cell's, as integers: no order of adding shows.
const WHOLE = 16777216u;

// Facets that overlap a cell by less than this are not over it, and a cell is covered up to this: a part of its own area,
// and strips along it as narrow as rounding moves them (parts of the box diagonal).
fn least_area(side: f32) -> u32 {
  return u32(f32(WHOLE) * min(1e-6 + 4e-7 * job.diagonal / side, 0.1));
}

fn covering_area(side: f32) -> u32 {
  return WHOLE - u32(f32(WHOLE) * min(2e-5 + 1e-6 * job.diagonal / side, 0.25));
}

// Behind the planes, `slots` holds three vec4 per slot: a facet's own corners, and in w its flat, 1 for a facet of a curved
// surface plus 2 (shell + 1) (`Flats.shell`), and the slot of the facet of this number.
fn solid_at(slot: u32) -> u32 {
  return 3u * job.slots + (job.slots + 1u) / 2u + 3u * slot;
}

struct Corners {
  a: vec3f,
  b: vec3f,
  c: vec3f,
}

fn solid(slot: u32) -> Corners {
  let at = solid_at(slot);
  return Corners(slots[at].xyz, slots[at + 1u].xyz, slots[at + 2u].xyz);
}

fn flat_of(slot: u32) -> u32 {
  return bitcast<u32>(slots[solid_at(slot)].w);
}

fn is_curved(slot: u32) -> bool {
  return (bitcast<u32>(slots[solid_at(slot) + 1u].w) & 1u) == 1u;
}

// Of a closed, consistently oriented shell: 1 with normals outward, -1 inward; 0 elsewhere.
fn shell_of(slot: u32) -> f32 {
  return f32(i32(bitcast<u32>(slots[solid_at(slot) + 1u].w) >> 1u) - 1);
}

fn slot_of(facet: u32) -> u32 {
  return bitcast<u32>(slots[solid_at(facet) + 2u].w);
}

// Tiles, and cells of a quarter of their side, to cut into 4 x 4 lie in the half of `items` that is not in use before level 1.
// Tile: its number among the occupied ones; cell: 16 times that and its place.
fn cut_tile(n: u32) -> u32 {
  return items_half() + n;
}

fn cut_cell(n: u32) -> u32 {
  return items_half() + job.open_capacity + n;
}

// `rays` holds by the number of the occupied tile its corner rays, then what became of the tile, of its 16 quarters and of
// its 256 cells: as a centre's path, with 256 times the outcome added to the count; then which of the tile's candidates are
// over it, a bit each.
const CELLS = 273u;
const CELL_WORDS = CENTRE_WORDS + 2u;
const TILE_CELL_WORDS = 3u * CORNERS + CELL_WORDS * CELLS;
const FIRST_QUARTER = 1u;
const FIRST_CELL = 17u;

fn tile_entry(number: u32, entry: u32) -> u32 {
  return TILE_CELL_WORDS * number + 3u * CORNERS + entry;
}

// Below, of a cell that is cut into 2 x 2, its 3 x 3 corner rays, then its children 00 10 01 11. Items of `items` hold the bits of
// the facets over them in the place of corners.
const ITEM_CORNERS = 9u;
const CHILD_WORDS = 3u * ITEM_CORNERS + 4u * CELL_WORDS;

fn item_corner(item: u32, corner: u32) -> u32 {
  return CHILD_WORDS * SIDE_BY_SIDE * (item / SIDE_BY_SIDE) + item % SIDE_BY_SIDE + 3u * SIDE_BY_SIDE * corner;
}

fn item_child(item: u32, child: u32) -> u32 {
  return item_corner(item, ITEM_CORNERS) + SIDE_BY_SIDE * CELL_WORDS * child;
}
