import { type Band, C0, frequency, wavenumber } from '../band.js'
import type { Direction } from '../direction.js'
import { InputError } from '../errors.js'
import type { Material } from '../materials/material.js'
import { slab } from '../materials/slab.js'

/** The plane z = height under a target: of a material, without end, its front upwards. Plain data, for threads. */
export interface Ground {
  /** Opaque, or a conductor. */
  material: Material
  /** [m] */
  height: number
  /** rms height of its irregularities [m]. */
  roughness: number
}

/** Whether every crossing's factor is 1: a smooth perfect conductor. */
export const isMirror = ({ material, roughness }: Ground): boolean =>
  material.kind === 'conductor' && roughness === 0

const coefficients = new Float64Array(8)

/**
 * Writes the factors of a wave that crosses the ground in the world of `withMirrorImage`: re and im of T_s, T_p, in the convention of `slab`
 * for waves through a sheet, E_t = T_s s (s.E) + T_p p (p.E). A field E below stands for -M E above, with M the reflection z -> -z, so that
 *
 *     T_s = -rho R_s,     T_p = +rho R_p,     rho = exp(-2 (k sigma c)^2)
 *
 * with R of `slab`: 1 for a smooth perfect conductor. rho: coherent loss of Gaussian heights of rms sigma (W. S. Ament, "Toward a theory of
 * reflection by a rough surface", Proc. IRE 41, 1953, 142-146).
 *
 * @param c  cosine of the angle from the vertical, 0 to 1
 * @throws InputError for a frequency that the material is not given for
 */
export function crossing(
  { material, roughness }: Ground,
  frequencyHz: number,
  c: number,
  out: Float64Array,
): void {
  slab(material, frequencyHz, c, coefficients)
  const phase = (2 * Math.PI * frequencyHz * roughness * c) / C0
  const rho = Math.exp(-2 * phase * phase)
  out[0] = -rho * coefficients[0]
  out[1] = -rho * coefficients[1]
  out[2] = rho * coefficients[2]
  out[3] = rho * coefficients[3]
}

/** The direction of a receiver's mirror image. Its H is that of an image with the opposite sign (`addImage`). */
export const imageDirection = ({ thetaDeg, phiDeg, r, thetaHat, phiHat }: Direction): Direction => ({
  thetaDeg: 180 - thetaDeg,
  phiDeg,
  r: [r[0], r[1], -r[2]],
  thetaHat: [-thetaHat[0], -thetaHat[1], thetaHat[2]],
  phiHat,
})

/**
 * The amplitudes at a receiver over a ground at z = height: those at the receiver and those at its image, of the mesh `withMirrorImage` under
 * the one incident wave. The image at s' = M s receives with -M e in the place of e: theta-hat of s' for V, -phi-hat for H; and it is
 * 2 height nearer along z: F = F(s) + exp(-j 2 k height s'_z) F'(s').
 *
 * @param fields  F(s) and F(s'): 8 numbers per frequency, re and im of VV, HH, VH, HV (transmitted, received) [m], about the mesh's origin
 * @param rx      s
 */
export function addImage(
  [own, image]: readonly [Float64Array, Float64Array],
  band: Band,
  rx: Direction,
  height: number,
): Float64Array {
  const out = own.slice()
  for (let n = 0; n < band.n; n++) {
    const angle = 2 * wavenumber(frequency(band, n)) * height * rx.r[2]
    const c = Math.cos(angle)
    const s = Math.sin(angle)
    for (let i = 8 * n; i < 8 * n + 8; i += 2) {
      const channel = (i % 8) / 2
      // HH and VH are received by H.
      const sign = channel === 1 || channel === 2 ? -1 : 1
      out[i] += sign * (image[i] * c - image[i + 1] * s)
      out[i + 1] += sign * (image[i] * s + image[i + 1] * c)
    }
  }
  return out
}

const factors = new Float64Array(4)

/**
 * Multiplies amplitudes as `addImage` has them by the factors of waves that cross the ground before they meet the target, from `tx`, or
 * after they left it, to `rx` or its image: T_p for V, T_s for H of each (`crossing`).
 */
