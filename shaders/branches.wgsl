// Paths of rays that reflect and, at sheets, go on straight too: in the place of path.wgsl on targets with sheets, as
// cpu-sbr/materials/path.ts has them in double precision. A ray's words are its hits, depth first, the reflected branch before the
// transmitted one; after a hit those of the sheets between it and the receiver.

// Number of each facet's material, with SHEET; then the greatest |R|^2 and |T|^2 by material, side and cosine (floats).
@group(0) @binding(5) var<storage, read> materials: array<u32>;

// Waves that can have at most this part of the incident power are not followed, nor, where a sheet splits a wave, the weaker part with
// at most so much, nor more transmissions than so many.
const LEAST_POWER = 1e-5;
const LEAST_BRANCH = 1e-3;
const TRANSMISSIONS = 2u * MAX_BOUNCES;
// Mixed into the key: a branch leaves the target.
const LEFT = 0x51ed270bu;

// A wave that leaves a hit, or the aperture.
struct Branch {
  o: vec3f,           // where from: a little off the facet
  d: vec3f,
  slot: u32,          // facet that it leaves
  power: f32,         // at the most
  bounces: u32,       // reflections so far
  transmissions: u32,
  word: u32,          // the hit's
}

// What a ray does next.
const FOLLOWS = 0u; // looks for the next hit
const TELLS = 1u;   // only whether there is one, beyond the last bounce
const LOOKS = 2u;   // for the receiver
const SPLITS = 3u;  // a hit is done with
const RETURNS = 4u; // a branch is done with

// Greatest parts of its power that a facet reflects and transmits at the cosine c.
fn powers(facet: u32, back: bool, c: f32) -> vec2f {
  let x = clamp(c, 0.0, 1.0) * f32(MATERIAL_COSINES);
  let first = min(u32(x), MATERIAL_COSINES - 1u);
  let side = 2u * (materials[facet] & 0xffu) + select(0u, 1u, back);
  let at = job.slots + 2u * (side * (MATERIAL_COSINES + 1u) + first);
  let before = vec2f(bitcast<f32>(materials[at]), bitcast<f32>(materials[at + 1u]));
  let after = vec2f(bitcast<f32>(materials[at + 2u]), bitcast<f32>(materials[at + 3u]));
  return mix(before, after, x - f32(first));
}

// Word m of a ray's record at `at`: there, or in its tail.
fn keep_word(at: u32, stride: u32, m: u32, word: u32, tail: ptr<function, u32>) {
  if (m < KEPT_FACETS) {
    rays[at + (CENTRE_FACETS + m) * stride] = word;
    return;
  }
  if ((*tail) == NO_FACET) {
    (*tail) = free_tail();
    rays[at + CENTRE_TAIL * stride] = *tail;
  }
  leaves[tail_at(*tail, m)] = word;
}

// Sets a bit of word m.
fn mark_word(at: u32, stride: u32, m: u32, bit: u32, tail: u32) {
  if (m < KEPT_FACETS) {
    rays[at + (CENTRE_FACETS + m) * stride] |= bit;
  } else {
    leaves[tail_at(tail, m)] |= bit;
  }
}

