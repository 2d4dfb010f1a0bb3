import { C0, direction, type Vec3 } from '../scene/index.js'
import { type Atom, type ModelCentre, Sector, type SectorHistory, type Seen } from './centre-model.js'

/** Added to the diagonal of the normal equations, against their own diagonal: keeps amplitudes of centres close together bounded. */
const RIDGE = 1e-4

/** Amplitudes of all atoms together by least squares, channel by channel. @param fields  as in `SectorHistory` */
function solveAmplitudes(sector: Sector, atoms: Atom[], fields: Float64Array[]): void {
  const n = atoms.length
  const { count } = sector
  const gram = new Float64Array(2 * n * n)
  const right = fields.map(() => new Float64Array(2 * n))
  const gains = atoms.map((atom) => sector.gains(atom.exponent))
  const seen = atoms.map((atom) => {
    const { aspects, weights } = sector.seen(atom)
    return new Map(Array.from(aspects, (a, i) => [a, weights[i]]))
  })
  const columns = atoms.map(() => new Float64Array(2 * count))
  for (let a = 0; a < sector.aspects; a++) {
    const active: number[] = []
    for (let i = 0; i < n; i++) {
      const w = seen[i].get(a)
      if (w === undefined) continue
      sector.phasors(sector.range(atoms[i], a), gains[i], columns[i])
      for (let m = 0; m < 2 * count; m++) columns[i][m] *= w
      active.push(i)
    }
    for (const i of active) {
      for (const j of active) {
        if (j > i) break
        addInner(columns[i], columns[j], 0, gram, 2 * (i * n + j))
      }
      fields.forEach((field, c) => addInner(columns[i], field, 2 * count * a, right[c], 2 * i))
    }
  }
  for (let i = 0; i < n; i++) gram[2 * (i * n + i)] *= 1 + RIDGE
  factor(gram, n)
  fields.forEach((_, c) => {
    solve(gram, n, right[c])
    atoms.forEach(({ amplitude }, i) => amplitude.set(right[c].subarray(2 * i, 2 * i + 2), 2 * c))
  })
}

/** Adds sum conj(a) b to out[at]; b begins at `from`. */
function addInner(a: Float64Array, b: Float64Array, from: number, out: Float64Array, at: number): void {
  let re = 0
  let im = 0
  for (let m = 0; m < a.length; m += 2) {
    re += a[m] * b[from + m] + a[m + 1] * b[from + m + 1]
    im += a[m] * b[from + m + 1] - a[m + 1] * b[from + m]
  }
  out[at] += re
  out[at + 1] += im
}

/** Cholesky factor L of a Hermitian matrix, in the lower half of it: A = L L^H. */
function factor(a: Float64Array, n: number): void {
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let re = a[2 * (i * n + j)]
      let im = a[2 * (i * n + j) + 1]
      for (let k = 0; k < j; k++) {
        const [p, q] = [2 * (i * n + k), 2 * (j * n + k)]
        re -= a[p] * a[q] + a[p + 1] * a[q + 1]
        im -= a[p + 1] * a[q] - a[p] * a[q + 1]
      }
      const at = 2 * (i * n + j)
      if (i === j) {
        a[at] = Math.sqrt(Math.max(re, Number.MIN_VALUE))
        a[at + 1] = 0
      } else {
        const d = a[2 * (j * n + j)]
        a[at] = re / d
        a[at + 1] = im / d
      }
    }
  }
}

/** Solves L L^H x = b in place. */
function solve(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let [re, im] = [b[2 * i], b[2 * i + 1]]
    for (let k = 0; k < i; k++) {
      const p = 2 * (i * n + k)
      re -= l[p] * b[2 * k] - l[p + 1] * b[2 * k + 1]
      im -= l[p] * b[2 * k + 1] + l[p + 1] * b[2 * k]
    }
    b[2 * i] = re / l[2 * (i * n + i)]
    b[2 * i + 1] = im / l[2 * (i * n + i)]
  }
  for (let i = n - 1; i >= 0; i--) {
    let [re, im] = [b[2 * i], b[2 * i + 1]]
    for (let k = i + 1; k < n; k++) {
      const p = 2 * (k * n + i)
      re -= l[p] * b[2 * k] + l[p + 1] * b[2 * k + 1]
      im -= l[p] * b[2 * k + 1] - l[p + 1] * b[2 * k]
    }
    b[2 * i] = re / l[2 * (i * n + i)]
    b[2 * i + 1] = im / l[2 * (i * n + i)]
  }
}

