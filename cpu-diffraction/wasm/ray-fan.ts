// Fans of diffracted rays from the edges into their penumbras: about the boundaries of incident and reflected light, as far as `PENUMBRA`
// goes. What they meet and the receiver sees goes to `reflected`, piece by piece. Decision 014 has the errors of the constants.
import { diagonal, facet as metFacet, nearest, occluded, t as metAt } from '../../rays/wasm/caster'
import { DOUBLE_OFFSET, GRAZING_COSINE } from '../../rays/wasm/constants'
import {
  HALF_NEAR,
  HALF_PENUMBRA,
  MAX_REFLECTIONS,
  MOST_HALVES,
  MOST_RAYS,
  NEAR_ZONE,
  PENUMBRA,
} from './constants'
import { aimReach, findReached, isReached, setFar } from './fan-reach'
import {
  addBundle,
  cosBeta,
  edge,
  FRAME,
  lightEdge,
  longest,
  normals,
  ofEdge,
  openPiece,
  PHI0,
  RECEIVER,
  shortest,
  sinBeta,
  TANGENT,
  WEDGE,
} from './reflected'

/** A bundle, for tests: the piece's middle and length, azimuths at its middle and how they grow along the edge. */
declare function watch(middle: f64, length: f64, from: f64, to: f64, fromSlope: f64, toSlope: f64): void

/** Way of a diffracted ray at most, in extents of the target. */
const FARTHEST: f64 = 3
/** The first rays of a fan are at most this far apart [rad], and this part of a Fresnel zone at the end of the penumbra there, twice where that is close (`CLOSE`); */
const FIRST_STEP: f64 = 0.3
const FIRST_ZONES: f64 = 0.42
/** where two neighbours meet other planes, the boundary between is found to within this part of a Fresnel zone there. */
const BOUNDARY_ZONES: f64 = 0.02
/**
 * Fans of two places along the edge that meet the same planes in the same order have boundaries that are straight lines between; where
 * they do not, halves of the piece between follow, down to this part of a Fresnel zone's width at what it lights;
 */
const PIECE_ZONES: f64 = 0.02
/** as do halves where a boundary moves by more than this part of a Fresnel zone at its rays' end: it need not be straight; */
const BEND_ZONES: f64 = 0.1
/** what meets the same radiates in parts of this part of it. */
const SMOOTH_ZONES: f64 = 0.32
/** The first pieces may be this part of a Fresnel zone, or of the target's size, long. */
const FIRST_LENGTH: f64 = 0.02
const FIRST_PIECE: f64 = 1.0 / 150
/**
 * Pieces end at this part of the first pieces, are halved at this part of them, and keep this part of them from the edge's ends: targets have
 * boundaries at round parts of edges, where rounding would decide.
 */
const FIRST_END: f64 = 0.0137
const HALF: f64 = 0.4871
const NEAR_END: f64 = 0.003
/**
 * Most rays meet nothing that the receiver sees. So where first rays are closer than this [rad], the fans at the ends of pieces cast every
 * other one, in turn the even and the odd ones counted from a boundary of light, and one between two where either of these is seen; halves of pieces cast all.
 */
const CLOSE: f64 = 0.0125
const EVEN = 1
const ODD = 2
const ALL = 3
/** What is nearer to an edge than this part of a wavelength hides what lies behind it, and nothing else: faces that are there twice. */
const NEAREST: f64 = 0.0625
/** What can radiate less than this part of the target's size is left out (`bound`); */
const WEAKEST: f64 = 2.5e-4
/** what of a fan, between two of its rays, less than this part is not looked at more closely, nor what of a piece between two fans. */
const CLOSER: f64 = 2e-5
const HALVED: f64 = 2e-4
/** The outermost rays of a fan keep this far from the edge's faces [rad]. */
const FROM_FACE: f64 = 1e-4
/** What follows in halves begins at least this far from a boundary, where there is room [rad]. */
const MARGIN: f64 = 0.02
/** Intervals with less than this in common do not divide what is between [rad]. */
const NARROWEST: f64 = 1e-3

