// Nearest-hit and any-hit queries of rays in double precision (`RayCaster` of rays/ray-caster.ts), in AssemblyScript. Addresses are bytes in
// the imported memory, laid out by that file.
//
// A node of the hierarchy has four children: lanes of single precision, since a box only has to hold what may be met. The test of the
// facets decides, in double precision, and of facets at the same distance the lower number wins: no order of traversal changes a result.
import { GRAZING_COSINE } from './constants'

/** Of the sum of the ray's distance from the scene's origin and the scene's diagonal: more than boxes err by in single precision. */
const BOX_ERROR: f64 = 5e-7
/** Lengths are compared with this part more. */
const LONGER: f64 = 1.000001
/** Bytes of a node (`quadNodes` of rays/bvh.ts) and where its links stand; of a leaf slot's planes; of an entry of the stack. */
export const NODE: usize = 112
export const LINKS: usize = 96
const PLANES: usize = 96
const ENTRY: usize = 8
/** Bytes of a node of the two-child hierarchy and of its ropes (`threadRopes`). */
const TWO_CHILD: usize = 32
const ROPES: usize = 28
const NO_ROPE: u32 = 0xffffffff

export let nodes: usize = 0
export let root: i32 = 0
let planes: usize = 0
export let order: usize = 0
export let diagonal: f64 = 0
/** Boxes to come back to: link, where the ray enters. The 16 bytes before hold the entries of the node at hand. */
let stack: usize = 0
/** Two-child nodes and their ropes; 0 where rays take a stack. */
let twoChild: usize = 0
let ropes: usize = 0

/** Distance [m] and facet (-1: none) of the last hit, and its leaf slot. */
export let t: f64 = 0
export let facet: i32 = -1
let slotMet: i32 = 0
/** Leaf slot that was in the way last: rays that follow one another often meet the same. */
let blocker: i32 = 0

let ox: f64 = 0
let oy: f64 = 0
let oz: f64 = 0
let dx: f64 = 0
let dy: f64 = 0
let dz: f64 = 0

/** Says where the scene stands: nodes and the root's link, `facetPlanes`, facets by leaf slot, and room for the stack. */
export function placeScene(
  nodesAt: usize,
  rootLink: i32,
  planesAt: usize,
  orderAt: usize,
  stackAt: usize,
  sceneDiagonal: f64,
): void {
  nodes = nodesAt
  root = rootLink
  planes = planesAt
  order = orderAt
  stack = stackAt + 16
  diagonal = sceneDiagonal
}

/** Says where ropes stand, which rays follow from here on. */
export function placeRopes(nodesAt: usize, ropesAt: usize): void {
  twoChild = nodesAt
  ropes = ropesAt
}

/** See `RayCaster.nearest`; the hit is written to `t` and `facet`. */
export function nearest(
  x: f64,
  y: f64,
  z: f64,
  alongX: f64,
  alongY: f64,
  alongZ: f64,
  skip: i32,
  limit: f64,
): bool {
  begin(x, y, z, alongX, alongY, alongZ, limit)
  return ropes === 0 ? traverse(skip, false) : walk(skip, false)
}

/** See `RayCaster.occluded`; `t` and `facet` are written over. */
export function occluded(x: f64, y: f64, z: f64, alongX: f64, alongY: f64, alongZ: f64, skip: i32): bool {
  begin(x, y, z, alongX, alongY, alongZ, Infinity)
  const met = meetLeaf(blocker, blocker + 1, skip) || (ropes === 0 ? traverse(skip, true) : walk(skip, true))
  if (met) blocker = slotMet
  return met
}

function begin(x: f64, y: f64, z: f64, alongX: f64, alongY: f64, alongZ: f64, limit: f64): void {
  ox = x
  oy = y
  oz = z
  dx = alongX
  dy = alongY
  dz = alongZ
  t = limit
  facet = -1
}

