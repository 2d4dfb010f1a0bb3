import type { FullWaveReport } from '../../../full-wave/index.js'
import { type SweepPlan, targetOutline } from '../../../isar/index.js'
import { type Channel, CHANNELS, SUM_TOLERANCE } from '../../../rays/index.js'
import type { FormedImages } from '../../../run/formed-images.js'
import type { Mesh, Unit } from '../../../scene/index.js'
import type { Material } from '../../../scene/materials/index.js'
import { dynamicRange, type ImageGridData, type LayerData } from '../../figures/index.js'
import type { RaysData, TargetData } from '../../server/manifest.js'

/** Defaults of run/settings/declarations.ts, which is Node's (test/views/site holds them together). */
export const DEFAULTS = {
  smoothAngleDeg: 20,
  maxWedgeAngleDeg: 160,
  subdivisions: 2,
  sumTolerance: SUM_TOLERANCE,
  diffraction: 'tw-ildc',
  subGrid: 2048,
} as const

/** What the facets are made of, and the ground under them: the settings of those names (run/settings). */
export interface MaterialsGiven {
  /** `GROUP=MATERIAL`, or `MATERIAL` for all facets that nothing else is said about. */
  material: string[]
  /** Name of a materials file among those given. */
  materials?: string
  /** A material's name; free space where absent. */
  ground?: string
  /** z of the ground [m]. */
  groundHeight: number
}

/** A file of that name, with those that it names; or a mesh as the solver used it [m]. */
export type MeshGiven =
  | { name: string; files: { name: string; bytes: Uint8Array }[]; units: Unit; made: MaterialsGiven }
  | { mesh: Mesh; maxWedgeAngleDeg: number }

/** Directions and frequencies of a run. */
export type RunSweep =
  | { what: 'rcs'; freqHz: number; thetaDeg: number; phiDeg: number[] }
  | { what: 'image'; centreHz: number; resolutionM: number; thetaDeg: number; phiDeg: number }

/** How a run is computed. */
export interface SolveOptions {
  device: 'auto' | 'gpu' | 'cpu'
  /** Full wave; rays and edges where absent. */
  method?: 'mom'
  raysPerWavelength: number
  maxBounces: number
  edges: boolean
  /** Mechanisms of edges beyond first order. */
  secondOrder: boolean
}

/** The direction and frequency of the rays behind hot spots. */
export interface RaysAspect {
  thetaDeg: number
  phiDeg: number
  freqHz: number
}

/** Each is answered under its number; `open` ends what runs. */
export type Request = { id: number } & (
  | { kind: 'open'; given: MeshGiven }
  | { kind: 'solve'; sweep: RunSweep; options: SolveOptions }
  /** Tells what a run would take. */
  | { kind: 'plan'; sweep: RunSweep; options: SolveOptions }
  | { kind: 'rays'; aspect: RaysAspect; options: SolveOptions }
  /** Stops the run of this number. */
  | { kind: 'stop' }
)

/** The GPU of the page's workers; null without. */
export interface GpuFound {
  name: string
  isSoftware: boolean
}

export interface TargetAnswer {
  kind: 'target'
  target: TargetData
  facets: number
  /** Radius of the bounding sphere [m]. */
  radiusM: number
  /** Names of the mesh's groups; none where it has no groups. */
  groups: string[]
  /** Materials of its facets by their numbers. */
  materials: Material[]
  /** Names of materials that may be given: the conductor and those of the materials file. */
  materialNames: string[]
  /** Names of media, of which half-spaces and sheets may be made: those that are built in, and those of the materials file. */
  mediumNames: string[]
  warnings: string[]
  gpu: GpuFound | null
}

/** What a run would take, for the reader, and steps that hide lobes and the like. */
export interface PlanAnswer {
  kind: 'plan'
  text: string
  warnings: string[]
}

/** A run has begun: its aspects and frequencies. */
export interface StartedAnswer {
  kind: 'started'
  device: string
  notes: string[]
  /** With full wave: what it takes, for the reader. */
  plan?: string
  freqHz: Float64Array
  thetaDeg: number
  phiDeg: Float64Array
}

/** An aspect: 8 numbers per frequency, re, im of F [m] for VV HH VH HV. */
export interface RowAnswer {
  kind: 'row'
  aspect: number
  field: Float64Array
}

/** The finished part of a run; the aspects of full wave come all at the end. */
export interface PartAnswer {
  kind: 'part'
  part: number
  /** Time left, for the reader; absent until it is known. */
  left?: string
}

export interface DoneAnswer {
  kind: 'done'
  seconds: number
  image?: { formed: FormedImages; plan: SweepPlan }
  /** With full wave: how each frequency was solved. */
  fullWave?: FullWaveReport[]
}

export type Answer = { id: number } & (
  | TargetAnswer
  | PlanAnswer
  | StartedAnswer
  | RowAnswer
  | PartAnswer
  | DoneAnswer
  | { kind: 'rays'; rays: RaysData }
  /** Stopped as it was asked to, impossible, or failed. */
  | { kind: 'refused'; message: string; why: 'stopped' | 'input' | 'failed' }
)

/** What a run reports before it is done. */
export interface RunEvents {
  onStarted?(started: StartedAnswer): void
  onRow?(row: RowAnswer): void
  onPart?(part: PartAnswer): void
}

/** Where a target that is open is computed (`Solver`). */
export interface LiveSource {
  solver: {
    solve(
      sweep: RunSweep,
      options: SolveOptions,
      events?: RunEvents,
      signal?: AbortSignal,
    ): Promise<DoneAnswer>
  }
  /** As asked for; targets of many wavelengths get fewer rays (`raysFor`). */
  options: () => SolveOptions
  gpu: GpuFound | null
}

/** A layer for each channel. */
export const layersOf = (data: (c: Channel) => Float64Array): LayerData[] =>
  CHANNELS.map((c) => ({ name: c, title: c.toUpperCase(), data: data(c) }))

/** The image of a run, as figures take it. @param mesh  whose outline is drawn */
export function imageData({ formed, plan }: NonNullable<DoneAnswer['image']>, mesh?: Mesh): ImageGridData {
  const { images } = formed
  const { phiDeg, thetaDeg, rangeResolutionM, crossRangeResolutionM } = plan
  const aspect = { thetaDeg, phiDeg: (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2 }
  return {
    ...aspect,
    ...(mesh && { outline: targetOutline(mesh, aspect) }),
    rangeM: images.vv.rangeM,
    crossRangeM: images.vv.crossRangeM,
    rangeResolutionM,
    crossRangeResolutionM,
    window: 'hamming',
    polarFormat: formed.pointSpread.polarFormat,
    dynamicRangeDb: dynamicRange(CHANNELS.map((c) => images[c].image)),
    phaseCentre: [0, 0, 0],
    layers: layersOf((c) => images[c].image),
  }
}
