// How rays begin, and what identifies their paths.

const HASH_START = 0x811c9dc5u;
const HASH_PRIME = 0x01000193u;
const TRUNCATED = 0x9e3779b9u;

// Point (i, j) of the lattice refined `scale` = 2^-level, in cells of that level (half-integers: centres).
fn launch_point(i: f32, j: f32, scale: f32) -> vec3f {
  let a = (i * scale + job.offset_u.x) * job.tube_side.x;
  let b = (j * scale + job.offset_v.x) * job.tube_side.x;
  return job.base + a * job.u + b * job.v;
}

// First hit of a ray launched in `tile` of the batch.
fn first_hit(o: vec3f, tile: u32) -> Hit {
  let count = candidates[tile];
  if (LISTS == 0u || count > TILE_LIST) { return traverse(o, job.d, NO_SLOT, false); }
  var hit = Hit(FAR, NO_SLOT);
  for (var c = 0u; c < count; c++) { meet(candidates[tile_list(tile) + c], o, job.d, true, &hit); }
  return hit;
}

// See `normalKey` in rays/sbr.ts.
fn normal_key(n: vec3f) -> u32 {
  let steps = bitcast<vec3u>(vec3i(floor(8192.0 * n + 0.5)));
  return (((((HASH_START ^ steps.x) * HASH_PRIME) ^ steps.y) * HASH_PRIME) ^ steps.z) * HASH_PRIME;
}

fn may_radiate(bounce: u32) -> bool {
  return job.only_bounce == 0u || job.only_bounce == bounce;
}

// Bounces by which tubes are compared: all in the exit form.
fn compared_bounces() -> u32 {
  return select(COMPARED_BOUNCES, MAX_BOUNCES, job.exit_form == 1u);
}