/**
 * A fan: start of its first interval [rad], how many intervals, how many rays; intervals (end [rad], the ray that stands for it); rays.
 * A ray: way to its last and its first hit that counts [m]; how much longer than a piece of the edge is what a ray from there lights along
 * it, at most; of the hit that may radiate most `strength`, length over which it adds up along the edge, way, length across the fan [m]; how many
 * hits, up to the last that the receiver sees; bit m: the receiver sees hit m; facets, and planes with their sides.
 */
const COUNT: usize = 8
const RAYS: usize = 12
const INTERVALS: usize = 16
const INTERVAL: usize = 16
const RAY: usize = 64 + 8 * MAX_REFLECTIONS
const FIRST: usize = 8
const STRETCH: usize = 16
const STRENGTH: usize = 24
const HITS: usize = 56
const VISIBLE: usize = 60
const FACETS: usize = 64
const MEETS: usize = FACETS + 4 * MAX_REFLECTIONS
/** Rays of a fan at most: boundaries beyond are halfway between first rays. */
const ROOM = 2 * MOST_RAYS
const RAY_LIST: usize = INTERVALS + ROOM * INTERVAL
export const FAN_BYTES: usize = RAY_LIST + ROOM * RAY

let fans: usize = 0
/** By facet: number of its plane; whether it conducts, 0 where all do. */
let planes: usize = 0
let conducting: usize = 0
/** See `RayScene` [m]. */
let extent: f64 = 0
let size: f64 = 0
/** The first rays' azimuths, steps between them while they are found, and which fans cast each (`EVEN`): a byte a ray. */
let azimuths: usize = 0
let steps: usize = 0
let turns: usize = 0
let rays = 0
/** cos and sin of the boundaries of light; azimuths of those between the faces, ascending. */
const boundaries = memory.data(64, 16)
const jumps = memory.data(96, 16)
let jumpCount = 0
let watching = false
/** Length of the current piece [m]. */
let length: f64 = 0
/** Where rays of the current fan begin. */
let px: f64 = 0
let py: f64 = 0
let pz: f64 = 0
/** Way to the penumbra's end times sin^2 of half the angle from a boundary [m]. */
let away: f64 = 0
/** Length of the lit part of the edge [m]. */
let whole: f64 = 0

/** @param azimuthsAt, fansAt  with room for 2.125 MOST_RAYS numbers, and for fans of both ends of the first piece and of MOST_HALVES halvings */
export function placeFans(
  planesAt: usize,
  conductingAt: usize,
  sceneExtent: f64,
  sceneSize: f64,
  azimuthsAt: usize,
  fansAt: usize,
): void {
  planes = planesAt
  conducting = conductingAt
  extent = sceneExtent
  size = sceneSize
  azimuths = azimuthsAt
  steps = azimuthsAt + 8 * MOST_RAYS
  turns = azimuthsAt + 16 * MOST_RAYS
  fans = fansAt
}

/** From here on bundles go to `watch` instead of radiating. */
export function watchBundles(): void {
  watching = true
}

/** Takes a lit edge, by the address of its numbers. */
export function aimFans(at: usize): void {
  lightEdge(at)
  away = (PENUMBRA * PENUMBRA * longest) / (4 * Math.PI * sinBeta * sinBeta)
  setAzimuths()
  aimReach(at, sinBeta, cosBeta, rays)
  for (let i = 0; i < rays; i++) {
    const azimuth = azimuthOf(i)
    setFar(i, sinBeta * penumbra(sinSquare(Math.cos(azimuth), Math.sin(azimuth))))
  }
}

/** Hands over what the edge's fans between two places (from its start [m]) meet and the receiver sees. */
export function traceFans(from: f64, to: f64): void {
  whole = to - from
  const longestPiece = max(FIRST_LENGTH * widthAt(size), FIRST_PIECE * size)
  const pieces = <i32>ceil((to - from) / longestPiece - 1e-9)
  const pieceLength = (to - from) / <f64>pieces
  const first = azimuthOf(0)
  const end = azimuthOf(rays - 1)
  let near = fans
  let far = fans + FAN_BYTES
  length = pieceLength
  findReached(from + NEAR_END * pieceLength, to - NEAR_END * pieceLength)
  cut(near, from + NEAR_END * pieceLength, first, end, EVEN)
  let z = from
  for (let i = 0; i < pieces; i++) {
    const last = i === pieces - 1
    const next = last ? to : from + (<f64>(i + 1) + FIRST_END) * pieceLength
    length = pieceLength
    cut(far, last ? to - NEAR_END * pieceLength : next, first, end, i & 1 ? EVEN : ODD)
    takePiece(z, next, near, far, first, end, 0)
    const other = near
    near = far
    far = other
    z = next
  }
}

