// The first hit of a ray in the tile: among its candidates where all of them are known, whatever the traversal.
fn hit_in_tile(o: vec3f, tile: u32) -> Hit {
  let count = candidates[tile];
  if (count > CELL_LIST) { return traverse(o, job.d.xyz, NO_SLOT, false); }
  var hit = Hit(FAR, NO_SLOT);
  for (var c = 0u; c < count; c++) { meet(candidates[cell_list(tile) + c], o, job.d.xyz, true, &hit); }
  return hit;
}
