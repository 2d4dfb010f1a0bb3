// What becomes of the tubes of an occupied tile: a tube is valid when its corner rays and its central ray meet the same
// surfaces (paper 003, section 2.1; docs/theory.md, "Ray tubes"). One workgroup a tile.

@group(0) @binding(2) var<storage, read> candidates: array<u32>;
@group(0) @binding(3) var<storage, read> rays: array<u32>;
@group(0) @binding(4) var<storage, read_write> items: array<u32>;
@group(0) @binding(5) var<storage, read_write> leaves: array<u32>;
@group(0) @binding(6) var<storage, read_write> quads: array<Quad>;
@group(0) @binding(7) var<storage, read_write> groups: array<Group>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>>;

fn unit_count(lane: u32) -> u32 {
  return counted_units(TILES, lane);
}

fn sort_unit(n: u32, lane: u32) {
  let tile = candidates[occupied_tile(n)];
  let cell = 16u * vec2u(tile % step_.tiles_i, tile / step_.tiles_i) + vec2u(lane % 16u, lane / 16u);
  let at = TILE_RAY_WORDS * n;
  let c = at + lane / 16u * 17u + lane % 16u;
  let corners = array<Corner, 4>(
    kept_corner(c, CORNERS), kept_corner(c + 1u, CORNERS), kept_corner(c + 17u, CORNERS), kept_corner(c + 18u, CORNERS));
  let kept = at + CORNER_WORDS * CORNERS + lane;
  let path = kept_centre(kept, CENTRES);
  collect(lane, classify(path, corners, 0u), path, kept, CENTRES, cell.x, cell.y, 0u, corners);
}