function azimuthOf(i: i32): f64 {
  return load<f64>(azimuths + 8 * i)
}

/**
 * The first rays, from every boundary of light outwards: as far apart as Fresnel zones where the penumbra ends, the ways to which grow
 * towards the boundaries. They depend on the boundaries alone, not on which of the faces is the first.
 */
function setAzimuths(): void {
  const N = ofEdge(WEDGE)
  const phi0 = ofEdge(PHI0)
  const first = FROM_FACE
  const end = N * Math.PI - FROM_FACE
  // All boundaries with those a turn before and after, ascending.
  let all = 0
  for (let i = 0; i < 4; i++) {
    const sum = i === 2 ? Math.PI - phi0 : 2 * Math.PI * N - Math.PI - phi0
    const b = i === 0 ? phi0 + Math.PI : i === 1 ? phi0 - Math.PI : sum
    store<f64>(boundaries + 16 * i, Math.cos(b))
    store<f64>(boundaries + 16 * i, Math.sin(b), 8)
    for (let turn = -1; turn < 2; turn++) {
      const value = b + 2 * Math.PI * <f64>turn
      let to = jumps + 8 * all++
      for (; to > jumps && load<f64>(to - 8) > value; to -= 8) store<f64>(to, load<f64>(to - 8))
      store<f64>(to, value)
    }
  }
  rays = 0
  addAzimuth(first, ALL)
  for (let i = 0; i < all; i++) {
    const boundary = load<f64>(jumps + 8 * i)
    // From half-way to the boundary before to half-way to the next one.
    const from = max(first, i === 0 ? first : 0.5 * (load<f64>(jumps + 8 * i - 8) + boundary))
    const to = min(end, i === all - 1 ? end : 0.5 * (boundary + load<f64>(jumps + 8 * i + 8)))
    if (!(to > from)) continue
    const middle = min(to, max(from, boundary))
    addAzimuths(boundary, middle, from)
    addAzimuths(boundary, middle, to)
  }
  jumpCount = 0
  for (let i = 0; i < all; i++) {
    const boundary = load<f64>(jumps + 8 * i)
    if (boundary > first && boundary < end) store<f64>(jumps + 8 * jumpCount++, boundary)
  }
}

function addAzimuth(azimuth: f64, turn: i32): void {
  store<u8>(turns + rays, <u8>turn)
  store<f64>(azimuths + 8 * rays++, azimuth)
}

/** Adds the azimuths from `near` to `far`, the first of them nearest to the boundary; in ascending order. */
function addAzimuths(boundary: f64, near: f64, far: f64): void {
  const all = abs(far - near)
  if (!(all > 0)) return
  const upwards = far > near
  let count = 0
  let reached: f64 = 0
  while (reached < all && rays + count < MOST_RAYS - 1) {
    const sin = Math.sin(0.5 * (abs(near - boundary) + reached))
    const zones = FIRST_ZONES * zoneAt(penumbra(sin * sin))
    const next = min(FIRST_STEP, max(zones, min(CLOSE, 2 * zones)))
    store<f64>(steps + 8 * count++, next)
    reached += next
  }
  const scale = all / reached
  let azimuth = upwards ? near : far
  for (let i = 0; i < count; i++) {
    azimuth += scale * load<f64>(steps + 8 * (upwards ? i : count - 1 - i))
    const fromNear = upwards ? i + 1 : count - 1 - i
    const apart = scale * load<f64>(steps + 8 * (upwards ? i : count - 1 - i))
    const turn = apart > CLOSE || fromNear === 0 || fromNear === count ? ALL : fromNear & 1 ? ODD : EVEN
    addAzimuth(i === count - 1 ? max(near, far) : azimuth, turn)
  }
}

/** Length of the way along a ray to where the penumbras end [m]; see `sinSquare`. */
function penumbra(square: f64): f64 {
  return min(max(NEAR_ZONE * longest, away / max(square, 1e-12)), FARTHEST * extent)
}

