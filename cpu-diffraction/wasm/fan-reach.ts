// Which rays of an edge's fans may meet a facet at all: most of an edge's surroundings are empty. The hierarchy is gone through once for all
// places of an edge, whose rays in one half-plane lie between two parallel lines.
import { diagonal, LINKS, NODE, nodes, order, root } from '../../rays/wasm/caster'
import { MOST_RAYS } from './constants'

/** Azimuths are looked up in this many equal parts of the circle. */
const PARTS = 512
/** Facets are taken this much wider [rad]: more than rounding and their own tolerance make of it beyond `NEAREST`. */
const WIDER: f64 = 1e-5
/** As a part of the target's diagonal; of boxes, which are in single precision. */
const LONGER: f64 = 1e-9
const BOX_LONGER: f64 = 1e-7
const CIRCLE: f64 = 2 * Math.PI

/** Nine numbers per facet: its corners. */
let vertices: usize = 0
/** By ray: azimuth, distance from the edge's line that it goes to [m], and whether it may meet anything, from any place. */
let azimuths: usize = 0
let far: usize = 0
let reached: usize = 0
let rays = 0
/** By part of the circle: the first azimuth that is not before it. */
const firsts = memory.data(4 * (PARTS + 1), 16)
/** Links of nodes to be looked at. */
let waiting: usize = 0
/** Start and rows of the frame: 12 numbers. */
const frame = memory.data(8 * 12, 16)
/** Corners of a facet across the edge, and along it: 3 numbers each. */
const corners = memory.data(8 * 9, 16)
let cot: f64 = 0
/** 1 where places count along the frame's edge, -1 where against it; the places that rays come from, along it [m]. */
let along: f64 = 1
let low: f64 = 0
let high: f64 = 0

/** @param room  of MOST_RAYS numbers, as many bytes, and 4 bytes for each level of the hierarchy times 4 */
export function placeReach(verticesAt: usize, azimuthsAt: usize, room: usize): void {
  vertices = verticesAt
  azimuths = azimuthsAt
  far = room
  reached = room + 8 * MOST_RAYS
  waiting = room + 9 * MOST_RAYS
}

/** Whether ray i may meet anything. */
export function isReached(i: i32): bool {
  return load<u8>(reached + i) !== 0
}

/** Takes an edge: start (3 numbers), tangent (3) and frame (9) at an address, the light's cone, and how many rays there are, in ascending order. */
export function aimReach(edge: usize, sinBeta: f64, cosBeta: f64, count: i32): void {
  memory.copy(frame, edge, 24)
  memory.copy(frame + 24, edge + 48, 72)
  cot = cosBeta / sinBeta
  const dot = at(edge, 3) * at(frame, 9) + at(edge, 4) * at(frame, 10) + at(edge, 5) * at(frame, 11)
  along = dot < 0 ? -1 : dot > 0 ? 1 : 0
  rays = count
  let part = 0
  for (let i = 0; i < count; i++) {
    const last = (at(azimuths, i) / CIRCLE) * PARTS
    for (; <f64>part <= last && part <= PARTS; part++) store<i32>(firsts + 4 * part, i)
  }
  for (; part <= PARTS; part++) store<i32>(firsts + 4 * part, count)
}

/** Azimuth of ray i [rad], and how far from the edge's line it goes [m]: for tests. */
export function azimuthOf(i: i32): f64 {
  return at(azimuths, i)
}
export function farOf(i: i32): f64 {
  return at(far, i)
}
/** How many rays there are: for tests. */
export function rayCount(): i32 {
  return rays
}

/** Says how far ray i goes [m from the edge's line]. */
export function setFar(i: i32, distance: f64): void {
  store<f64>(far + 8 * i, distance)
}

/** Finds the rays that may meet something from places between two [m from the start]. */
export function findReached(from: f64, to: f64): void {
  const margin = LONGER * diagonal
  low = (along > 0 ? from : -to) - margin
  high = (along > 0 ? to : -from) + margin
  memory.fill(reached, 0, rays)
  store<i32>(waiting, root)
  let top = waiting + 4
  while (top > waiting) {
    top -= 4
    const link = load<i32>(top)
    if (link < 0) {
      const first = ~link >> 3
      meetLeaf(first, first + (~link & 7))
      continue
    }
    const node = nodes + NODE * <usize>link
    for (let lane: usize = 0; lane < 16; lane += 4) {
      if (!mayMeet(node + lane)) continue
      store<i32>(top, load<i32>(node + LINKS + lane))
      top += 4
    }
  }
}

