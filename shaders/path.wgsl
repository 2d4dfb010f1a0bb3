// Paths by specular reflection in single precision: they only decide which facets are met; fields and phases are
// computed afterwards from the list of facets (contributions.wgsl).

@group(0) @binding(5) var<storage, read> facet_candidates: array<u32>;

// Facet m of a centre's path, as soon as it is known and again where it radiates.
fn keep_facet(at: u32, stride: u32, m: u32, word: u32) {
  if (m < KEPT_FACETS) {
    rays[at + (CENTRE_FACETS + m) * stride] = word;
    return;
  }
  let tail = at + CENTRE_TAIL * stride;
  if (m == KEPT_FACETS && (word & RADIATES) == 0u) { rays[tail] = free_tail(); }
  leaves[tail_at(rays[tail], m)] = word;
}

// Hit after `count` bounces, the last on slot `previous`; while looking for the receiver, or when a further bounce only
// tells that there is one, after `most`, any hit will do.
fn next_hit(o: vec3f, d: vec3f, previous: u32, count: u32, looking: bool, most: u32) -> Hit {
  if (LISTS == 1u && job.facet_lists == 1u && (looking || count == 1u)) {
    let at = select(reflected_list(previous), hiding_list(previous), looking);
    let listed = facet_candidates[at];
    let whole = listed <= FACET_LIST;
    if (whole || (looking && listed != UNKNOWN)) {
      var hit = Hit(FAR, NO_SLOT);
      for (var c = 1u; c <= min(listed, FACET_LIST); c++) { meet(facet_candidates[at + c], o, d, false, &hit); }
      if (whole || hit.slot != NO_SLOT) { return hit; }
    }
  }
  return traverse(o, d, previous, looking || count == most);
}

// Follows a ray from its first hit on, over at most `most` bounces. With `observed` also keeps its facets in the record at `at`, with
// which of them radiate: those from which the receiver is seen, as from the first, or in the exit form the last. Segments and
// looks for the receiver are passes of one loop, so that lanes do both at once. Keys are of the bounces that tubes are compared
// by, and of whether there are more.
fn trace_path(start: vec3f, first: Hit, most: u32, observed: bool, at: u32, stride: u32) -> Path {
  var path = Path(0u, HASH_START, HASH_START, NO_FACET, 0u, 0u);
  let looks = observed && job.exit_form == 0u;
  let compared = compared_bounces();
  var facet = NO_FACET;
  var o = start;
  var d = job.d;
  var onward = d;
  var hit = first;
  var previous = NO_SLOT;
  var looking = false;
  loop {
    if (looking) {
      if (hit.slot == NO_SLOT) {
        path.radiating++;
        keep_facet(at, stride, path.count - 1u, facet | RADIATES);
      }
      looking = false;
      d = onward;
    } else {
      if (hit.slot == NO_SLOT) { break; }
      if (path.count == compared) { path.surface_key = (path.surface_key ^ TRUNCATED) * HASH_PRIME; }
      if (path.count == most) {
        path.cut_off = 1u;
        break;
      }
      let plane = slot_at(hit.slot);
      let ids = numbers_of(hit.slot);
      facet = ids.x;
      if (path.count == 0u) {
        path.first = facet;
        path.radiating = select(0u, 1u, looks && may_radiate(1u));
      }
      if (observed) { keep_facet(at, stride, path.count, facet | select(0u, RADIATES, path.count == 0u && path.radiating == 1u)); }
      if (path.count < compared) {
        path.surface_key = (path.surface_key ^ ids.y) * HASH_PRIME;
        path.normals_key = (path.normals_key ^ normal_key(plane.normal)) * HASH_PRIME;
      }
      let n = select(plane.normal, -plane.normal, dot(plane.normal, d) > 0.0);
      let p = o + hit.t * d;
      // Back onto the plane (the hit is off by rounding), then a little above it.
      o = p + dot(plane.normal, first_corner(plane) - p) * plane.normal + job.lift * n;
      looking = looks && path.count > 0u && may_radiate(path.count + 1u) && dot(n, job.s) > 0.0;
      onward = normalize(d - 2.0 * dot(n, d) * n);
      d = select(onward, job.s, looking);
      previous = hit.slot;
      path.count++;
    }
    hit = next_hit(o, d, previous, path.count, looking, most);
  }
  if (observed && job.exit_form == 1u && path.count > 0u && may_radiate(path.count)) {
    path.radiating = 1u;
    keep_facet(at, stride, path.count - 1u, facet | RADIATES);
  }
  if (path.count == 0u) {
    path.surface_key = 0u;
  } else if (path.surface_key == 0u) {
    path.surface_key = 1u;
  }
  return path;
}