/** Angle of a Fresnel zone at a distance from the edge [rad], and its width [m]; finite at the edge. */
function zoneAt(way: f64): f64 {
  return sqrt(shortest / (way + shortest))
}
function widthAt(way: f64): f64 {
  return sqrt(shortest * (way + shortest))
}

/** sin^2 of half the angle between an azimuth, by its cos and sin, and the nearest boundary. */
function sinSquare(cos: f64, sin: f64): f64 {
  let most: f64 = -1
  for (let b = boundaries; b < boundaries + 64; b += 16)
    most = max(most, cos * load<f64>(b) + sin * load<f64>(b, 8))
  return max(0, 0.5 * (1 - most))
}

/** Cuts the fan from a place of the edge [m] between two azimuths into intervals. @param turn  of the first rays to be cast: `EVEN`, `ODD` or `ALL` */
function cut(fan: usize, place: f64, from: f64, to: f64, turn: i32): void {
  px = ofEdge(0) + place * ofEdge(TANGENT)
  py = ofEdge(1) + place * ofEdge(TANGENT + 1)
  pz = ofEdge(2) + place * ofEdge(TANGENT + 2)
  store<f64>(fan, from)
  store<i32>(fan + COUNT, 0)
  store<i32>(fan + RAYS, 0)
  let azimuth = from
  let ray = cast(fan, from)
  let passed = -1
  for (let i = 0; i < rays && azimuth < to; i++) {
    const first = azimuthOf(i)
    if (first <= azimuth) continue
    if (first < to && turn !== ALL && ((<i32>load<u8>(turns + i)) & turn) === 0) {
      passed = i
      continue
    }
    const next = min(first, to)
    const nextRay = first > to || isReached(i) ? cast(fan, next) : openRay(fan)
    if (passed >= 0 && (isSeen(ray) || isSeen(nextRay))) {
      const middle = azimuthOf(passed)
      const middleRay = isReached(passed) ? cast(fan, middle) : openRay(fan)
      between(fan, azimuth, ray, middle, middleRay)
      azimuth = middle
      ray = middleRay
    }
    between(fan, azimuth, ray, next, nextRay)
    passed = -1
    azimuth = next
    ray = nextRay
  }
}

/** Whether the receiver sees anything that a ray meets. */
function isSeen(ray: usize): bool {
  return load<i32>(ray + VISIBLE) !== 0
}

/** Cuts what lies between two neighbouring rays. */
function between(fan: usize, from: f64, a: usize, to: f64, b: usize): void {
  if (sameWay(a, b)) {
    addInterval(fan, to, a)
    return
  }
  const middle = 0.5 * (from + to)
  const angle = to - from
  if (
    angle < BOUNDARY_ZONES * zoneAt(max(load<f64>(a), load<f64>(b))) ||
    most(a, angle) + most(b, angle) < CLOSER * size ||
    load<i32>(fan + RAYS) >= ROOM - MOST_RAYS
  ) {
    addInterval(fan, middle, a)
    addInterval(fan, to, b)
    return
  }
  const ray = cast(fan, middle)
  between(fan, from, a, middle, ray)
  between(fan, middle, ray, to, b)
}

/** Adds what follows up to an azimuth, in one with the last interval where it meets the same as that. */
function addInterval(fan: usize, to: f64, ray: usize): void {
  const count = load<i32>(fan + COUNT)
  const at = fan + INTERVALS + INTERVAL * count
  if (count > 0 && sameWay(load<u32>(at - INTERVAL, 8), ray)) {
    store<f64>(at - INTERVAL, to)
    return
  }
  store<f64>(at, to)
  store<u32>(at, <u32>ray, 8)
  store<i32>(fan + COUNT, count + 1)
}

function countOf(fan: usize): i32 {
  return load<i32>(fan + COUNT)
}
/** Where an interval of a fan begins and ends [rad], and its ray. */
function fromOf(fan: usize, interval: i32): f64 {
  return interval === 0 ? load<f64>(fan) : toOf(fan, interval - 1)
}
function toOf(fan: usize, interval: i32): f64 {
  return load<f64>(fan + INTERVALS + INTERVAL * interval)
}
function rayOf(fan: usize, interval: i32): usize {
  return load<u32>(fan + INTERVALS + INTERVAL * interval, 8)
}