/** Narrowest width of a visibility, in steps between aspects. */
const NARROWEST = 1
/** Rounds of a refinement; steps halve from one to the next. */
const ROUNDS = 6
/** A weight is constant where that costs less than this share of the energy. */
const CONSTANT = 1e-3

/** Lowest and highest of some angles, and the mean step between different ones. */
function spanOf(angles: Float64Array): { low: number; high: number; step: number } {
  const distinct = [...new Set(angles)].sort((a, b) => a - b)
  const [low, high] = [distinct[0], distinct[distinct.length - 1]]
  return { low, high, step: distinct.length > 1 ? (high - low) / (distinct.length - 1) : 0 }
}

const WIDTH = { theta: 'thetaWidth', phi: 'phiWidth' } as const
const ANGLES = ['theta', 'phi'] as const

/** A change of one parameter of an atom by x, and the step to begin with. */
interface Move {
  step: number
  by: (atom: Atom, x: number) => void
}

/** Finds the place and visibility of an atom that explain most of the residual, near where they are. */
class Refinement {
  private readonly axes

  constructor(private readonly sector: Sector) {
    const { thetaDeg, phiDeg } = sector.history
    this.axes = { theta: spanOf(thetaDeg), phi: spanOf(phiDeg) }
  }

  /** One parameter after the other, by the parabola through three values of the energy explained. */
  refine(atom: Atom): void {
    const { sector, axes } = this
    for (const angle of ANGLES) {
      const { low, high } = axes[angle]
      if (high > low && !Number.isFinite(atom[WIDTH[angle]])) atom[WIDTH[angle]] = high - low
    }
    const moves = this.moves(atom)
    let best = sector.explained(atom)
    const tried = (move: Move, x: number): { energy: number; atom: Atom } => {
      const changed = { ...atom, position: [...atom.position] as Vec3 }
      move.by(changed, x)
      return { energy: sector.explained(changed), atom: changed }
    }
    for (let round = 0; round < ROUNDS; round++)
      for (const move of moves) {
        const h = move.step
        const [lower, upper] = [tried(move, -h).energy, tried(move, h).energy]
        const curvature = lower - 2 * best + upper
        const vertex = (0.5 * h * (lower - upper)) / curvature
        const x = curvature < 0 ? Math.max(-2 * h, Math.min(2 * h, vertex)) : lower > upper ? -h : h
        const there = tried(move, x)
        if (there.energy > best) {
          best = there.energy
          Object.assign(atom, there.atom)
        }
        move.step = Math.abs(x) > 1.5 * h ? h : h / 2
      }
    for (const angle of ANGLES) {
      const constant = sector.explained({ ...atom, [WIDTH[angle]]: Infinity })
      if (constant < best * (1 - CONSTANT)) continue
      atom[WIDTH[angle]] = Infinity
      best = constant
    }
  }

  /** Changes of place along range and cross-ranges, where aspects tell these apart, and of visibility. */
  private moves(atom: Atom): Move[] {
    const { sector, axes } = this
    const { resolution } = sector
    const { r, thetaHat, phiHat } = direction(atom.theta, atom.phi)
    const moves = [{ step: resolution / 4, by: this.shift(r) }]
    for (const angle of ANGLES) {
      const { low, high, step } = axes[angle]
      if (high === low) continue
      const width = WIDTH[angle]
      const seen = (Math.min(high - low, 3 * atom[width]) * Math.PI) / 180
      const across = angle === 'phi' ? phiHat : thetaHat
      moves.push(
        { step: Math.min(resolution, C0 / sector.middleHz / (6 * seen)), by: this.shift(across) },
        {
          step: atom[width] / 2,
          by: (one, x) => {
            one[angle] = Math.min(high, Math.max(low, one[angle] + x))
          },
        },
        {
          step: 0.4,
          by: (one, x) => {
            one[width] = Math.min(2 * (high - low), Math.max(NARROWEST * step, one[width] * Math.exp(x)))
          },
        },
      )
    }
    return moves
  }

  /** Shifts along a unit vector, no farther from the candidate than the range resolution. */
  private shift(along: Vec3): Move['by'] {
    return ({ position, home }, x) => {
      const away = position.map((p, c) => p + x * along[c] - home[c])
      const share = Math.min(1, this.sector.resolution / Math.hypot(...away))
      away.forEach((d, c) => {
        position[c] = home[c] + share * d
      })
    }
  }
}

/** Frequency exponents of the geometrical theory of diffraction. */
const EXPONENTS = [-1, -0.5, 0, 0.5, 1] as const

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
