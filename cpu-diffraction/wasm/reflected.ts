// What the diffracted wave of an edge does to other faces: `ReflectedEdges` of cpu-diffraction/mechanisms/reflected.ts, which says what
// is added. Here the wave goes along the paths that bundles of rays take (`ray-fan`).
import { diagonal } from '../../rays/wasm/caster'
import { AT_POLE, NEAR_ZONE, PENUMBRA } from './constants'
import { footprint } from './footprint'

/** Adds what `footprint` wrote, at a delay [m]. */
declare function radiate(delay: f64): void
/** What the way along a face is longer by than the direct one, where light comes over it, by the distance from the edge's start [m]. */
declare function lateAt(middle: f64): f64

/** Footprints are at most this part of the shortest wavelength wide across the fan near the edge, */
const FOOTPRINT: f64 = 0.35
/** and beyond this many wavelengths grow as Fresnel zones do, */
const NEAR: f64 = 2
/** and span at most this angle [rad]. */
const WIDEST: f64 = 0.15
/** Least |cos| of incidence for which footprints are made narrower to keep their width on the facet. */
const OBLIQUE: f64 = 0.05
/** Positions in the numbers of a footprint, in doubles: weights and moduli of both waves, amplitudes of the channels. */
const MINUS = 0
const PLUS = 2
const MODULI = 4
const SOFT = 8
const HARD = 12

/** Numbers of `FanEdge` (cpu-diffraction/light/ray-fan.ts). */
export const TANGENT = 3
export const FRAME = 6
export const WEDGE = 15
const SIN_BETA = 16
const COS_BETA = 17
export const PHI0 = 18
export const RECEIVER = 19
const POLARISATIONS = 22
const EZ = 28
const HZ = 30
const HARD_SHARE = 32
const LIGHT = 33
const PATH = 36
const COMES_OVER = 37
const START = 38

/** Four numbers per facet: unit normal n, and n . a for a point a of its plane. */
export let normals: usize = 0
/** Wavelengths [m]. */
export let shortest: f64 = 0
export let longest: f64 = 0
/** Of `FOOTPRINT` (cpu-diffraction/currents/edge-field.ts), and where the amplitudes are written. */
let numbers: usize = 0
let sum: usize = 0

/** The edge: see the numbers above. */
export let edge: usize = 0
export let sinBeta: f64 = 0
export let cosBeta: f64 = 0
/** Way along the face that light comes over, and the piece that it belongs to. */
let over: f64 = Infinity
let overAt: f64 = NaN
let delay: f64 = 0
let length: f64 = 0
/** By how much the azimuth of what is added grows along the edge [rad/m]. */
let slope: f64 = 0
/** Way to the plane that the path was taken to last [m]. */
let step: f64 = 0
// Of the piece's midpoint, and along a path: position, normal, and what is mirrored at each bounce: directions of ray, edge and fan, fields
// of unit E_z and Z H_z.
const point = memory.data(24, 16)
const r = memory.data(24, 16)
const n = memory.data(24, 16)
const d = memory.data(24, 16)
const z = memory.data(24, 16)
const across = memory.data(24, 16)
const soft = memory.data(24, 16)
const hard = memory.data(24, 16)

export function placeReflected(
  normalsAt: usize,
  shortestWavelength: f64,
  longestWavelength: f64,
  numbersAt: usize,
  sumAt: usize,
): void {
  normals = normalsAt
  shortest = shortestWavelength
  longest = longestWavelength
  numbers = numbersAt
  sum = sumAt
}

/** Takes an edge lit by a wave, its numbers at an address. */
export function lightEdge(at: usize): void {
  edge = at
  sinBeta = ofEdge(SIN_BETA)
  cosBeta = ofEdge(COS_BETA)
  overAt = NaN
  over = Infinity
}

/** Number i of the edge. */
export function ofEdge(i: i32): f64 {
  return load<f64>(edge + 8 * i)
}

/** Takes a piece of the edge: distance of its midpoint from the edge's start, and length [m]. */
export function openPiece(middle: f64, pieceLength: f64): void {
  length = pieceLength
  delay = ofEdge(PATH)
  if (ofEdge(COMES_OVER) !== 0 && middle !== overAt) over = lateAt(middle)
  overAt = middle
  for (let c = 0; c < 3; c++) {
    const x = ofEdge(START + c) + middle * ofEdge(TANGENT + c)
    store<f64>(point + 8 * c, x)
    delay += ofEdge(LIGHT + c) * x
  }
}