/** The first interval that reaches beyond an azimuth, and the first from `at` on that reaches to one; the last where none does. */
function beyond(fan: usize, azimuth: f64): i32 {
  let at = 0
  while (toOf(fan, at) <= azimuth && at < countOf(fan) - 1) at++
  return at
}
function reaching(fan: usize, azimuth: f64, from: i32): i32 {
  let at = from
  while (toOf(fan, at) < azimuth && at < countOf(fan) - 1) at++
  return at
}

/** Whether what the receiver sees of two rays lies on the same planes. */
function sameWay(a: usize, b: usize): bool {
  const visible = load<i32>(a + VISIBLE)
  if (visible !== load<i32>(b + VISIBLE)) return false
  if (visible === 0) return true
  for (let m = 0; m < 4 * load<i32>(a + HITS); m += 4)
    if (load<i32>(a + MEETS + m) !== load<i32>(b + MEETS + m)) return false
  return true
}

function sameIntervals(f0: usize, i: i32, f1: usize, j: i32): bool {
  return sameWay(rayOf(f0, i), rayOf(f1, j))
}

/**
 * Hands over what lies between two azimuths of a piece from z0 to z1, by the fans of its ends: what comes in the same order in both, from
 * either side, and by halves of the piece what does not.
 */
function takePiece(z0: f64, z1: f64, f0: usize, f1: usize, from: f64, to: f64, half: i32): void {
  const a = beyond(f0, from)
  const b = beyond(f1, from)
  const c = reaching(f0, to, a)
  const d = reaching(f1, to, b)
  let same = 0
  while (a + same <= c && b + same <= d && sameIntervals(f0, a + same, f1, b + same)) same++
  if (a + same > c && b + same > d) {
    addSame(z0, z1, f0, f1, a, b, same, from, to, half)
    return
  }
  let sameEnd = 0
  while (
    c - sameEnd >= a + same &&
    d - sameEnd >= b + same &&
    sameIntervals(f0, c - sameEnd, f1, d - sameEnd)
  )
    sameEnd++
  // What follows on both sides begins and ends inside of what is the same at both ends.
  let left = from
  for (; same > 0; same--) {
    const i = a + same - 1
    const j = b + same - 1
    const low = max(from, max(fromOf(f0, i), fromOf(f1, j)))
    const high = min(to, min(toOf(f0, i), toOf(f1, j)))
    if (!(high > low)) continue
    left = inside(high, low, toOf(f0, i) - toOf(f1, j))
    break
  }
  let right = to
  for (; sameEnd > 0; sameEnd--) {
    const i = c - sameEnd + 1
    const j = d - sameEnd + 1
    const low = max(max(from, left), max(fromOf(f0, i), fromOf(f1, j)))
    const high = min(to, min(toOf(f0, i), toOf(f1, j)))
    if (!(high > low)) continue
    right = inside(low, high, fromOf(f0, i) - fromOf(f1, j))
    break
  }
  addSame(z0, z1, f0, f1, a, b, same, from, left, half)
  addSame(z0, z1, f0, f1, c - sameEnd + 1, d - sameEnd + 1, sameEnd, right, to, half)
  const divided = commonAzimuth(f0, a + same, c - sameEnd, f1, b + same, d - sameEnd, left, right)
  if (isNaN(divided)) halve(z0, z1, f0, f1, left, right, half)
  else {
    takePiece(z0, z1, f0, f1, left, divided, half)
    takePiece(z0, z1, f0, f1, divided, right, half)
  }
}

/** A place a little from a boundary towards the other end of an interval that both fans share, by what it moves between them [rad]. */
function inside(boundary: f64, other: f64, moves: f64): f64 {
  const room = min(0.5 * abs(other - boundary), abs(moves) + MARGIN)
  return other > boundary ? boundary + room : boundary - room
}

/**
 * The middle of the widest part that intervals a to c of one fan and b to d of another have in common between two azimuths while they
 * meet the same planes; NaN where there is none.
 */
