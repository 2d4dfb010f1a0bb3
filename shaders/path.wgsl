// Paths by specular reflection in single precision: they only decide which facets are met; fields and phases are
// computed afterwards from the list of facets (contributions.wgsl).

struct Path {
  count: u32,
  surface_key: u32,
  facet_key: u32,
  visible: u32,
}

// Facets of the last observed path. Not part of Path: structs with arrays are copied about at every call.
var<private> met: array<u32, MAX_BOUNCES>;

const HASH_START = 0x811c9dc5u;
const HASH_PRIME = 0x01000193u;
const TRUNCATED = 0x9e3779b9u;

// Point (i, j) of the lattice refined `scale` = 2^-level, in cells of that level (half-integers: centres).
fn launch_point(i: f32, j: f32, scale: f32) -> vec3f {
  let a = (i * scale + job.u.w) * job.base.w;
  let b = (j * scale + job.v.w) * job.base.w;
  return job.base.xyz + a * job.u.xyz + b * job.v.xyz;
}

// With `observed` also keeps the facets in `met` and tests which hits from the second on see the receiver.
fn trace_path(start: vec3f, observed: bool) -> Path {
  var path = Path(0u, HASH_START, HASH_START, 1u);
  var o = start;
  var d = job.d.xyz;
  var previous = NO_SLOT;
  loop {
    let hit = traverse(o, d, previous, false);
    if (hit.slot == NO_SLOT) { break; }
    if (path.count == MAX_BOUNCES) {
      path.surface_key = (path.surface_key ^ TRUNCATED) * HASH_PRIME;
      break;
    }
    let ids = slots[4u * hit.slot + 3u];
    let facet = bitcast<u32>(ids.x);
    if (observed) { met[path.count] = facet; }
    path.surface_key = (path.surface_key ^ bitcast<u32>(ids.y)) * HASH_PRIME;
    path.facet_key = (path.facet_key ^ facet) * HASH_PRIME;
    let plane = slots[4u * hit.slot];
    let n = select(plane.xyz, -plane.xyz, dot(plane.xyz, d) > 0.0);
    let p = o + hit.t * d;
    // Back onto the plane (the hit is off by rounding), then a little above it.
    o = p + (plane.w - dot(plane.xyz, p)) * plane.xyz + job.rx_v.w * n;
    if (observed && path.count > 0u && dot(n, job.s.xyz) > 0.0) {
      if (traverse(o, job.s.xyz, hit.slot, true).slot == NO_SLOT) {
        path.visible |= 1u << path.count;
      }
    }
    d = normalize(d - 2.0 * dot(n, d) * n);
    previous = hit.slot;
    path.count++;
  }
  if (path.count == 0u) {
    path.surface_key = 0u;
  } else if (path.surface_key == 0u) {
    path.surface_key = 1u;
  }
  return path;
}
