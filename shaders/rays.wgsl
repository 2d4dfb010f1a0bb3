// How traced rays stand between the kernels.

fn corner_of(path: Path) -> Corner {
  return Corner(path.surface_key, path.normals_key, path.first);
}

// What becomes of a cell.
const NOTHING = 0u;
const LEAF = 1u;
const QUAD = 2u;
const SUBDIVIDE = 3u;

// Lists of cells to subdivide: chunks, then items; those of even and odd levels alternate.
const CHUNK_ITEMS = 64u;

fn chunk_at(level: u32, chunk: u32) -> u32 {
  return (level & 1u) * items_half() + CHUNK_WORDS * chunk;
}

fn item_at(level: u32, item: u32) -> u32 {
  return (level & 1u) * items_half() + CHUNK_WORDS * job.chunk_capacity + ITEM_WORDS * item;
}

fn items_half() -> u32 {
  return CHUNK_WORDS * job.chunk_capacity + ITEM_WORDS * job.item_capacity;
}

// The rays of a tile, by the number of the occupied tile: CORNERS corners, then CENTRES centres; words of neighbouring rays
// stand side by side. Those of one subdivided cell: the corners of its children that are not known yet, in units of a child
// 10 01 21 12, then the centres of its children 00 10 01 11; words of 32 cells stand side by side.
const SIDE_BY_SIDE = 32u;

// First word of a cell's new corner, and of a child's centre.
fn corner_rays(item: u32, ray: u32) -> u32 {
  return cell_rays(item) + SIDE_BY_SIDE * CORNER_WORDS * ray;
}

fn centre_rays(item: u32, child: u32) -> u32 {
  return cell_rays(item) + SIDE_BY_SIDE * (4u * CORNER_WORDS + CENTRE_WORDS * child);
}

fn cell_rays(item: u32) -> u32 {
  return CELL_RAY_WORDS * SIDE_BY_SIDE * (item / SIDE_BY_SIDE) + item % SIDE_BY_SIDE;
}