function commonAzimuth(one: usize, a: i32, c: i32, other: usize, b: i32, d: i32, from: f64, to: f64): f64 {
  let widest = NARROWEST
  let azimuth = NaN
  let first = b
  for (let i = a; i <= c; i++) {
    const start = max(from, fromOf(one, i))
    const end = min(to, toOf(one, i))
    while (first < d && toOf(other, first) <= start) first++
    for (let j = first; j <= d && fromOf(other, j) < end; j++) {
      const low = max(start, fromOf(other, j))
      const high = min(end, toOf(other, j))
      if (!(high - low > widest) || !sameIntervals(one, i, other, j)) continue
      widest = high - low
      azimuth = 0.5 * (low + high)
    }
  }
  return azimuth
}

/** Hands over what comes in another order at both ends of a piece. */
function halve(z0: f64, z1: f64, f0: usize, f1: usize, left: f64, right: f64, half: i32): void {
  length = z1 - z0
  const middle = z0 + HALF * (z1 - z0)
  if (half === MOST_HALVES || !counts(f0, f1, left, right)) {
    addFlat(z0, middle, f0, left, right)
    addFlat(middle, z1, f1, left, right)
    return
  }
  const fan = fans + FAN_BYTES * <usize>(half + 2)
  length = 0.5 * (z1 - z0)
  cut(fan, middle, left, right, ALL)
  takePiece(z0, middle, f0, fan, left, right, half + 1)
  takePiece(middle, z1, fan, f1, left, right, half + 1)
}

/** Whether what lies between two azimuths of the fans at both ends of a piece may radiate enough to be looked at more closely, and is not short enough. */
function counts(f0: usize, f1: usize, from: f64, to: f64): bool {
  let all: f64 = 0
  let zones: f64 = 0
  for (let side = 0; side < 2; side++) {
    const fan = side === 0 ? f0 : f1
    for (let i = 0; i < countOf(fan); i++) {
      const angle = min(to, toOf(fan, i)) - max(from, fromOf(fan, i))
      const ray = rayOf(fan, i)
      if (!(angle > 0) || !isSeen(ray)) continue
      all += most(ray, angle)
      zones = max(zones, zonesOf(ray, length))
    }
  }
  return zones > PIECE_ZONES && all > HALVED * size
}

/** Length of a piece as lit by a ray, in Fresnel zones there. */
function zonesOf(ray: usize, pieceLength: f64): f64 {
  return (pieceLength * load<f64>(ray, STRETCH)) / widthAt(load<f64>(ray, FIRST))
}

/** Hands over what comes in the same order at both ends of a piece; by halves where a boundary moves so far that it may be no straight line. */
function addSame(
  z0: f64,
  z1: f64,
  f0: usize,
  f1: usize,
  a: i32,
  b: i32,
  count: i32,
  from: f64,
  to: f64,
  half: i32,
): void {
  let bends = false
  for (let i = 0; i < count - 1; i++) {
    const way = max(load<f64>(rayOf(f0, a + i)), load<f64>(rayOf(f0, a + i + 1)))
    if (abs(toOf(f0, a + i) - toOf(f1, b + i)) > BEND_ZONES * zoneAt(way)) bends = true
  }
  length = z1 - z0
  if (bends && half < MOST_HALVES && counts(f0, f1, from, to)) {
    halve(z0, z1, f0, f1, from, to, half)
    return
  }
  // Straight lines between the boundaries of both ends.
  for (let i = 0; i < count; i++) {
    const r0 = rayOf(f0, a + i)
    if (!isSeen(r0)) continue
    const zones = max(zonesOf(r0, z1 - z0), zonesOf(rayOf(f1, b + i), z1 - z0))
    const start0 = i === 0 ? from : fromOf(f0, a + i)
    const start1 = i === 0 ? from : fromOf(f1, b + i)
    const end0 = i === count - 1 ? to : toOf(f0, a + i)
    const end1 = i === count - 1 ? to : toOf(f1, b + i)
    addRay(z0, z1, r0, start0, start1, end0, end1, <i32>ceil(zones / SMOOTH_ZONES))
  }
}

/** Hands over what lies between two azimuths of a fan as if it stayed the same all over a piece. */
function addFlat(z0: f64, z1: f64, fan: usize, from: f64, to: f64): void {
  for (let i = 0; i < countOf(fan); i++) {
    const start = max(from, fromOf(fan, i))
    const end = min(to, toOf(fan, i))
    const ray = rayOf(fan, i)
    if (end > start && isSeen(ray)) addRay(z0, z1, ray, start, start, end, end, 1)
  }
}

