import { C0, InputError } from '../../../scene/index.js'
import { Solver, Stopped } from '../solver/solver.js'
import { type Angles, type DirectionSolver, emptySweep, fillSweep, type Sweep, Trace } from './sweep.js'
import type { ImageGridData } from '../../figures/index.js'
import type { ResultData, TargetData } from '../data.js'
import type { SceneView } from '../scene-view.js'
import { imageData, type LiveSource, type SolveOptions } from '../solver/messages.js'

export interface LiveResult {
  angles: Angles
  /** 8 numbers: re, im of F [m] for VV HH VH HV. */
  field: Float64Array
  /** Computing time [s]. */
  seconds: number
}

export interface SessionEvents {
  /** A result or part of one arrived, or a sweep ended. */
  onChange(): void
  /** The solver has ended; no more results will arrive. */
  onEnd(error: Error): void
}

const nextFrame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done))

/** Computations while the panel is open: one target, one frequency at a time, on one solver. */
export class LiveSession {
  readonly trace = new Trace()
  /** Result of the last computed direction. */
  now: LiveResult | null = null
  sweep: Sweep | null = null
  image: LiveImage | null = null
  /** How far an image is, or what cannot be computed. */
  note = ''
  private running: Sweep | null = null
  private angles: Angles | null = null
  private wantsImage = false
  private following = false
  /** Ends the image of a direction that is no longer looked from. */
  private moved = new AbortController()
  private readonly ended = new AbortController()

  constructor(
    private readonly solver: LiveSolver,
    private frequency: number,
    private readonly events: SessionEvents,
  ) {}

  get freqHz(): number {
    return this.frequency
  }

  get isSweeping(): boolean {
    return this.running !== null
  }

  /** Sets the frequency and discards results of another one. */
  setFrequency(freqHz: number): void {
    this.frequency = freqHz
    this.running = null
    this.sweep = null
    this.now = null
    this.image = null
    this.trace.clear()
    this.restart()
  }

  /** Sets the view direction. An image of another one is stopped; of directions only the newest one waits. */
  viewFrom(angles: Angles): void {
    if (angles.join() === this.angles?.join()) return
    this.angles = angles
    this.restart()
  }

  /** Whether images are computed too. */
  setImage(on: boolean): void {
    this.wantsImage = on
    this.restart()
  }

  /** Computes a cut over all azimuths at an elevation, replacing an earlier one. */
  async startSweep(thetaDeg: number, stepDeg: number): Promise<void> {
    const sweep = emptySweep(this.frequency, thetaDeg, stepDeg)
    this.sweep = sweep
    this.running = sweep
    this.events.onChange()
    const { signal } = this.ended
    const solver = {
      solve: (freqHz: number, theta: number, phi: number[]) => this.solver.solve(freqHz, theta, phi, signal),
    }
    try {
      await fillSweep(solver, sweep, () => {
        if (this.running === sweep) this.events.onChange()
        return this.running === sweep
      })
    } catch (error) {
      this.fail(error as Error)
    }
    if (this.running === sweep) this.stopSweep()
  }

  /** Stops the sweep and keeps its finished part. */
  stopSweep(): void {
    this.running = null
    this.events.onChange()
  }

  close(): void {
    this.running = null
    this.ended.abort()
    this.moved.abort()
  }

  /** What a direction or a frequency does not allow is a note; anything else ends the session. */
  private fail(error: Error): void {
    if (this.ended.signal.aborted) return
    if (error instanceof Stopped) return this.say('')
    if (error instanceof InputError) return this.say(error.message)
    this.close()
    this.events.onEnd(error)
  }

  private say(note: string): void {
    this.note = note
    this.events.onChange()
  }

  private restart(): void {
    this.moved.abort()
    this.moved = new AbortController()
    void this.follow()
  }

  /** Computes directions of view until the target stands still, then its image. */
  private async follow(): Promise<void> {
    if (this.following) return
    this.following = true
    while (!this.ended.signal.aborted && this.angles) {
      const { angles, frequency } = this
      const { signal } = this.moved
      await this.compute(angles, frequency, signal).catch((error: Error) => this.fail(error))
      if (!signal.aborted) break
      // At most once per frame.
      await nextFrame()
    }
    this.following = false
  }

  private async compute(angles: Angles, frequency: number, signal: AbortSignal): Promise<void> {
    const { solver } = this
    if (this.now?.angles.join() !== angles.join()) {
      this.note = ''
      const solved = await solver.solve(frequency, angles[0], [angles[1]], this.ended.signal)
      if (frequency !== this.frequency) return
      this.now = { angles, field: solved.fields, seconds: solved.seconds }
      this.trace.add(angles, solved.fields)
      this.events.onChange()
    }
    if (!this.wantsImage || signal.aborted || this.image?.angles.join() === angles.join()) return
    this.say('image …')
    const onAspect = (done: number, total: number): void => this.say(`image: ${done} of ${total} aspects`)
    const image = await solver.image(frequency, angles, onAspect, signal)
    if (signal.aborted) return
    this.image = image
    this.say('')
  }
}

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