export function crossEnds(
  field: Float64Array,
  band: Band,
  ground: Ground,
  { tx, rx }: { tx?: Direction; rx?: Direction },
): void {
  // VV HH VH HV, transmitted first: HV is sent as H, VH received as H.
  for (const [end, cross] of [
    [tx, 3],
    [rx, 2],
  ] as const) {
    if (!end) continue
    for (let n = 0; n < band.n; n++) {
      crossing(ground, frequency(band, n), Math.abs(end.r[2]), factors)
      for (let channel = 0; channel < 4; channel++) {
        const isH = channel === 1 || channel === cross
        const [re, im] = isH ? [factors[0], factors[1]] : [factors[2], factors[3]]
        const i = 8 * n + 2 * channel
        const x = field[i]
        field[i] = x * re - field[i + 1] * im
        field[i + 1] = x * im + field[i + 1] * re
      }
    }
  }
}

/** Mean backscatter coefficients of a surface, in m^2 per m^2 of ground, of the channels by transmit and receive. */
export interface Backscatter {
  vv: number
  hh: number
  /** vh and hv. */
  cross: number
}

/** A surface whose backscatter coefficient a model gives. */
export type SurfaceModel =
  | {
      /** Bare soil (Oh, Sarabandi and Ulaby, 1992; below 20 degrees with constant gamma). */
      model: 'soil'
      /** Relative permittivity, real part and loss factor (positive). */
      epsReal: number
      epsImag: number
      rmsHeightM: number
    }
  | {
      /** Sea, mean over the directions of the wind (Gregers-Hansen and Mital, 2012). */
      model: 'sea'
      seaState: number
    }
  | {
      /** Constant gamma: sigma0 = gamma sin(grazing angle), the same in both co-polarised channels. */
      model: 'gamma'
      gammaDb: number
      crossPolDb: number
    }

/**
 * Backscatter coefficient of a surface.
 *
 * @param grazingDeg  angle of the line of sight from the horizontal, 0 to 90 [degrees]
 * @throws InputError outside the range that the model's authors state
 */
export function backscatter(surface: SurfaceModel, freqHz: number, grazingDeg: number): Backscatter {
  if (surface.model === 'soil') return lowSoil(surface, freqHz, grazingDeg)
  if (surface.model === 'sea') return sea(surface.seaState, freqHz, grazingDeg)
  const co = 10 ** (surface.gammaDb / 10) * Math.sin((grazingDeg * Math.PI) / 180)
  return { vv: co, hh: co, cross: co / 10 ** (surface.crossPolDb / 10) }
}

/** What the measurements behind the soil model cover, k s and grazing angle; and the bands and angles of the sea model. */
const SOIL = { ks: [0.1, 6], grazingDeg: [20, 80] } as const
const SEA = { freqHz: [0.5e9, 35e9], grazingDeg: [0.1, 60], seaState: [0, 6] } as const

function within(what: string, value: number, [low, high]: readonly [number, number], unit = ''): void {
  if (!(value >= low && value <= high))
    throw new InputError(
      `${what} ${Number(value.toPrecision(3))}${unit} is outside the model's range of ${low} to ${high}${unit}`,
    )
}

/** The soil model, below its lowest grazing angle with the gamma that it has there: the usual law at small angles. */
function lowSoil(
  surface: Extract<SurfaceModel, { model: 'soil' }>,
  freqHz: number,
  grazingDeg: number,
): Backscatter {
  const [lowest] = SOIL.grazingDeg
  const { vv, hh, cross } = soil(surface, freqHz, Math.max(lowest, grazingDeg))
  if (grazingDeg >= lowest) return { vv, hh, cross }
  const [at, from] = [grazingDeg, lowest].map((deg) => Math.sin((deg * Math.PI) / 180))
  return { vv: (vv * at) / from, hh: (hh * at) / from, cross: (cross * at) / from }
}

/**
 * Bare soil: Y. Oh, K. Sarabandi, F. T. Ulaby, "An empirical model and an inversion technique for radar scattering from bare
 * soil surfaces", IEEE Trans. GRS 30, 1992, equations 1 to 5.
 */