/** Hands over what a ray stands for, in parts of a piece: azimuths where it starts at z0 and at z1, and where it ends. */
function addRay(
  z0: f64,
  z1: f64,
  ray: usize,
  start0: f64,
  start1: f64,
  end0: f64,
  end1: f64,
  parts: i32,
): void {
  const pieceLength = z1 - z0
  const fromSlope = (start1 - start0) / pieceLength
  const toSlope = (end1 - end0) / pieceLength
  for (let i = 0; i < parts; i++) {
    const at = ((<f64>i + 0.5) / <f64>parts) * pieceLength
    const part = pieceLength / <f64>parts
    if (!watching) openPiece(z0 + at, part)
    const end = end0 + at * toSlope
    let from = start0 + at * fromSlope
    let slope = fromSlope
    // The diffracted wave jumps at the boundaries of light.
    for (let j = 0; j < jumpCount; j++) {
      const boundary = load<f64>(jumps + 8 * j)
      if (boundary <= from || boundary >= end) continue
      addPart(z0 + at, part, ray, from, boundary, slope, 0)
      from = boundary
      slope = 0
    }
    addPart(z0 + at, part, ray, from, end, slope, toSlope)
  }
}

function addPart(middle: f64, part: f64, ray: usize, from: f64, to: f64, fromSlope: f64, toSlope: f64): void {
  if (watching) watch(middle, part, from, to, fromSlope, toSlope)
  else addBundle(from, to, fromSlope, toSlope, ray + FACETS, load<i32>(ray + HITS), load<i32>(ray + VISIBLE))
}

/** About the most that the piece lights within an angle [rad] round a ray can radiate [m]. */
function most(ray: usize, angle: f64): f64 {
  if (!isSeen(ray)) return 0
  return (
    load<f64>(ray, STRENGTH) *
    min(length, load<f64>(ray, STRENGTH + 8)) *
    min(angle * load<f64>(ray, STRENGTH + 16), load<f64>(ray, STRENGTH + 24))
  )
}

/** Begins a ray, which so far meets nothing. */
function openRay(fan: usize): usize {
  const count = load<i32>(fan + RAYS)
  store<i32>(fan + RAYS, count + 1)
  const ray = fan + RAY_LIST + RAY * <usize>count
  store<i32>(ray + HITS, 0)
  store<i32>(ray + VISIBLE, 0)
  store<f64>(ray, 0)
  store<f64>(ray, 1, STRETCH)
  return ray
}