/**
 * Adds what the faces lit by the rays between two azimuths, of the piece's fan, radiate; both grow along the edge.
 * @param facets  met in order, the first `count` count; bit m of `visible`: the receiver sees hit m
 */
export function addBundle(
  from: f64,
  to: f64,
  fromSlope: f64,
  toSlope: f64,
  facets: usize,
  count: i32,
  visible: i32,
): void {
  if (!(to > from)) return
  const widest = min(widestAt(facets, count, from), widestAt(facets, count, to))
  const steps = max(1, ceil((to - from) / widest - 1e-9))
  const width = (to - from) / steps
  for (let i: f64 = 0; i < steps; i++) {
    const part = (i + 0.5) / steps
    slope = fromSlope + part * (toSlope - fromSlope)
    addFootprints(facets, count, visible, from + part * (to - from), width)
  }
}

/** Greatest width [rad] of footprints about an azimuth. */
function widestAt(facets: usize, count: i32, azimuth: f64): f64 {
  let widest = WIDEST
  let path: f64 = 0
  begin(azimuth)
  for (let m = 0; m < count; m++) {
    const nd = next(load<i32>(facets + 4 * m))
    if (!isOnTarget()) break
    path += step
    const reach = max(path * sinBeta, 1e-9 * shortest)
    const growth = sqrt(max(1, reach / (NEAR * shortest)))
    widest = min(widest, (FOOTPRINT * growth * shortest * max(OBLIQUE, -nd)) / reach)
    reflect()
  }
  return widest
}

/** Adds the bounces of one narrow bundle of rays about an azimuth. */
function addFootprints(facets: usize, count: i32, visible: i32, azimuth: f64, width: f64): void {
  setWave(MINUS, azimuth - ofEdge(PHI0))
  setWave(PLUS, azimuth + ofEdge(PHI0))
  begin(azimuth)
  const sx = ofEdge(RECEIVER)
  const sy = ofEdge(RECEIVER + 1)
  const sz = ofEdge(RECEIVER + 2)
  let path: f64 = 0
  for (let m = 0; m < count; m++) {
    const nd = next(load<i32>(facets + 4 * m))
    if (!isOnTarget()) return
    path += step
    const rho = path * sinBeta
    const x = sqrt((4 * Math.PI * sinBeta * rho) / longest)
    const waves = path / longest
    if (!reaches(MINUS, x, waves) && !reaches(PLUS, x, waves)) return
    if ((visible >> m) & 1) {
      const dx = load<f64>(d)
      const dy = load<f64>(d, 8)
      const dz = load<f64>(d, 16)
      // The piece of the edge and the fan's width, slid along the ray onto the facet.
      const ka = dot(n, z) / nd
      const kb = dot(n, across) / nd
      const lb = rho * width
      const qx = lb * (load<f64>(across) - kb * dx)
      const qy = lb * (load<f64>(across, 8) - kb * dy)
      const qz = lb * (load<f64>(across, 16) - kb * dz)
      // Along the edge it goes across the fan too.
      const turned = (length * slope) / width
      const px = length * (load<f64>(z) - ka * dx) + turned * qx
      const py = length * (load<f64>(z, 8) - ka * dy) + turned * qy
      const pz = length * (load<f64>(z, 16) - ka * dz) + turned * qz
      const ax = py * qz - pz * qy
      const ay = pz * qx - px * qz
      const az = px * qy - py * qx
      setAmplitudes(sqrt(ax * ax + ay * ay + az * az))
      const wx = sx - dx
      const wy = sy - dy
      const wz = sz - dz
      const alongP = 0.5 * (wx * px + wy * py + wz * pz)
      const alongQ = 0.5 * (wx * qx + wy * qy + wz * qz)
      const ns = sx * load<f64>(n) + sy * load<f64>(n, 8) + sz * load<f64>(n, 16)
      footprint(numbers, sinBeta, path, path * versine(nd), path * versine(ns), over, alongP, alongQ, sum)
      radiate(delay - path + sx * load<f64>(r) + sy * load<f64>(r, 8) + sz * load<f64>(r, 16))
    }
    reflect()
  }
}

/** Real amplitudes per unit of u_d, soft and hard, of the four channels; without jk. */
function setAmplitudes(area: f64): void {
  const scale = area / (4 * Math.PI)
  for (let q = 0; q < 2; q++) {
    const p = edge + 8 * (POLARISATIONS + 3 * q)
    const ofSoft = scale * radiated(soft, p)
    const ofHard = scale * radiated(hard, p) * ofEdge(HARD_SHARE)
    for (let t = 0; t < 2; t++) {
      const channel = 8 * (t === q ? t : 2 + t)
      store<f64>(numbers + channel, ofSoft * ofEdge(EZ + t), 8 * SOFT)
      store<f64>(numbers + channel, ofHard * ofEdge(HZ + t), 8 * HARD)
    }
  }
}

