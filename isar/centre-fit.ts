import type { Vec3 } from '../scene/index.js'
import { type Atom, Sector, type SectorHistory, type Seen } from './centre-sector.js'
import { solveAmplitudes } from './centre-amplitudes.js'
import type { ModelCentre } from './centre-model.js'
import { NARROWEST, Refinement, spanOf } from './centre-refine.js'

/** Frequency exponents of the geometrical theory of diffraction. */
export const EXPONENTS = [-1, -0.5, 0, 0.5, 1] as const

/** Widths tried, as parts of a sector's span. */
const WIDTHS = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32]
/** Share of the energy that may be left when the search ends. */
const FLOOR = 1e-4
/** Weights below it are left out of scans. */
const FAINT = 0.01
/** Most centres found in one scan of the residual, and their least energy against the strongest's. */
const BATCH = 10
const LEAST = 0.3
/** Largest coherence of centres found in one scan (decision 025). */
const COHERENCE = 0.15
/** Passes over all centres at the end, each refining one after another. */
const PASSES = 3

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
 * @throws InputError for frequencies that are not uniform, fields that are not finite, more of them than memory holds
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
  while (atoms.length < count && energyOf(sector.residual) > FLOOR * energy) {
    const found = scan(sector, windows, candidates, Math.min(BATCH, count - atoms.length))
    if (found.length === 0) break
    for (const atom of found) {
      refine.refine(atom)
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
    refine.refine(atom)
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

/** Visibilities tried: of every width, centres a width apart. */
function makeWindows(sector: Sector): Window[] {
  const axis = (angles: Float64Array): { at: number; width: number }[] => {
    const { low, high, step } = spanOf(angles)
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
  const [thetas, phis] = [axis(thetaDeg), axis(phiDeg)]
  // Of one angle at a time; the refinement finds the other's.
  const pairs = [...phis.map((phi) => [thetas[0], phi]), ...thetas.slice(1).map((theta) => [theta, phis[0]])]
  return pairs.map(([t, p]) => {
    const window = { theta: t.at, phi: p.at, thetaWidth: t.width, phiWidth: p.width }
    const { aspects, weights } = sector.seen({ ...EMPTY, ...window })
    const counts = (_: number, i: number): boolean => weights[i] >= FAINT
    const seen = { aspects: aspects.filter(counts), weights: weights.filter(counts) }
    return { ...window, seen, norm: seen.weights.reduce((s, w) => s + w * w, 0) }
  })
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
