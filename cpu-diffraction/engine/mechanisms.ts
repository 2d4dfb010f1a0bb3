import { EdgeFace } from '../currents/face.js'
import { creepingWaves } from '../mechanisms/creeping/creeping-waves.js'
import { EdgeToEdge } from '../mechanisms/double/edge-to-edge.js'
import { EdgeWaves } from '../mechanisms/edge-waves/edge-waves.js'
import { FaceWaves } from '../mechanisms/edge-waves/face-waves.js'
import { ReflectedEdges } from '../mechanisms/reflected.js'
import { TravellingWaves } from '../mechanisms/travelling/travelling-waves.js'
import { CornerStrips } from '../mechanisms/wall.js'
import { type Mechanism, type MechanismContext, overEdges } from './mechanism.js'

/** What is known of a mechanism beyond first order, in one row each. */
interface MechanismRow {
  /** Time of an aspect in what first order takes, for estimates (`reproduction/estimates.ts`); those of `creeping` go by faces. */
  cost: number
  /** Part of the uniform theory: by the change that these make the model error of a run is estimated (docs/error-estimate.md). */
  uniform?: true
  /** Of smooth surfaces: it needs no edges. */
  withoutEdges?: true
  /** What computes it; null where the target has nothing of it. */
  make: (context: MechanismContext) => Mechanism | null
}

/**
 * Mechanisms beyond first order (docs/second-order.md, decision 013). `reflected` (`ReflectedEdges`): diffraction followed by reflection, reflection followed
 * by diffraction, and both; `wall` (`CornerStrips`): fringe currents that a wall across their face turns back; `double` (`EdgeToEdge`):
 * diffraction at one edge of a face and then at another; `edge-wave` (`EdgeWaves`) and `corner` (`FaceWaves`): waves that corners turn back along
 * straight edges and on faces; `travelling` (`TravellingWaves`): waves that a tip turns back; `creeping` (`CreepingWaves`): currents at shadow boundaries
 * and behind them. All are computed where nothing is said, of targets and with methods
 * that have any (docs/second-order.md, "Default").
 */
export const MECHANISMS = {
  reflected: {
    cost: 17,
    uniform: true,
    make(context) {
      const { edges, rays, band } = context
      const reflected = new ReflectedEdges(edges, rays, band, context, context.litFaces())
      return overEdges(context, reflected, reflected.field)
    },
  },
  wall: {
    cost: 0.5,
    uniform: true,
    make(context) {
      const { edges, diffraction, field } = context
      const [faces, folds] = [context.litFaces(), context.folds()]
      const strips = new CornerStrips(edges, folds, new EdgeFace(diffraction))
      return overEdges(context, {
        add: (aspect, first, end) =>
          faces.each(aspect, first, end, (lit) =>
            folds.mayFold(lit.e, lit.i) ? (piece) => strips.add(lit, piece, field) : null,
          ),
      })
    },
  },
  double: {
    cost: 1.2,
    uniform: true,
    make(context) {
      const { edges, rays, diffraction, field, names } = context
      const faces = context.litFaces()
      const folds = names.includes('wall') ? context.folds() : null
      const crossing = new EdgeToEdge(edges, diffraction, faces.wedges, field, rays.size, folds)
      return overEdges(context, {
        add: (aspect, first, end) =>
          faces.each(aspect, first, end, ({ e, i, whole, lit, lighting, psi, perLength, seen }) =>
            crossing.aim(e, i, whole, lit, lighting, seen)
              ? (piece) => crossing.add(piece, psi + piece.t * perLength)
              : null,
          ),
      })
    },
  },
  'edge-wave': {
    cost: 0.3,
    make: (context) =>
      overEdges(context, new EdgeWaves(context.edges, context.rays, context.field, context.rays.size)),
  },
  corner: {
    cost: 0.1,
    make: (context) =>
      overEdges(context, new FaceWaves(context.edges, context.rays, context.field, context.rays.size)),
  },
  travelling: {
    cost: 0.1,
    withoutEdges: true,
    make: ({ edges, rays, band }) => new TravellingWaves(edges, rays, band),
  },
  creeping: {
    cost: 0,
    withoutEdges: true,
    make: (context) => creepingWaves(context, context.band, context.exact),
  },
} satisfies Record<string, MechanismRow>

/** One of the mechanisms of second order. */
export type SecondOrder = keyof typeof MECHANISMS
/** All of them, in the order of their sums. */
export const SECOND_ORDER = Object.keys(MECHANISMS) as SecondOrder[]
const rowOf = (name: SecondOrder): MechanismRow => MECHANISMS[name]
export const UNIFORM: readonly SecondOrder[] = SECOND_ORDER.filter((name) => rowOf(name).uniform)
export const WITHOUT_EDGES: readonly SecondOrder[] = SECOND_ORDER.filter((name) => rowOf(name).withoutEdges)