/** -2 p . (n x (d x E)) = 2 (d.n)(p.E) - 2 (p.d)(n.E) with its sign turned: n x (d x E) = d (n.E) - E (n.d). */
function radiated(e: usize, p: usize): f64 {
  return 2 * (dot(n, d) * dot(p, e) - dot(n, e) * dot(p, d))
}

/** Puts the path at the edge, leaving in the cone's direction of an azimuth. */
function begin(azimuth: f64): void {
  const cos = Math.cos(azimuth)
  const sin = Math.sin(azimuth)
  const cx = sinBeta * cos
  const cy = sinBeta * sin
  for (let c = 0; c < 24; c += 8) {
    const frame = edge + 8 * FRAME + c
    const fx = load<f64>(frame)
    const fy = load<f64>(frame, 24)
    const fz = load<f64>(frame, 48)
    const along = cx * fx + cy * fy + cosBeta * fz
    const turned = cos * fy - sin * fx
    store<f64>(d + c, along)
    store<f64>(z + c, fz)
    store<f64>(across + c, turned)
    store<f64>(soft + c, (fz - cosBeta * along) / (sinBeta * sinBeta))
    store<f64>(hard + c, turned / sinBeta)
    store<f64>(r + c, load<f64>(point + c))
  }
}

/**
 * Whether the last step leads to a point that may be on the target: next to a boundary, a bundle's rays need not meet the planes of
 * the ray that it was made from.
 */
function isOnTarget(): bool {
  return step > 0 && step <= diagonal
}

/** Goes on to the plane of a facet, `step` further [m]; gives n . d < 0. */
function next(facet: i32): f64 {
  const f = normals + 32 * facet
  const side: f64 = dot(f, d) > 0 ? -1 : 1
  for (let c = 0; c < 24; c += 8) store<f64>(n + c, side * load<f64>(f + c))
  const nd = dot(n, d)
  step = (side * load<f64>(f, 24) - dot(n, r)) / nd
  for (let c = 0; c < 24; c += 8) store<f64>(r + c, load<f64>(r + c) + step * load<f64>(d + c))
  return nd
}

/** Reflects the path at the plane it is on: directions are mirrored, fields mirrored and turned round. */
function reflect(): void {
  mirror(d, 1)
  mirror(z, 1)
  mirror(across, 1)
  mirror(soft, -1)
  mirror(hard, -1)
}

function mirror(v: usize, sign: f64): void {
  const q = 2 * dot(n, v)
  for (let c = 0; c < 24; c += 8) store<f64>(v + c, sign * (load<f64>(v + c) - q * load<f64>(n + c)))
}

function dot(a: usize, b: usize): f64 {
  return load<f64>(a) * load<f64>(b) + load<f64>(a, 8) * load<f64>(b, 8) + load<f64>(a, 16) * load<f64>(b, 16)
}

/** 1 - cos of the angle of which this is the sine. */
function versine(sin: f64): f64 {
  return (sin * sin) / (1 + sqrt(max(0, 1 - sin * sin)))
}

/** Writes weights and moduli of `WedgeWave` (cpu-diffraction/currents/wedge-wave.ts) for an angle [rad]. */
function setWave(at: i32, beta: f64): void {
  const N = ofEdge(WEDGE)
  for (let i = 0; i < 2; i++) {
    const sign: f64 = 1 - 2 * i
    const x = (Math.PI + sign * beta) / (2 * N)
    const y = x - Math.PI * Math.round(x / Math.PI)
    const turns = Math.round((beta + sign * Math.PI) / (2 * Math.PI * N))
    const modulus = abs(Math.cos(Math.PI * N * turns - 0.5 * beta))
    const to = numbers + 8 * (at + i)
    store<f64>(to, abs(y) < AT_POLE ? (y < 0 ? 0.5 : -0.5) : -modulus / (2 * N * Math.tan(y)))
    store<f64>(to, modulus, 8 * MODULI)
  }
}

/** Whether anything is left of the waves at x = sqrt(2 k_t rho), so many wavelengths from the edge, and further on. */
function reaches(at: i32, x: f64, waves: f64): bool {
  const moduli = numbers + 8 * (at + MODULI)
  return waves < NEAR_ZONE || x * min(load<f64>(moduli), load<f64>(moduli, 8)) < PENUMBRA
}