/** Down the nodes, nearer children first. */
function traverse(skip: i32, any: bool): bool {
  const error = BOX_ERROR * (abs(ox) + abs(oy) + abs(oz) + diagonal)
  const inverseX = inverse(dx)
  const inverseY = inverse(dy)
  const inverseZ = inverse(dz)
  const ix = f32x4.splat(inverseX)
  const iy = f32x4.splat(inverseY)
  const iz = f32x4.splat(inverseZ)
  // The origin as seen from the planes that the ray crosses first, and from those it crosses last.
  const ex = inverseX > 0 ? error : -error
  const ey = inverseY > 0 ? error : -error
  const ez = inverseZ > 0 ? error : -error
  const firstX = f32x4.splat(<f32>(ox + ex))
  const firstY = f32x4.splat(<f32>(oy + ey))
  const firstZ = f32x4.splat(<f32>(oz + ez))
  const lastX = f32x4.splat(<f32>(ox - ex))
  const lastY = f32x4.splat(<f32>(oy - ey))
  const lastZ = f32x4.splat(<f32>(oz - ez))
  // Of a box's two planes across an axis, the one that the ray crosses first.
  const nearX: usize = inverseX > 0 ? 0 : 48
  const nearY: usize = inverseY > 0 ? 16 : 64
  const nearZ: usize = inverseZ > 0 ? 32 : 80
  const entries = stack - 16
  let limit = <f32>(LONGER * t)
  let top = stack
  let link = root
  while (true) {
    if (link < 0) {
      const first = ~link >> 3
      if (meetLeaf(first, first + (~link & 7), skip)) {
        if (any) return true
        limit = <f32>(LONGER * t)
      }
    } else {
      const node = nodes + NODE * <usize>link
      const enterX = f32x4.mul(f32x4.sub(v128.load(node + nearX), firstX), ix)
      const enterY = f32x4.mul(f32x4.sub(v128.load(node + nearY), firstY), iy)
      const enterZ = f32x4.mul(f32x4.sub(v128.load(node + nearZ), firstZ), iz)
      const leaveX = f32x4.mul(f32x4.sub(v128.load(node + 48 - nearX), lastX), ix)
      const leaveY = f32x4.mul(f32x4.sub(v128.load(node + 80 - nearY), lastY), iy)
      const leaveZ = f32x4.mul(f32x4.sub(v128.load(node + 112 - nearZ), lastZ), iz)
      const enter = f32x4.pmax(f32x4.pmax(enterX, enterY), f32x4.pmax(enterZ, f32x4.splat(0)))
      const leave = f32x4.pmin(f32x4.pmin(leaveX, leaveY), f32x4.pmin(leaveZ, f32x4.splat(limit)))
      let met = i32x4.bitmask(f32x4.le(enter, leave))
      if (met !== 0) {
        const links = node + LINKS
        let child = ctz(met)
        link = load<i32>(links + 4 * <usize>child)
        met &= met - 1
        if (met === 0) continue
        v128.store(entries, enter)
        let entry = load<f32>(entries + 4 * <usize>child)
        // The nearest is gone down next; the others wait, the farthest at the bottom.
        const bottom = top
        do {
          child = ctz(met)
          met &= met - 1
          let waiting = load<i32>(links + 4 * <usize>child)
          let waitingEntry = load<f32>(entries + 4 * <usize>child)
          if (waitingEntry < entry) {
            const other = link
            const otherEntry = entry
            link = waiting
            entry = waitingEntry
            waiting = other
            waitingEntry = otherEntry
          }
          let at = top
          for (; at > bottom && load<f32>(at - 4) < waitingEntry; at -= ENTRY)
            store<i64>(at, load<i64>(at - ENTRY))
          store<i32>(at, waiting)
          store<f32>(at, waitingEntry, 4)
          top += ENTRY
        } while (met !== 0)
        continue
      }
    }
    // Boxes that begin beyond the hit found meanwhile are left out.
    do {
      if (top === stack) return facet >= 0
      top -= ENTRY
    } while (load<f32>(top, 4) > limit)
    link = load<i32>(top)
  }
  return false
}

