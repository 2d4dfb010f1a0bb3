// Over 300 lines: the steps of one image, in their order.
import type { EdgeScene } from '../cpu-diffraction/index.js'
import { coherentGain, formImage, PointSpread, scatteringCentres, windowSamples } from '../isar/index.js'
import { type Channel, CHANNELS, type RayScene } from '../rays/index.js'
import { type Vec3 } from '../scene/index.js'
import { complexNoise, texture } from './clutter.js'
import type { DatasetConfig } from './config.js'
import { drawMotion, moved, shiftPath } from './motion.js'
import { type Pose, poseAzimuths } from './plan.js'
import type { Radar } from './radar.js'
import { PURPOSE, Random } from './random.js'
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
  /** Fields by name (`total`, `b1`, `edge`, `coarser`): [channel][frequency][aspect], interleaved re, im [m]. */
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
  const phiDeg = poseAzimuths(pose, radar.angles)
  const thetaDeg = 90 - pose.elevationDeg
  const imager = new Imager(config, radar, thetaDeg, phiDeg)
  const fields = shifted(task, thetaDeg, phiDeg)
  const { channels } = config
  const wants = (label: DatasetConfig['labels'][number]): boolean => config.labels.includes(label)
  const clean = channels.map((_, c) => imager.image(imager.part(fields.total, c)))
  const result: ChipResult = { images: nuisances(task, imager, fields.total, clean) }
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
    const { rangeM, crossRangeM } = imager
    const plane: ImagePlane = {
      thetaDeg,
      phiDeg: pose.azimuthDeg,
      rangeM,
      crossRangeM,
      phaseCentre: task.phaseCentre,
      offsetM: pose.offsetM,
    }
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
  thetaDeg: number,
  phiDeg: Float64Array,
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

/** Forms the images of one pose. */
class Imager {
  readonly rangeM: Float64Array
  readonly crossRangeM: Float64Array
  private readonly freqHz: Float64Array

  constructor(
    private readonly config: DatasetConfig,
    private readonly radar: Radar,
    private readonly thetaDeg: number,
    private readonly phiDeg: Float64Array,
  ) {
    this.freqHz = Float64Array.from(radar.freqHz)
    const { rangeM, crossRangeM } = pixelAxes(radar)
    this.rangeM = rangeM
    this.crossRangeM = crossRangeM
  }

  /** Samples of a channel: 2 Nf Na numbers. */
  part(f: Float64Array, channel: number): Float64Array {
    const size = 2 * this.freqHz.length * this.phiDeg.length
    return f.subarray(channel * size, (channel + 1) * size)
  }

  image(f: Float64Array, polarFormat = this.config.image.polarFormat): Float64Array {
    const { size, spacingM } = this.radar
    // Offset by a quarter of a pixel, so that rounding does not change the first pixel.
    const window = (i: 0 | 1): [number, number] => [
      (-size[i] / 2 - 0.25) * spacingM[i],
      (size[i] / 2 - 0.25) * spacingM[i],
    ]
    return formImage(
      { freqHz: this.freqHz, thetaDeg: this.thetaDeg, phiDeg: this.phiDeg, f },
      {
        window: this.config.image.window,
        polarFormat,
        size: { rows: size[0], cols: size[1] },
        rangeM: window(0),
        crossRangeM: window(1),
      },
    ).image
  }

  /** Image of white noise of mean power 1 per pixel: as correlated as the image's noise is; aspects of gain 0 have none. */
  noise(random: Random, gain: Float64Array): Float64Array {
    const f = complexNoise(this.freqHz.length * this.phiDeg.length, random)
    const n = gain.length
    for (let i = 0; i < f.length; i++) f[i] *= gain[(i >> 1) % n]
    const power = (w: Float64Array, g?: Float64Array): number =>
      w.reduce((s, x, i) => s + x * x * (g ? g[i] * g[i] : 1), 0) / (w.length * coherentGain(w)) ** 2
    const { window } = this.config.image
    const wa = windowSamples(window, n)
    const mean = 4 * Math.PI * power(windowSamples(window, this.freqHz.length)) * power(wa, gain)
    const image = this.image(f, false)
    if (mean > 0) for (let i = 0; i < image.length; i++) image[i] /= Math.sqrt(mean)
    return image
  }

  pointSpread(): PointSpread {
    const { freqHz, thetaDeg, phiDeg } = this
    const { window, polarFormat } = this.config.image
    return new PointSpread({ freqHz, thetaDeg, phiDeg, window, polarFormat })
  }
}

/** Pixel axes of every image of a dataset [m]: whole multiples of the spacing, zero at pixel number floor(size / 2). */
export function pixelAxes({ size, spacingM }: Radar): { rangeM: Float64Array; crossRangeM: Float64Array } {
  const axis = (i: 0 | 1): Float64Array =>
    Float64Array.from({ length: size[i] }, (_, p) => (p - Math.floor(size[i] / 2)) * spacingM[i])
  return { rangeM: axis(0), crossRangeM: axis(1) }
}

/** Every realisation's images. The brightest pixel without nuisances, of any channel, is what `snrDb` refers to. */
function nuisances(task: ChipTask, imager: Imager, f: Float64Array, clean: Float64Array[]): Float32Array {
  const { config, radar, pose, realisations } = task
  const { nuisance, channels, seed } = config
  const phiDeg = poseAzimuths(pose, radar.angles)
  const peak = Math.max(...clean.map(peakPower))
  const moves = Boolean(nuisance.vibration || nuisance.phase || nuisance.dropout || nuisance.centreErrorM)
  const images: Float64Array[] = []
  for (let k = 0; k < realisations; k++) {
    const chip = pose.serial * realisations + k
    const motion = drawMotion(config, chip, 90 - pose.elevationDeg, phiDeg)
    const tau = nuisance.clutter && texture(nuisance.clutter, radar.size, radar.spacingM, seed, chip)
    channels.forEach((channel, c) => {
      const image = moves
        ? imager.image(moved(imager.part(f, c), radar.freqHz, motion))
        : realisations > 1 || tau || nuisance.snrDb !== undefined
          ? clean[c].slice()
          : clean[c]
      const stream = CHANNELS.indexOf(channel)
      if (nuisance.snrDb !== undefined)
        add(image, imager.noise(new Random(seed, PURPOSE.noise, chip, stream), motion.gain), () =>
          Math.sqrt(peak / 10 ** (nuisance.snrDb! / 10)),
        )
      if (tau) {
        const power = clutterPower(nuisance.clutter!, channel)
        const still = new Float64Array(radar.angles).fill(1)
        add(image, imager.noise(new Random(seed, PURPOSE.speckle, chip, stream), still), (i) =>
          Math.sqrt(power * tau[i]),
        )
      }
      images.push(image)
    })
  }
  return stack(images)
}

/** Mean power of a pixel of clutter [m^2]. */
const clutterPower = (
  { levelDbsm, crossPolDb }: { levelDbsm: number; crossPolDb: number },
  channel: Channel,
): number => 10 ** ((levelDbsm - (channel === 'vh' || channel === 'hv' ? crossPolDb : 0)) / 10)

function add(image: Float64Array, noise: Float64Array, scale: (pixel: number) => number): void {
  for (let i = 0; i < image.length; i++) image[i] += scale(i >> 1) * noise[i]
}

function peakPower(image: Float64Array): number {
  let peak = 0
  for (let i = 0; i < image.length; i += 2) peak = Math.max(peak, image[i] ** 2 + image[i + 1] ** 2)
  return peak
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
    out.set([rangeM, crossRangeM, re, im, ...origin.point, mechanism, origin.id], i * CENTRE_COLUMNS.length)
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
