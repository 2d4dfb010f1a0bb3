import { C0, direction, type Vec3 } from '../scene/index.js'
import { type Atom, Sector, type SectorHistory, type Seen } from './centre-sector.js'
import { solveAmplitudes } from './centre-amplitudes.js'
import type { ModelCentre } from './centre-model.js'

/** Frequency exponents of the geometrical theory of diffraction. */
export const EXPONENTS = [-1, -0.5, 0, 0.5, 1] as const

/** Widths tried, as parts of a sector's span. */
const WIDTHS = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]
/** Narrowest width, in steps between aspects. */
const NARROWEST = 1
/** Most centres found in one scan of the residual, and their least energy against the strongest's. */
const BATCH = 10
const LEAST = 0.3
/** Largest coherence of centres found in one scan. */
const COHERENCE = 0.15
/** Passes over all centres at the end, each refining one after another. */
const PASSES = 3
/** Rounds of a refinement; steps halve from one to the next. */
const ROUNDS = 6

interface Window {
  theta: number
  phi: number
  thetaWidth: number
  phiWidth: number
  seen: Seen
  norm: number
}

/** Result of a fit. */
export interface FittedCentres {
  /** The strongest first. */
  centres: ModelCentre[]
  /** Energy of the residual over that of the fields, over all channels. */
  residualEnergy: number
}

/**
 * Scattering centres at a target's candidate positions that together give its field over a sector: orthogonal matching pursuit over
 * positions and Gaussian visibilities, each centre refined by itself and again beside the others (J. Li and P. Stoica, "Efficient
 * mixed-spectrum estimation with applications to target feature extraction", IEEE Trans. SP 44, 1996: RELAX), amplitudes of all by least
 * squares.
 *
 * @param candidates  3 coordinates each, relative to the phase centre [m]: where the solver's paths have their phase centres (R. Bhalla
 *   and H. Ling, "Three-dimensional scattering center extraction using the shooting and bouncing ray technique", IEEE Trans. AP 44, 1996)
 * @param count  most centres
 */
export function* fitCentres(
  history: SectorHistory,
  candidates: Float64Array,
  count: number,
): Generator<number, FittedCentres> {
  const sector = new Sector(history)
  const windows = makeWindows(sector)
  const energy = energyOf(sector.residual)
  const atoms: Atom[] = []
  const refine = new Refinement(sector)
  let next = 25
  while (atoms.length < count) {
    const found = scan(sector, windows, candidates, Math.min(BATCH, count - atoms.length))
    if (found.length === 0) break
    for (const atom of found) {
      refine.run(atom)
      const seen = sector.seen(atom)
      chooseExponent(sector, atom, seen)
      sector.add(atom, -1, seen)
      sector.updateProfiles(seen.aspects)
      atoms.push(atom)
    }
    if (atoms.length >= next) {
      relax(sector, refine, atoms)
      next = Math.max(next * 1.6, atoms.length + 1)
    }
    yield atoms.length
  }
  for (let pass = 0; pass < PASSES; pass++) {
    relax(sector, refine, atoms)
    yield atoms.length
  }
  solveAmplitudes(sector, atoms, history.fields)
  const residual = history.fields.map((f) => f.slice())
  residual.forEach((r, c) => sector.residual[c].set(r))
  for (const atom of atoms) sector.add(atom, -1)
  return {
    centres: atoms
      .sort((a, b) => powerOf(b) - powerOf(a))
      .map((atom) => ({
        positionM: atom.position,
        frequencyExponent: atom.exponent,
        visibility: {
          thetaDeg: atom.theta,
          phiDeg: atom.phi,
          thetaWidthDeg: Number.isFinite(atom.thetaWidth) ? atom.thetaWidth : null,
          phiWidthDeg: Number.isFinite(atom.phiWidth) ? atom.phiWidth : null,
        },
        amplitudeM: Array.from({ length: history.fields.length }, (_, c) => [
          atom.amplitude[2 * c],
          atom.amplitude[2 * c + 1],
        ]),
      })),
    residualEnergy: energy > 0 ? energyOf(sector.residual) / energy : 0,
  }
}

const energyOf = (fields: Float64Array[]): number =>
  fields.reduce((sum, f) => sum + f.reduce((s, x) => s + x * x, 0), 0)
const powerOf = ({ amplitude }: Atom): number => amplitude.reduce((s, x) => s + x * x, 0)

