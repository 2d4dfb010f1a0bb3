// A traced path, and how it stands between the kernels.

struct Path {
  count: u32,
  surface_key: u32,
  facet_key: u32,
  visible: u32,
  first: u32,   // facet met first
}

// Facets of the last observed path. Not part of Path: structs with arrays are copied about at every call.
var<private> met: array<u32, MAX_BOUNCES>;

// 1: that path ends at the bounce limit, though its ray would meet the target once more.
var<private> cut_off: u32;
// Where the word of a kept path's count says so.
const CUT_OFF_BIT = 7u;

// What a corner ray decides by: surface key, facet key, first facet.
fn corner_of(path: Path) -> vec3u {
  return vec3u(path.surface_key, path.facet_key, path.first);
}

// What becomes of a cell.
const NOTHING = 0u;
const LEAF = 1u;
const QUAD = 2u;
const SUBDIVIDE = 3u;

// A cell to subdivide: i | j << 16 within the batch at its level, then its corners 00 10 01 11 and its centre, three
// words each. Lists of even and odd levels take turns. A chunk is a run of cells of one workgroup: first, number.
const ITEM_WORDS = 16u;
const CHUNK_ITEMS = 64u;

fn chunk_at(level: u32, chunk: u32) -> u32 {
  return (level & 1u) * items_half() + 2u * chunk;
}

fn item_at(level: u32, item: u32) -> u32 {
  return (level & 1u) * items_half() + 2u * job.chunk_capacity + ITEM_WORDS * item;
}

fn items_half() -> u32 {
  return 2u * job.chunk_capacity + ITEM_WORDS * job.item_capacity;
}

// The rays of a tile, by the number of the occupied tile: corners, then centres. A corner ray takes three words; a
// centre's keys, visible bounces, count and the facets met. Words of neighbouring rays stand side by side.
const CORNERS = 289u;
const CENTRES = 256u;
const CENTRE_WORDS = 4u + MAX_BOUNCES;
const TILE_RAY_WORDS = 3u * CORNERS + CENTRE_WORDS * CENTRES;

// The rays of one subdivided cell: the corners of its children that are not known yet, in units of a child 10 01 21 12,
// then the centres of its children 00 10 01 11. Words of 32 cells stand side by side.
const RAY_WORDS = 12u + 4u * CENTRE_WORDS;
const SIDE_BY_SIDE = 32u;

fn cell_rays(item: u32) -> u32 {
  return RAY_WORDS * SIDE_BY_SIDE * (item / SIDE_BY_SIDE) + item % SIDE_BY_SIDE;
}