/** Along the ropes, without a stack. */
function walk(skip: i32, any: bool): bool {
  const error = BOX_ERROR * (abs(ox) + abs(oy) + abs(oz) + diagonal)
  const face: usize = 4 * mainFace()
  let node: u32 = 0
  while (node !== NO_ROPE) {
    const at = twoChild + TWO_CHILD * <usize>node
    const rope = ropes + ROPES * <usize>node
    if (meetsBox(at, error)) {
      const first = load<i32>(at, 12)
      const count = load<i32>(at, 28)
      if (count === 0) {
        node = first + ((load<u32>(rope, 24) >>> ((<u32>face) >>> 2)) & 1)
        continue
      }
      if (meetLeaf(first, first + count, skip) && any) return true
    }
    node = load<u32>(rope + face)
  }
  return facet >= 0
}

/** Face that the ray mainly travels towards (`mainFace` of rays/bvh.ts). */
function mainFace(): usize {
  const x = abs(dx)
  const y = abs(dy)
  const z = abs(dz)
  if (x >= y && x >= z) return dx < 0 ? 1 : 0
  if (y >= z) return dy < 0 ? 3 : 2
  return dz < 0 ? 5 : 4
}

/** Whether the ray meets the box of a two-child node, widened by `error`, before the last hit. */
function meetsBox(at: usize, error: f64): bool {
  const ix = <f64>inverse(dx)
  const iy = <f64>inverse(dy)
  const iz = <f64>inverse(dz)
  const x0 = (<f64>load<f32>(at) - error - ox) * ix
  const x1 = (<f64>load<f32>(at, 16) + error - ox) * ix
  const y0 = (<f64>load<f32>(at, 4) - error - oy) * iy
  const y1 = (<f64>load<f32>(at, 20) + error - oy) * iy
  const z0 = (<f64>load<f32>(at, 8) - error - oz) * iz
  const z1 = (<f64>load<f32>(at, 24) + error - oz) * iz
  const enter = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), 0))
  const leave = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), t))
  return enter <= leave
}

/** 1 / x, but a large number instead of an infinite one: 0 times infinity would be NaN for an origin in a box's plane. */
function inverse(x: f64): f32 {
  return abs(x) < 1e-30 ? 1e30 : <f32>(1 / x)
}

/** Tests the facets of slots first to end - 1: one that is met no farther than `t` becomes the hit. Whether any was. */
function meetLeaf(first: i32, end: i32, skip: i32): bool {
  let met = false
  for (let slot = first; slot < end; slot++) {
    const p = planes + PLANES * <usize>slot
    const nx = load<f64>(p)
    const ny = load<f64>(p, 8)
    const nz = load<f64>(p, 16)
    const cosine = nx * dx + ny * dy + nz * dz
    if (cosine < GRAZING_COSINE && cosine > -GRAZING_COSINE) continue
    const way = (load<f64>(p, 24) - nx * ox - ny * oy - nz * oz) / cosine
    if (!(way > 0 && way <= t)) continue
    const x = ox + way * dx
    const y = oy + way * dy
    const z = oz + way * dz
    const u = load<f64>(p, 32) * x + load<f64>(p, 40) * y + load<f64>(p, 48) * z + load<f64>(p, 56)
    if (u < 0) continue
    const v = load<f64>(p, 64) * x + load<f64>(p, 72) * y + load<f64>(p, 80) * z + load<f64>(p, 88)
    if (v < 0 || u + v > 1) continue
    const hit = load<i32>(order + 4 * <usize>slot)
    if (hit === skip || (way === t && hit > facet)) continue
    t = way
    facet = hit
    slotMet = slot
    met = true
  }
  return met
}