/** Refines every atom beside the others. */
function relax(sector: Sector, refine: Refinement, atoms: Atom[]): void {
  for (const atom of atoms) {
    const before = sector.seen(atom)
    sector.add(atom, 1, before)
    sector.updateProfiles(before.aspects)
    refine.run(atom)
    const seen = sector.seen(atom)
    chooseExponent(sector, atom, seen)
    sector.add(atom, -1, seen)
    sector.updateProfiles(Int32Array.from(new Set([...before.aspects, ...seen.aspects])))
  }
}

function chooseExponent(sector: Sector, atom: Atom, seen: Seen): void {
  let best = -1
  let chosen = 0
  for (const exponent of EXPONENTS) {
    atom.exponent = exponent
    const explained = sector.project(atom, seen)
    if (explained > best) [best, chosen] = [explained, exponent]
  }
  atom.exponent = chosen
  sector.project(atom, seen)
}

const spanOf = (angles: Float64Array): [number, number, number] => {
  const distinct = [...new Set(angles)].sort((a, b) => a - b)
  const [low, high] = [distinct[0], distinct[distinct.length - 1]]
  return [low, high, distinct.length > 1 ? (high - low) / (distinct.length - 1) : 0]
}

/** Visibilities tried: of every width, centres a width apart. */
function makeWindows(sector: Sector): Window[] {
  const axis = (angles: Float64Array): { at: number; width: number }[] => {
    const [low, high, step] = spanOf(angles)
    const all = [{ at: (low + high) / 2, width: Infinity }]
    for (const part of WIDTHS) {
      const width = (high - low) * part
      if (!(width > NARROWEST * step) || step === 0) continue
      const n = Math.round(1 / part)
      for (let i = 0; i <= n; i++) all.push({ at: low + ((high - low) * i) / n, width })
    }
    return all
  }
  const { thetaDeg, phiDeg } = sector.history
  return axis(thetaDeg).flatMap((t) =>
    axis(phiDeg).map((p) => {
      const window = { theta: t.at, phi: p.at, thetaWidth: t.width, phiWidth: p.width }
      const seen = sector.seen({ ...EMPTY, ...window })
      return { ...window, seen, norm: seen.weights.reduce((s, w) => s + w * w, 0) }
    }),
  )
}

const EMPTY: Atom = {
  home: [0, 0, 0],
  position: [0, 0, 0],
  exponent: 0,
  theta: 0,
  phi: 0,
  thetaWidth: Infinity,
  phiWidth: Infinity,
  amplitude: new Float64Array(),
}

/** The strongest atoms in the residual that hardly lie in one another's responses. */
function scan(sector: Sector, windows: Window[], candidates: Float64Array, most: number): Atom[] {
  const { aspects, profiles, count } = sector
  const channels = profiles.length
  const width = 2 * channels
  const g = new Float64Array(width)
  const series = new Float64Array(width * aspects)
  const sum = new Float64Array(width)
  const total = candidates.length / 3
  const score = new Float64Array(total)
  const of = new Int32Array(total)
  const atom: Atom = { ...EMPTY, position: [0, 0, 0] }
  for (let n = 0; n < total; n++) {
    for (let c = 0; c < 3; c++) atom.position[c] = candidates[3 * n + c]
    for (let a = 0; a < aspects; a++) {
      sector.focused(a, sector.range(atom, a), g)
      series.set(g, a * width)
    }
    for (let w = 0; w < windows.length; w++) {
      const { seen, norm } = windows[w]
      sum.fill(0)
      for (let i = 0; i < seen.aspects.length; i++) {
        const at = seen.aspects[i] * width
        for (let c = 0; c < width; c++) sum[c] += seen.weights[i] * series[at + c]
      }
      let power = 0
      for (let c = 0; c < width; c++) power += sum[c] * sum[c]
      power /= norm * count
      if (power > score[n]) [score[n], of[n]] = [power, w]
    }
  }
  const order = [...score.keys()].sort((a, b) => score[b] - score[a])
  const found: Atom[] = []
  for (const n of order) {
    if (!(score[n] > 0) || score[n] < LEAST * score[order[0]] || found.length === most) break
    const { theta, phi, thetaWidth, phiWidth } = windows[of[n]]
    const position: Vec3 = [candidates[3 * n], candidates[3 * n + 1], candidates[3 * n + 2]]
    const next = {
      ...EMPTY,
      home: [...position] as Vec3,
      position,
      theta,
      phi,
      thetaWidth,
      phiWidth,
      amplitude: new Float64Array(width),
    }
    if (found.every((one) => sector.coherence(one, next) < COHERENCE)) found.push(next)
  }
  return found
}