/** Whether rays that are not yet reached may meet the box of a lane. */
function mayMeet(lane: usize): bool {
  const x0 = <f64>load<f32>(lane)
  const x1 = <f64>load<f32>(lane, 48)
  if (!(x0 <= x1)) return false
  const y0 = <f64>load<f32>(lane, 16)
  const z0 = <f64>load<f32>(lane, 32)
  const wider = BOX_LONGER * diagonal
  const hx = 0.5 * (x1 - x0)
  const hy = 0.5 * (<f64>load<f32>(lane, 64) - y0)
  const hz = 0.5 * (<f64>load<f32>(lane, 80) - z0)
  const px = x0 + hx - at(frame, 0)
  const py = y0 + hy - at(frame, 1)
  const pz = z0 + hz - at(frame, 2)
  const x = px * at(frame, 3) + py * at(frame, 4) + pz * at(frame, 5)
  const y = px * at(frame, 6) + py * at(frame, 7) + pz * at(frame, 8)
  const z = px * at(frame, 9) + py * at(frame, 10) + pz * at(frame, 11)
  const ex = hx * abs(at(frame, 3)) + hy * abs(at(frame, 4)) + hz * abs(at(frame, 5)) + wider
  const ey = hx * abs(at(frame, 6)) + hy * abs(at(frame, 7)) + hz * abs(at(frame, 8)) + wider
  const ez = hx * abs(at(frame, 9)) + hy * abs(at(frame, 10)) + hz * abs(at(frame, 11)) + wider
  const rho = sqrt(x * x + y * y)
  const radius = sqrt(ex * ex + ey * ey)
  const near = max(0, rho - radius)
  if (!between(z - ez, z + ez, near, rho + radius)) return false
  if (!(rho > radius)) return take(0, CIRCLE, near, 0)
  const azimuth = Math.atan2(y, x)
  const half = Math.asin(radius / rho)
  return take(azimuth - half, azimuth + half, near, 0)
}

/** Whether what lies between two places along the edge and distances from it [m] lies on the way of rays, whatever their azimuth. */
function between(z0: f64, z1: f64, near: f64, farthest: f64): bool {
  const least = z0 - (cot > 0 ? farthest : near) * cot
  const most = z1 - (cot > 0 ? near : farthest) * cot
  return most >= low && least <= high
}

/** Whether rays between two azimuths go as far as `near` and are not yet reached; sets these to `mark` if that is not 0. */
function take(from: f64, to: f64, near: f64, mark: u8): bool {
  for (let turn = -CIRCLE; turn <= CIRCLE; turn += CIRCLE) {
    const least = from + turn - WIDER
    const most = to + turn + WIDER
    if (most < 0 || least >= CIRCLE) continue
    let i = least <= 0 ? 0 : load<i32>(firsts + 4 * <i32>floor((least / CIRCLE) * PARTS))
    for (; i < rays; i++) {
      const azimuth = at(azimuths, i)
      if (azimuth > most) break
      if (load<u8>(reached + i) !== 0 || azimuth < least || at(far, i) < near) continue
      if (mark === 0) return true
      store<u8>(reached + i, mark)
    }
  }
  return false
}

function meetLeaf(first: i32, end: i32): void {
  for (let slot = first; slot < end; slot++) {
    let farthest: f64 = 0
    let corner = vertices + 72 * load<i32>(order + 4 * slot)
    for (let v = 0; v < 3; v++, corner += 24) {
      const px = load<f64>(corner) - at(frame, 0)
      const py = load<f64>(corner, 8) - at(frame, 1)
      const pz = load<f64>(corner, 16) - at(frame, 2)
      const x = px * at(frame, 3) + py * at(frame, 4) + pz * at(frame, 5)
      const y = px * at(frame, 6) + py * at(frame, 7) + pz * at(frame, 8)
      store<f64>(corners + 8 * v, x)
      store<f64>(corners + 8 * v, y, 24)
      store<f64>(corners + 8 * v, px * at(frame, 9) + py * at(frame, 10) + pz * at(frame, 11), 48)
      farthest = max(farthest, x * x + y * y)
    }
    const cx = (at(corners, 0) + at(corners, 1) + at(corners, 2)) / 3
    const cy = (at(corners, 3) + at(corners, 4) + at(corners, 5)) / 3
    let radius: f64 = 0
    for (let v = 0; v < 3; v++) {
      const x = at(corners, v) - cx
      const y = at(corners, v + 3) - cy
      radius = max(radius, x * x + y * y)
    }
    const longer = LONGER * diagonal
    const near = max(0, sqrt(cx * cx + cy * cy) - sqrt(radius) - longer)
    const z0 = min(min(at(corners, 6), at(corners, 7)), at(corners, 8))
    const z1 = max(max(at(corners, 6), at(corners, 7)), at(corners, 8))
    if (!between(z0, z1, near, sqrt(farthest) + longer)) continue
    const azimuth = Math.atan2(at(corners, 3), at(corners, 0))
    const d1 = turn(0, 1)
    const d2 = d1 + turn(1, 2)
    // The edge's line meets the facet.
    if (abs(d2 + turn(2, 0)) > 1) take(0, CIRCLE, near, 1)
    else take(azimuth + min(0, min(d1, d2)), azimuth + max(0, max(d1, d2)), near, 1)
  }
}

/** Angle from one corner of the facet to another, as seen along the edge [rad]. */
function turn(a: i32, b: i32): f64 {
  const ax = at(corners, a)
  const ay = at(corners, a + 3)
  const bx = at(corners, b)
  const by = at(corners, b + 3)
  return Math.atan2(ax * by - ay * bx, ax * bx + ay * by)
}

/** Number i at an address. */
function at(address: usize, i: i32): f64 {
  return load<f64>(address + 8 * i)
}
