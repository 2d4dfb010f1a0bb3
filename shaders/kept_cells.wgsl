// What probe_cells has left of cells, for the kernels that go on with them. The kernel declares rays.

// Where in `rays` the outcome of the cell stands, of cell (x, y) of a tile, that has become of it or of the larger cell it
// lies in; and that one's level.
fn entry_over(number: u32, x: u32, y: u32) -> vec2i {
  let tile = tile_entry(number, 0u);
  if (outcome(tile, CELLS) != SUBDIVIDE) { return vec2i(i32(tile), -4); }
  let quarter = tile_entry(number, FIRST_QUARTER + x / 4u + 4u * (y / 4u));
  if (outcome(quarter, CELLS) != SUBDIVIDE) { return vec2i(i32(quarter), -2); }
  return vec2i(i32(tile_entry(number, FIRST_CELL + x + 16u * y)), 0);
}

fn outcome(at: u32, stride: u32) -> u32 {
  return rays[at + 3u * stride] >> 8u;
}

// Which of the tile's candidates are over a cell that is cut, or whose corners decide.
fn kept_over(at: u32, stride: u32) -> vec2u {
  let words = at + CENTRE_WORDS * stride;
  return vec2u(rays[words], rays[words + stride]);
}
