import type { ResultData, TargetData } from '../data.js'
import type { SceneView } from '../scene-view.js'
import type { LiveSource, SolveOptions } from '../solver/messages.js'
import { Solver } from '../solver/solver.js'

/** The target of the shown result. */
export interface LiveTarget {
  name: string
  scene: SceneView
  /** Radius of the bounding sphere [m]. */
  radiusM: number
  /** Initial frequency [Hz]. */
  freqHz: number
  /** What is not as in the result; empty where nothing is. */
  note: string
  data: TargetData
  /** Opens a solver of this target, and ends what `close` of it has to end. */
  open: () => { source: Promise<LiveSource>; close: () => void }
}

/** Initial frequency without data [Hz]. */
const DEFAULT_HZ = 10e9

/** The options of `isar rcs` with edges of first order. */
const OPTIONS: SolveOptions = {
  device: 'auto',
  raysPerWavelength: 10,
  maxBounces: 50,
  edges: true,
  secondOrder: [],
}

/** The panel's input from a result with a target. */
export function liveTarget(
  { name, target, view, history, solver }: ResultData,
  scene: SceneView,
): LiveTarget {
  const { maxWedgeAngleDeg, conducts, materials, ground } = view.target!
  const { positions, triangles, facetMaterial, groundM } = target!
  const radiusM = scene.mesh.geometry.boundingSphere!.radius
  const freqHz = history ? history.freqHz[history.freqHz.length >> 1] : (solver?.freqHz ?? DEFAULT_HZ)
  const common = { name, scene, radiusM, freqHz, data: target! }
  // The page of isar site has the solver that its results come from.
  if (solver)
    return { ...common, note: '', open: () => ({ source: Promise.resolve(solver), close: () => {} }) }
  const made = facetMaterial && { facetGroup: Uint32Array.from(facetMaterial), groupMaterials: materials }
  const missing = [
    ...(!conducts && !made ? ['materials'] : []),
    ...(groundM === undefined || ground ? [] : ['ground']),
  ]
  return {
    ...common,
    note: missing.length > 0 ? `Without its ${missing.join(' and ')}.` : '',
    open: () => {
      const own = new Solver()
      const opened = own.open({
        mesh: { positions, triangles, ...made, ...(ground && { ground }) },
        maxWedgeAngleDeg,
      })
      return {
        source: opened.then(({ gpu }) => ({ solver: own, options: () => OPTIONS, gpu })),
        close: () => own.close(),
      }
    },
  }
}
