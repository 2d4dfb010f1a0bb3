import { C0, InputError } from '../../../scene/index.js'
import type { ImageGridData } from '../../figures/index.js'
import type { ResultData, TargetData } from '../data.js'
import type { SceneView } from '../scene-view.js'
import { imageData } from '../solver/worker.js'
import type { LiveSource, SolveOptions } from '../solver/messages.js'
import { Solver } from '../solver/solver.js'
import type { Angles, DirectionSolver } from './sweep.js'

/** Ray tubes of a direction at the most: fewer rays per wavelength are taken for large targets, down to the least. */
const MOST_TUBES = { gpu: 4e6, cpu: 1e5 }
const LEAST_RAYS = 2
/** Resolution cells across a target in an image, each no smaller than so many wavelengths: the aperture then stays below 20 degrees. */
const CELLS = { gpu: 32, cpu: 16 }
const LEAST_CELL = 1.5

const sideOf = ({ gpu, options }: Pick<LiveSource, 'gpu' | 'options'>): 'gpu' | 'cpu' => {
  const { device } = options()
  return device === 'gpu' || (device === 'auto' && gpu !== null && !gpu.isSoftware) ? 'gpu' : 'cpu'
}

/** Rays per wavelength for a target of that radius [m], to a tenth. */
function raysFor(source: Pick<LiveSource, 'gpu' | 'options'>, radiusM: number, freqHz: number): number {
  const { raysPerWavelength: wanted } = source.options()
  const wavelengths = (2 * radiusM * freqHz) / C0
  const fitting = Math.floor((10 * Math.sqrt(MOST_TUBES[sideOf(source)])) / wavelengths) / 10
  return Math.min(wanted, Math.max(LEAST_RAYS, fitting))
}

export interface LiveImage {
  angles: Angles
  image: ImageGridData
}

/** Directions and small images of one target. Each rejects where the solver ends, or with `Stopped`. */
export class LiveSolver implements DirectionSolver {
  /** What computes the rays; known after the first answer. */
  device = ''

  constructor(
    private readonly source: LiveSource,
    private readonly radiusM: number,
  ) {}

  raysPerWavelength(freqHz: number): number {
    return raysFor(this.source, this.radiusM, freqHz)
  }

  /** Amplitudes of directions at one elevation. */
  async solve(freqHz: number, thetaDeg: number, phiDeg: number[], signal?: AbortSignal) {
    const fields = new Float64Array(8 * phiDeg.length)
    const { seconds } = await this.source.solver.solve(
      { what: 'rcs', freqHz, thetaDeg, phiDeg },
      this.options(freqHz),
      {
        onStarted: ({ device }) => (this.device = device),
        onRow: ({ aspect, field }) => fields.set(field, 8 * aspect),
      },
      signal,
    )
    return { fields, seconds }
  }

  /**
   * The image seen from a direction, about the frequency. @param onAspect  aspects computed, of so many
   * @throws InputError near the z axis, about which a rotation in phi gives no cross-range
   */
  async image(
    freqHz: number,
    angles: Angles,
    onAspect: (done: number, total: number) => void,
    signal: AbortSignal,
  ): Promise<LiveImage> {
    const [thetaDeg, phiDeg] = angles
    if (Math.sin((thetaDeg * Math.PI) / 180) < 0.2)
      throw new InputError(
        'near the z axis a rotation in φ gives no cross-range: rotate the target for an image',
      )
    const resolutionM = Math.max((2 * this.radiusM) / CELLS[sideOf(this.source)], (LEAST_CELL * C0) / freqHz)
    let [done, total] = [0, 0]
    const { image } = await this.source.solver.solve(
      { what: 'image', centreHz: freqHz, resolutionM, thetaDeg, phiDeg },
      this.options(freqHz),
      { onStarted: (s) => (total = s.phiDeg.length), onRow: () => onAspect(++done, total) },
      signal,
    )
    return { angles, image: imageData(image!) }
  }

  private options(freqHz: number): SolveOptions {
    return { ...this.source.options(), raysPerWavelength: this.raysPerWavelength(freqHz) }
  }
}

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
  secondOrder: false,
}

/** The panel's input from a result with a target. */
export function liveTarget({ name, target, history, solver }: ResultData, scene: SceneView): LiveTarget {
  const { maxWedgeAngleDeg, conducts, materials, ground, positions, triangles, facetMaterial, groundM } =
    target!
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