/** Traces a ray from the fan's place as far as the penumbra goes. */
function cast(fan: usize, azimuth: f64): usize {
  const ray = openRay(fan)
  const cos = Math.cos(azimuth)
  const sin = Math.sin(azimuth)
  const frame = edge + 8 * FRAME
  const x0 = load<f64>(frame)
  const x1 = load<f64>(frame, 8)
  const x2 = load<f64>(frame, 16)
  const y0 = load<f64>(frame, 24)
  const y1 = load<f64>(frame, 32)
  const y2 = load<f64>(frame, 40)
  // The edge's direction, that of the ray, and that along the fan.
  let ex = load<f64>(frame, 48)
  let ey = load<f64>(frame, 56)
  let ez = load<f64>(frame, 64)
  const cx = sinBeta * cos
  const cy = sinBeta * sin
  let dx = cx * x0 + cy * y0 + cosBeta * ex
  let dy = cx * x1 + cy * y1 + cosBeta * ey
  let dz = cx * x2 + cy * y2 + cosBeta * ez
  let fx = cos * y0 - sin * x0
  let fy = cos * y1 - sin * x1
  let fz = cos * y2 - sin * x2
  let x = px
  let y = py
  let z = pz
  const sx = ofEdge(RECEIVER)
  const sy = ofEdge(RECEIVER + 1)
  const sz = ofEdge(RECEIVER + 2)
  const square = sinSquare(cos, sin)
  const limit = penumbra(square)
  let from = -1
  let way: f64 = 0
  let count = 0
  let visible = 0
  let greatest: f64 = 0
  let stretch: f64 = 1
  store<f64>(ray, limit, FIRST)
  while (count < MAX_REFLECTIONS && nearest(x, y, z, dx, dy, dz, from, limit - way)) {
    from = metFacet
    if (conducting !== 0 && load<i32>(conducting + 4 * from) === 0) break
    const t = metAt
    way += t
    if (way < NEAREST * shortest) break
    if (count === 0) store<f64>(ray, way, FIRST)
    const f = normals + 32 * from
    const nx = load<f64>(f)
    const ny = load<f64>(f, 8)
    const nz = load<f64>(f, 16)
    const nd = nx * dx + ny * dy + nz * dz
    const side: f64 = nd < 0 ? 1 : -1
    const lift = side * DOUBLE_OFFSET * diagonal
    x += t * dx + lift * nx
    y += t * dy + lift * ny
    z += t * dz + lift * nz
    const towards = side * (nx * sx + ny * sy + nz * sz)
    if (towards > GRAZING_COSINE) {
      // Slopes of the phase path along the edge and along the fan, slid along the ray onto the facet.
      const wx = sx - dx
      const wy = sy - dy
      const wz = sz - dz
      const wd = (wx * dx + wy * dy + wz * dz) / nd
      const ne = nx * ex + ny * ey + nz * ez
      const slopeEdge = wx * ex + wy * ey + wz * ez - ne * wd
      const slopeFan = wx * fx + wy * fy + wz * fz - (nx * fx + ny * fy + nz * fz) * wd
      const strong = strength(square, way)
      const bounded = (boundedArea(way, slopeEdge, slopeFan) * strong) / abs(nd)
      if (bounded > WEAKEST * size && !occluded(x, y, z, sx, sy, sz, from)) {
        visible |= 1 << count
        store<i32>(ray + HITS, count + 1)
        store<f64>(ray, way)
        const slid = ne / nd
        const lx = ex - slid * dx
        const ly = ey - slid * dy
        const lz = ez - slid * dz
        stretch = max(stretch, sqrt(lx * lx + ly * ly + lz * lz))
        if (bounded > greatest) {
          greatest = bounded
          store<f64>(ray, strong / abs(nd), STRENGTH)
          store<f64>(ray, shortest / (Math.PI * abs(slopeEdge)), STRENGTH + 8)
          store<f64>(ray, way, STRENGTH + 16)
          store<f64>(ray, shortest / (Math.PI * abs(slopeFan)), STRENGTH + 24)
        }
      }
    }
    dx -= 2 * nd * nx
    dy -= 2 * nd * ny
    dz -= 2 * nd * nz
    const me = 2 * (nx * ex + ny * ey + nz * ez)
    ex -= me * nx
    ey -= me * ny
    ez -= me * nz
    const mf = 2 * (nx * fx + ny * fy + nz * fz)
    fx -= mf * nx
    fy -= mf * ny
    fz -= mf * nz
    store<i32>(ray + MEETS + 4 * count, <i32>side * (load<i32>(planes + 4 * from) + 1))
    store<i32>(ray + FACETS + 4 * count, from)
    count++
  }
  store<i32>(ray + VISIBLE, visible)
  store<f64>(ray, stretch, STRETCH)
  return ray
}

/**
 * Lengths over which what the whole part of the edge lights round a ray adds up: those of the edge and of two Fresnel zones, or 2/k slope
 * where the phase runs away before [m2]. Times `strength`, about the most that it can radiate [m].
 */
function boundedArea(way: f64, slopeEdge: f64, slopeFan: f64): f64 {
  const along = min(whole, shortest / (Math.PI * abs(slopeEdge)))
  return along * min(2 * widthAt(way), shortest / (Math.PI * abs(slopeFan)))
}

/** About the most that an area lit by a ray radiates, and a smooth surface in phase, (k/2 pi) |u_d| [1/m]. */
function strength(square: f64, way: f64): f64 {
  const x = PENUMBRA * sqrt((way * square) / away)
  const far = Math.exp(-eighth(x / HALF_PENUMBRA))
  const wavelengths = way / longest
  const near: f64 = wavelengths >= NEAR_ZONE ? 0 : Math.exp(-eighth(wavelengths / HALF_NEAR))
  return ((far + (1 - far) * near) * min(0.5, 0.28 / x)) / shortest
}

function eighth(x: f64): f64 {
  const square = x * x
  const fourth = square * square
  return fourth * fourth
}
