import { C0, direction, type Vec3 } from '../scene/index.js'
import type { Atom, Sector } from './centre-sector.js'

/** Narrowest width of a visibility, in steps between aspects. */
export const NARROWEST = 1
/** Rounds of a refinement; steps halve from one to the next. */
const ROUNDS = 6
/** A weight is constant where that costs less than this share of the energy. */
const CONSTANT = 1e-3

/** Lowest and highest of some angles, and the mean step between different ones. */
export function spanOf(angles: Float64Array): { low: number; high: number; step: number } {
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
export class Refinement {
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