/** Finds the parameters of an atom that explain most of the residual, near where it is. */
class Refinement {
  private readonly low: number
  private readonly high: number
  private readonly axes: { theta: Axis; phi: Axis }

  constructor(private readonly sector: Sector) {
    const { thetaDeg, phiDeg } = sector.history
    const axis = (angles: Float64Array): Axis => {
      const [low, high, step] = spanOf(angles)
      return { low, high, step }
    }
    this.axes = { theta: axis(thetaDeg), phi: axis(phiDeg) }
    const { low, high } = this.axes.phi
    this.low = low
    this.high = high
  }

  run(atom: Atom): void {
    const { sector, axes } = this
    const lambda = C0 / sector.middleHz
    const visible = (which: 'theta' | 'phi'): number => {
      const { low, high } = axes[which]
      const width = which === 'theta' ? atom.thetaWidth : atom.phiWidth
      return (Math.min(high - low, 3 * width) * Math.PI) / 180
    }
    const [dTheta, dPhi] = [visible('theta'), visible('phi')]
    const { r, thetaHat, phiHat } = direction(
      Math.min(axes.theta.high, Math.max(axes.theta.low, atom.theta)),
      Math.min(this.high, Math.max(this.low, atom.phi)),
    )
    const shift =
      (by: Vec3) =>
      (x: number): void => {
        const away = atom.position.map((p, c) => p + x * by[c] - atom.home[c])
        const share = Math.min(1, sector.resolution / Math.hypot(...away))
        away.forEach((d, c) => (atom.position[c] = atom.home[c] + share * d))
      }
    const moves: { step: number; move: (x: number) => void }[] = [
      { step: sector.resolution / 4, move: shift(r) },
    ]
    if (dPhi > 0) moves.push({ step: Math.min(0.2, lambda / (6 * dPhi)), move: shift(phiHat) })
    if (dTheta > 0) moves.push({ step: Math.min(0.2, lambda / (6 * dTheta)), move: shift(thetaHat) })
    for (const which of ['theta', 'phi'] as const) {
      const { low, high, step } = axes[which]
      if (high === low) continue
      const key = `${which}Width` as const
      if (!Number.isFinite(atom[key])) atom[key] = high - low
      moves.push({
        step: atom[key] / 2,
        move: (x) => {
          atom[which] = Math.min(high, Math.max(low, atom[which] + x))
        },
      })
      moves.push({
        step: 0.4,
        move: (x) => {
          atom[key] = Math.min(2 * (high - low), Math.max(NARROWEST * step, atom[key] * Math.exp(x)))
        },
      })
    }
    let best = sector.explained(atom)
    const from = { ...atom, position: [...atom.position] as Vec3 }
    const set = (state: Atom): void => {
      Object.assign(atom, state, { position: [...state.position] })
    }
    const keep = (): void => {
      Object.assign(from, atom, { position: [...atom.position] })
    }
    for (let round = 0; round < ROUNDS; round++)
      for (const one of moves) {
        const value = (x: number): number => {
          set(from)
          one.move(x)
          return sector.explained(atom)
        }
        const h = one.step
        const [lower, upper] = [value(-h), value(h)]
        const curvature = lower - 2 * best + upper
        const guess =
          curvature < 0
            ? Math.max(-2 * h, Math.min(2 * h, (0.5 * h * (lower - upper)) / curvature))
            : lower > upper
              ? -h
              : h
        const there = value(guess)
        if (there > best) {
          best = there
          keep()
        }
        set(from)
        one.step = Math.abs(guess) > 1.5 * h ? h : h / 2
      }
    // A weight that hardly changes over the sector is constant.
    for (const which of ['theta', 'phi'] as const) {
      const key = `${which}Width` as const
      const width = atom[key]
      atom[key] = Infinity
      const constant = sector.explained(atom)
      if (constant >= best * (1 - 1e-3)) best = constant
      else atom[key] = width
    }
  }
}

interface Axis {
  low: number
  high: number
  step: number
}