// Follows the branches of a ray from its first hit on, each over at most `most` bounces. With `observed` also keeps its words at
// `at`. Before any reflection a current always radiates, whatever opaque stands before the receiver; after one it does where its
// lit side faces the receiver and nothing opaque stands in the way. Rays of more than MAX_WORDS hits are not counted as any.
fn trace_path(start: vec3f, first: Hit, most: u32, observed: bool, at: u32, stride: u32) -> Path {
  let monostatic = all(job.s == -job.d);
  var waiting: array<Branch, MAX_BOUNCES>;
  var depth = 0u;
  var path = Path(0u, 0u, HASH_START, HASH_START, NO_FACET, 0u, 0u, 0u);
  var tail = NO_FACET;
  var cut_off = 0.0;
  // Words up to the last hit that radiates: what follows adds nothing.
  var radiating_words = 0u;
  var branch = Branch(start, job.d, NO_SLOT, 1.0, 0u, 0u, NO_FACET);
  // Whether it was transmitted by its hit.
  var through = false;
  var hit = first;
  var next = FOLLOWS;
  // Of the last hit: its place on the plane, normal on the side met, cosine and powers that go on.
  var p: vec3f;
  var n: vec3f;
  var slot = NO_SLOT;
  var going_on: vec2f;
  // The look for the receiver.
  var o: vec3f;
  var last_sheet = NO_SLOT;
  loop {
    if (next == LOOKS) {
      if (hit.slot == NO_SLOT) {
        path.radiating++;
        mark_word(at, stride, branch.word, RADIATES, tail);
        radiating_words = path.words;
        next = SPLITS;
      } else {
        let facet = numbers_of(hit.slot).x;
        if ((materials[facet] & SHEET) != 0u) {
          if (path.words < MAX_WORDS) { keep_word(at, stride, path.words, facet | SIGHT, &tail); }
          path.words++;
        } else if (branch.bounces > 0u) {
          path.words = branch.word + 1u;
          next = SPLITS;
        }
        let plane = slot_at(hit.slot);
        let met = o + hit.t * job.s;
        o = met + dot(plane.normal, first_corner(plane) - met) * plane.normal
          + select(-job.lift, job.lift, dot(plane.normal, job.s) > 0.0) * plane.normal;
        last_sheet = hit.slot;
      }
    } else if (next == TELLS) {
      if (hit.slot != NO_SLOT) {
        cut_off += branch.power;
        if (branch.bounces == COMPARED_BOUNCES) {
          path.more = 1u;
          path.surface_key = (path.surface_key ^ TRUNCATED) * HASH_PRIME;
        }
      }
      next = RETURNS;
    } else if (hit.slot == NO_SLOT) {
      if (path.count > 0u && branch.bounces + select(0u, 1u, through) <= COMPARED_BOUNCES) {
        path.surface_key = (path.surface_key ^ LEFT) * HASH_PRIME;
      }
      next = RETURNS;
    } else {
      let plane = slot_at(hit.slot);
      let ids = numbers_of(hit.slot);
      if (path.count == 0u) { path.first = ids.x; }
      if (observed && path.words < MAX_WORDS) {
        if (through) { mark_word(at, stride, branch.word, SAVED, tail); }
        keep_word(at, stride, path.words, ids.x | select(0u, RESUMED, through), &tail);
      }
      if (branch.bounces < COMPARED_BOUNCES) {
        path.surface_key = (path.surface_key ^ ids.y) * HASH_PRIME;
        path.normals_key = (path.normals_key ^ normal_key(plane.normal)) * HASH_PRIME;
      } else if (!through && branch.bounces == COMPARED_BOUNCES) {
        path.more = 1u;
        path.surface_key = (path.surface_key ^ TRUNCATED) * HASH_PRIME;
      }
      let back = dot(plane.normal, branch.d) > 0.0;
      n = select(plane.normal, -plane.normal, back);
      let met = branch.o + hit.t * branch.d;
      p = met + dot(plane.normal, first_corner(plane) - met) * plane.normal;
      slot = hit.slot;
      going_on = branch.power * powers(ids.x, back, -dot(n, branch.d));
      branch.word = path.words;
      path.words++;
      path.count++;
      next = SPLITS;
      if (observed && may_radiate(branch.bounces + 1u)) {
        if (path.count == 1u && monostatic) {
          path.radiating++;
          mark_word(at, stride, branch.word, RADIATES, tail);
          radiating_words = path.words;
        } else if (branch.bounces == 0u || dot(n, job.s) > 0.0) {
          o = p + select(-job.lift, job.lift, dot(n, job.s) > 0.0) * n;
          last_sheet = slot;
          next = LOOKS;
        }
      }
    }
    if (max(path.words, path.count) > MAX_WORDS) {
      atomicOr(&counters[OVERFLOW], LONG_PATH);
      path = Path(0u, 0u, HASH_START, HASH_START, NO_FACET, 0u, 0u, 0u);
      break;
    }
    if (next == SPLITS) {
      next = RETURNS;
      let passes = branch.transmissions < TRANSMISSIONS && going_on.y > LEAST_POWER;
      let one_alone = passes && going_on.x > LEAST_POWER && min(going_on.x, going_on.y) <= LEAST_BRANCH;
      if (passes && !(one_alone && going_on.x >= going_on.y)) {
        waiting[depth] =
          Branch(p - job.lift * n, branch.d, slot, going_on.y, branch.bounces, branch.transmissions + 1u, branch.word);
        depth++;
      }
      if (going_on.x > LEAST_POWER && !(one_alone && going_on.x < going_on.y)) {
        let d = normalize(branch.d - 2.0 * dot(n, branch.d) * n);
        branch = Branch(p + job.lift * n, d, slot, going_on.x, branch.bounces + 1u, branch.transmissions, branch.word);
        through = false;
        next = select(FOLLOWS, TELLS, branch.bounces >= most);
      }
    }
    if (next == RETURNS) {
      if (depth == 0u) { break; }
      depth--;
      branch = waiting[depth];
      through = true;
      next = FOLLOWS;
    }
    if (next == LOOKS) {
      hit = traverse(o, job.s, last_sheet, false);
    } else {
      hit = traverse(branch.o, branch.d, branch.slot, next == TELLS);
    }
  }
  path.words = radiating_words;
  path.cut_off = u32(min(cut_off, 1.0) * f32(CUT_OFF_UNITS) + 0.5);
  if (path.count == 0u) {
    path.surface_key = 0u;
  } else if (path.surface_key == 0u) {
    path.surface_key = 1u;
  }
  return path;
}
