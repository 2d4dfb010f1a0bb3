import type { EdgeScene } from '../cpu-diffraction/index.js'
import { scatteringCentres } from '../isar/index.js'
import type { RayScene } from '../rays/index.js'
import { type Vec3 } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { groundCells, litMask } from './ground.js'
import { Imager } from './imager.js'
import { type Looks, looksOf } from './looks.js'
import { moved, shiftPath } from './motion.js'
import { nuisances } from './nuisances.js'
import type { Pose } from './plan.js'
import type { Radar } from './radar.js'
import {
  castView,
  edgeAt,
  facetAt,
  type ImagePlane,
  type Origin,
  targetMask,
  type View,
  type VisibleFacets,
  visibleFacets,
} from './view.js'

/** Mechanism layers, in their order: first bounce, all later ones, edges. */
export const LAYERS = ['first', 'multiple', 'edges'] as const
/** Numbers of a scattering centre in `ChipResult.centres`. */
export const CENTRE_COLUMNS = [
  'range_m',
  'cross_range_m',
  're',
  'im',
  'x_m',
  'y_m',
  'z_m',
  'mechanism',
  'id',
] as const

/** Inputs of forming the images of a pose from its fields; a task for any thread. */
export interface ChipTask {
  config: DatasetConfig
  radar: Radar
  pose: Pose
  realisations: number
  /** Point that images are centred at and phases refer to [m]. */
  phaseCentre: Vec3
  /** Fields by name (`total`, `b1`, `edge`, `coarser`, `free`): [channel][frequency][aspect], interleaved re, im [m]. */
  fields: Record<string, Float64Array>
  /** For labels of the geometry. */
  scene?: RayScene
  edges?: EdgeScene
}

/** Images and labels of a pose. */
export interface ChipResult {
  /** [realisation][channel][range][cross-range], interleaved re, im; |pixel|^2 in m^2. */
  images: Float32Array
  /** [layer][channel][range][cross-range], without nuisances. */
  layers?: Float32Array
  /** [range][cross-range], see `targetMask`. */
  mask?: Uint8Array
  /** [range][cross-range], see `litMask`. */
  lit?: Uint8Array
  /** [channel][range][cross-range]: the target without nuisances and clutter. */
  clean?: Float32Array
  /** The same without waves by the ground. */
  free?: Float32Array
  /** `CENTRE_COLUMNS` of each, zeros after the last, of the first channel without nuisances; mechanism as in LAYERS or -1. */
  centres?: Float32Array
  centreCount?: number
  facets?: VisibleFacets
  /** Energy of the difference to half the density of rays, over the image's, as a root. */
  convergence?: number
}

/** The images and labels of a pose: a pure function, the same on every thread. */
export function makeChips(task: ChipTask): ChipResult {
  const { config, radar, pose } = task
  const looks = looksOf(config, radar, pose)
  const imager = new Imager(config, radar, pose, looks)
  const fields = shifted(task, looks)
  const { channels } = config
  const wants = (label: DatasetConfig['labels'][number]): boolean => config.labels.includes(label)
  const clean = channels.map((_, c) => imager.image(imager.part(fields.total, c)))
  const { rangeM, crossRangeM } = imager
  const plane: ImagePlane = {
    r: looks.r,
    across: looks.across,
    up: looks.up,
    rangeM,
    crossRangeM,
    phaseCentre: task.phaseCentre,
    offsetM: pose.offsetM,
  }
  const cells = config.ground && groundCells(config, radar, looks, task.scene!, plane)
  const result: ChipResult = {
    images: stack(nuisances(task, looks, imager, plane, cells, fields.total, clean)),
  }
  if (wants('clean')) result.clean = stack(clean)
  if (wants('free')) result.free = stack(channels.map((_, c) => imager.image(imager.part(fields.free, c))))
  if (wants('lit')) result.lit = litMask(cells!, radar)
  const layers = LAYERS.map((layer) => layerFields(fields, layer))
  if (wants('layers')) result.layers = stack(layers.flatMap((f) => channels.map((_, c) => imager.image(imager.part(f, c))))) // prettier-ignore
  if (wants('convergence')) {
    let [apart, all] = [0, 0]
    channels.forEach((_, c) => {
      const coarse = imager.image(imager.part(fields.coarser, c))
      clean[c].forEach((x, i) => {
        apart += (x - coarse[i]) ** 2
        all += x * x
      })
    })
    result.convergence = all > 0 ? Math.sqrt(apart / all) : 0
  }
  if (task.scene && (wants('mask') || wants('facets') || wants('centres'))) {
    const view = castView(task.scene, plane)
    if (wants('mask')) result.mask = targetMask(task.scene, plane, view)
    if (wants('facets')) result.facets = visibleFacets(task.scene, view)
    if (wants('centres')) Object.assign(result, centresOf(task, imager, clean[0], layers, plane, view))
  }
  return result
}