function soil(
  { epsReal, epsImag, rmsHeightM }: Extract<SurfaceModel, { model: 'soil' }>,
  freqHz: number,
  grazingDeg: number,
): Backscatter {
  const ks = ((2 * Math.PI * freqHz) / C0) * rmsHeightM
  const theta = ((90 - grazingDeg) * Math.PI) / 180
  within('soil: 2π/λ times the rms height,', ks, SOIL.ks)
  within('soil: grazing angle of', grazingDeg, SOIL.grazingDeg, '°')
  const { h, v, normal } = reflectivities(epsReal, epsImag, theta)
  const p = (1 - ((2 * theta) / Math.PI) ** (1 / (3 * normal)) * Math.exp(-ks)) ** 2
  const q = 0.23 * Math.sqrt(normal) * (1 - Math.exp(-ks))
  const g = 0.7 * (1 - Math.exp(-0.65 * ks ** 1.8))
  const vv = ((g * Math.cos(theta) ** 3) / Math.sqrt(p)) * (v + h)
  return { vv, hh: p * vv, cross: q * vv }
}

/** Fresnel power reflectivities of a half-space at an incidence, horizontal and vertical, and at normal incidence. */
function reflectivities(
  epsReal: number,
  epsImag: number,
  theta: number,
): { h: number; v: number; normal: number } {
  const [cos, sin2] = [Math.cos(theta), Math.sin(theta) ** 2]
  // root = sqrt(eps - sin^2) with eps = eps' - j eps'', of positive real part.
  const root = squareRoot(epsReal - sin2, -epsImag)
  const index = squareRoot(epsReal, -epsImag)
  const ratio = (ar: number, ai: number, br: number, bi: number): number =>
    ((ar - br) ** 2 + (ai - bi) ** 2) / ((ar + br) ** 2 + (ai + bi) ** 2)
  return {
    h: ratio(cos, 0, ...root),
    v: ratio(epsReal * cos, -epsImag * cos, ...root),
    normal: ratio(1, 0, ...index),
  }
}

function squareRoot(re: number, im: number): [number, number] {
  const size = Math.hypot(re, im)
  const real = Math.sqrt((size + re) / 2)
  return [real, Math.sign(im) * Math.sqrt((size - re) / 2)]
}

/**
 * Sea: V. Gregers-Hansen, R. Mital, "An improved empirical model for radar sea clutter reflectivity", NRL/MR/5310-12-9346,
 * 2012, equation 1 and its table of constants. The cross-polarised coefficient is not part of that model: it is taken
 * `SEA_CROSS_DB` below the weaker co-polarised one.
 */
const SEA_CONSTANTS = {
  hh: [-73.0, 20.781, 7.351, 25.65, 0.0054],
  vv: [-50.796, 25.93, 0.7093, 21.588, 0.00211],
} as const
const SEA_CROSS_DB = 10

function sea(seaState: number, freqHz: number, grazingDeg: number): Backscatter {
  within('sea: sea state', seaState, SEA.seaState)
  within('sea: frequency of', freqHz / 1e9, [SEA.freqHz[0] / 1e9, SEA.freqHz[1] / 1e9], ' GHz')
  within('sea: grazing angle of', grazingDeg, SEA.grazingDeg, '°')
  const decibels = ([c1, c2, c3, c4, c5]: readonly number[]): number =>
    c1 +
    c2 * Math.log10(Math.sin((grazingDeg * Math.PI) / 180)) +
    ((27.5 + c3 * grazingDeg) * Math.log10(freqHz / 1e9)) / (1 + 0.95 * grazingDeg) +
    c4 * (1 + seaState) ** (1 / (2 + 0.085 * grazingDeg + 0.033 * seaState)) +
    c5 * grazingDeg ** 2
  const [vv, hh] = [decibels(SEA_CONSTANTS.vv), decibels(SEA_CONSTANTS.hh)].map((db) => 10 ** (db / 10))
  return { vv, hh, cross: Math.min(vv, hh) / 10 ** (SEA_CROSS_DB / 10) }
}