const stack = (images: Float64Array[]): Float32Array => {
  const out = new Float32Array(images.length * images[0].length)
  images.forEach((image, i) => out.set(image, i * image.length))
  return out
}

/** Fields after the pose's shift. */
function shifted(
  { fields, pose, radar }: ChipTask,
  { thetaDeg, phiDeg }: Looks,
): Record<string, Float64Array> {
  if (pose.offsetM[0] === 0 && pose.offsetM[1] === 0) return fields
  const still = new Float64Array(phiDeg.length)
  const motion = {
    pathM: shiftPath(thetaDeg, phiDeg, pose.offsetM),
    phaseRad: still,
    gain: new Float64Array(phiDeg.length).fill(1),
  }
  // Channels follow one another: frequencies repeat.
  const total = Object.values(fields)[0].length / (2 * phiDeg.length)
  const freqHz = Array.from({ length: total }, (_, i) => radar.freqHz[i % radar.freqHz.length])
  return Object.fromEntries(Object.entries(fields).map(([name, f]) => [name, moved(f, freqHz, motion)]))
}

function layerFields(fields: Record<string, Float64Array>, layer: (typeof LAYERS)[number]): Float64Array {
  const { total, b1, edge = new Float64Array(total.length) } = fields
  // Fields without mechanisms have no layers.
  if (!b1) return new Float64Array(total.length)
  if (layer === 'first') return b1
  return layer === 'edges' ? edge : total.map((x, i) => x - b1[i] - edge[i])
}

function centresOf(
  { config, radar, scene, edges }: ChipTask,
  imager: Imager,
  image: Float64Array,
  layers: Float64Array[],
  plane: ImagePlane,
  view: View,
): Pick<ChipResult, 'centres' | 'centreCount'> {
  const { centres } = scatteringCentres(
    { image, rangeM: imager.rangeM, crossRangeM: imager.crossRangeM },
    imager.pointSpread(),
    config.centres,
  )
  const cell: [number, number] = [radar.rangeResolutionM, radar.crossRangeResolutionM]
  const known = layers.some((f) => f.some((x) => x !== 0))
  const images = known ? layers.map((f) => imager.image(imager.part(f, 0))) : []
  const out = new Float32Array(config.centres.count * CENTRE_COLUMNS.length)
  centres.forEach(({ rangeM, crossRangeM, re, im }, i) => {
    const powers = images.map((x) => powerAt(x, imager, rangeM, crossRangeM))
    const mechanism = known ? powers.indexOf(Math.max(...powers)) : -1
    const origin: Origin =
      mechanism === LAYERS.indexOf('edges') && edges
        ? edgeAt(edges, plane, rangeM, crossRangeM, cell)
        : scene
          ? facetAt(view, rangeM, crossRangeM, cell)
          : { id: -1, point: [0, 0, 0] }
    out.set(
      [rangeM / imager.rangeScale, crossRangeM, re, im, ...origin.point, mechanism, origin.id],
      i * CENTRE_COLUMNS.length,
    )
  })
  return { centres: out, centreCount: centres.length }
}

/** Power of the pixel nearest to a point; 0 outside. */
function powerAt(image: Float64Array, { rangeM, crossRangeM }: Imager, range: number, cross: number): number {
  const index = (axis: Float64Array, x: number): number =>
    Math.max(0, Math.min(axis.length - 1, Math.round((x - axis[0]) / (axis[1] - axis[0]))))
  const at = 2 * (index(rangeM, range) * crossRangeM.length + index(crossRangeM, cross))
  return image[at] ** 2 + image[at + 1] ** 2
}
