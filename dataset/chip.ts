import type { EdgeScene } from '../cpu-diffraction/index.js'
import { coherentGain, scatteringCentres, windowSamples } from '../isar/index.js'
import { PURPOSE, Random } from '../math/random.js'
import type { Tasks } from '../parallel/thread.js'
import { type Channel, CHANNELS, RayCaster, type RayScene } from '../rays/index.js'
import { C0, cross, direction, dot, type Vec3 } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { complexNoise, Imager, type Looks, looksOf, texture } from './imager.js'
import { groundSigma0, type Pose, type Radar } from './plan.js'
import {
  castView,
  edgeAt,
  facetAt,
  type ImagePlane,
  type Origin,
  spacing,
  targetMask,
  type View,
  visibleFacets,
  type VisibleFacets,
} from './view.js'

/** Motion and phase errors at the N aspects of an image. */
interface Motion {
  /** Shift of the target towards the radar at each aspect [m]: the two-way phase grows by 2k times it. */
  pathM: Float64Array
  /** Further phase [rad], the same at all frequencies. */
  phaseRad: Float64Array
  /** 1, or 0 where the aspect is lost. */
  gain: Float64Array
}

/** Range shift at each aspect of a target that moves by (range, cross-range) seen from the centre aspect [m]. */
export function shiftPath(
  thetaDeg: number,
  phiDeg: Float64Array,
  [range, crossRange]: [number, number],
): Float64Array {
  const { phiHat } = direction(thetaDeg, (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2)
  // In the plane of rotation, so that the image moves as a whole and stays in focus; away from the radar is (-phiHat_y, phiHat_x).
  const away = range / Math.sin((thetaDeg * Math.PI) / 180)
  const d: Vec3 = [-away * phiHat[1] + crossRange * phiHat[0], away * phiHat[0] + crossRange * phiHat[1], 0]
  return phiDeg.map((phi) => dot(direction(thetaDeg, phi).r, d))
}

/**
 * The errors of motion and phase of one image.
 *
 * - vibration: amplitude uniform up to its bound, phase random: A sin(2 pi (cycles x + phase)), x from 0 to 1 over the aperture
 * - centre error: the target rotates about a point displaced by a normal (range, cross-range), and is tracked as if about the
 *   phase centre; its image moves
 * - phase: quadratic up to its bound either way, a random walk of independent steps that reaches its deviation at the end, white
 * - dropout: `blocks` runs of aspects lost, `fraction` of all together
 */
export function drawMotion(
  { nuisance, seed }: DatasetConfig,
  chip: number,
  thetaDeg: number,
  phiDeg: Float64Array,
): Motion {
  const n = phiDeg.length
  const random = new Random(seed, PURPOSE.motion, chip)
  const motion: Motion = {
    pathM: new Float64Array(n),
    phaseRad: new Float64Array(n),
    gain: new Float64Array(n).fill(1),
  }
  const { vibration, centreErrorM, phase, dropout } = nuisance
  if (vibration) {
    const amplitude = vibration.amplitudeM * random.uniform()
    const start = random.uniform()
    for (let m = 0; m < n; m++)
      motion.pathM[m] += amplitude * Math.sin(2 * Math.PI * ((vibration.cycles * m) / (n - 1) + start))
  }
  if (centreErrorM) {
    const error: [number, number] = [centreErrorM * random.normal(), centreErrorM * random.normal()]
    const path = shiftPath(thetaDeg, phiDeg, error)
    const still = shiftPath(thetaDeg, Float64Array.of((phiDeg[0] + phiDeg[n - 1]) / 2), [error[0], 0])[0]
    for (let m = 0; m < n; m++) motion.pathM[m] += path[m] - still
  }
  if (phase) {
    const quadratic = random.within(phase.quadraticDeg)
    let walk = 0
    for (let m = 0; m < n; m++) {
      const x = (2 * m) / (n - 1) - 1
      walk += (phase.walkDeg * random.normal()) / Math.sqrt(n)
      motion.phaseRad[m] = ((quadratic * x * x + walk + phase.whiteDeg * random.normal()) * Math.PI) / 180
    }
  }
  if (dropout) lose(motion.gain, dropout.fraction, dropout.blocks, new Random(seed, PURPOSE.dropout, chip))
  return motion
}

/** Zeroes runs of aspects: one in each of `blocks` equal stretches, at a random position in it. */
function lose(gain: Float64Array, fraction: number, blocks: number, random: Random): void {
  const n = gain.length
  for (let b = 0; b < blocks; b++) {
    const from = Math.round((b * n) / blocks)
    const to = Math.round(((b + 1) * n) / blocks)
    const lost = Math.round(fraction * (to - from))
    const start = from + Math.floor(random.uniform() * (to - from - lost + 1))
    gain.fill(0, start, start + lost)
  }
}

/** Fields F [frequency][aspect] (interleaved re, im) after the motion: F gain exp(j (2k path + phase)). */
export function moved(f: Float64Array, freqHz: ArrayLike<number>, motion: Motion): Float64Array {
  const { pathM, phaseRad, gain } = motion
  const n = pathM.length
  const out = new Float64Array(f.length)
  for (let i = 0; i < freqHz.length; i++) {
    const k2 = (4 * Math.PI * freqHz[i]) / C0
    for (let m = 0; m < n; m++) {
      const angle = k2 * pathM[m] + phaseRad[m]
      const [c, s] = [gain[m] * Math.cos(angle), gain[m] * Math.sin(angle)]
      const at = 2 * (i * n + m)
      out[at] = f[at] * c - f[at + 1] * s
      out[at + 1] = f[at] * s + f[at + 1] * c
    }
  }
  return out
}

/** What the images of a pose are drawn for. */
interface Drawn {
  config: DatasetConfig
  radar: Radar
  pose: Pose
  realisations: number
}

/** Every realisation's images. The brightest pixel without nuisances, of any channel, is what `snrDb` refers to. */
function nuisances(
  { config, radar, pose, realisations }: Drawn,
  { looks, imager, plane, cells }: { looks: Looks; imager: Imager; plane: ImagePlane; cells?: GroundCells },
  f: Float64Array,
  clean: Float64Array[],
): Float64Array[] {
  const { nuisance, ground, channels, seed } = config
  // Clutter and NESZ refer to it alone.
  const areaM2 = ground || nuisance.noiseSigma0Db !== undefined ? pixelAreaM2(config, radar, pose, looks) : 0
  const noise =
    nuisance.snrDb !== undefined
      ? Math.max(...clean.map(peakPower)) / 10 ** (nuisance.snrDb / 10)
      : nuisance.noiseSigma0Db !== undefined
        ? areaM2 * 10 ** (nuisance.noiseSigma0Db / 10)
        : 0
  // On the ground a pixel of the slant plane is longer in range.
  const onGround: [number, number] = [
    (radar.spacingM[0] * imager.rangeScale) / Math.cos((pose.elevationDeg * Math.PI) / 180),
    radar.spacingM[1],
  ]
  const moves = Boolean(nuisance.vibration || nuisance.phase || nuisance.dropout || nuisance.centreErrorM)
  const images: Float64Array[] = []
  for (let k = 0; k < realisations; k++) {
    const chip = pose.serial * realisations + k
    const motion = drawMotion(config, chip, looks.thetaDeg, looks.phiDeg)
    const tau = nuisance.clutter && texture(nuisance.clutter, radar.size, radar.spacingM, seed, chip)
    const patches = ground && texture(ground, radar.size, onGround, seed, chip)
    channels.forEach((channel, c) => {
      const image = moves ? imager.image(moved(imager.part(f, c), radar.freqHz, motion)) : clean[c].slice()
      const stream = CHANNELS.indexOf(channel)
      if (noise > 0)
        add(image, imager.noise(new Random(seed, PURPOSE.noise, chip, stream), motion.gain), () =>
          Math.sqrt(noise),
        )
      if (patches) {
        const power = areaM2 * groundSigma0(config, radar, pose.elevationDeg, channel)
        const random = new Random(seed, PURPOSE.speckle, chip, stream)
        add(image, groundSpeckle(config, radar, plane, cells!, random), (i) => Math.sqrt(power * patches[i]))
      }
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
  return images
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
    images: stack(nuisances(task, { looks, imager, plane, cells }, fields.total, clean)),
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

export interface TimedChips extends ChipResult {
  /** Of this thread. */
  seconds: number
}

/** `makeChips` with its time, for threads. */
export const chipTasks: Tasks<undefined, ChipTask, TimedChips> = () => (task) => {
  const start = performance.now()
  return { ...makeChips(task), seconds: (performance.now() - start) / 1000 }
}

/** Resolution cells over which the point-spread function of clutter reaches on either side. */
const REACH = 4
/** Most azimuths at which a point of the ground is tried for shadow. */
const MOST_LOOKS = 9

/**
 * Cells of the ground that an image shows: its pixels, finer where pixels are coarser than the resolution, and as many around
 * them as the point-spread function reaches.
 */
interface GroundCells {
  /** Cells in range and cross-range, margins included. */
  size: [number, number]
  /** Cells per pixel, and cells of margin. */
  perPixel: [number, number]
  margin: [number, number]
  /** Part of the aperture that lights each cell, 0 to 1, [range][cross-range]. */
  lit: Float64Array
}

/**
 * Mean power of a pixel over the backscatter coefficient, image scaled so that |pixel|^2 is the RCS of an isolated point: the area of
 * ground that a pixel of uniform clutter is the mean of, the integral of the squared point-spread function [m^2].
 */
export function pixelAreaM2(
  config: DatasetConfig,
  radar: Radar,
  pose: Pose,
  { thetaDeg, across, r }: Looks,
): number {
  const spread = (n: number): number => {
    const w = windowSamples(config.image.window, n)
    return w.reduce((s, x) => s + x * x, 0) / (n * coherentGain(w)) ** 2
  }
  const { freqHz, angles } = radar
  const last = freqHz[freqHz.length - 1]
  const stepRad = (pose.apertureDeg / (angles - 1)) * (Math.PI / 180) * Math.sin((thetaDeg * Math.PI) / 180)
  const rangeM = (C0 * (freqHz.length - 1)) / (2 * (last - freqHz[0]))
  const crossRangeM = C0 / (freqHz[0] + last) / stepRad
  return (rangeM * spread(freqHz.length) * crossRangeM * spread(angles)) / Math.abs(cross(across, r)[2])
}

/**
 * The cells, each lit where the line from its middle on the ground to the radar meets no facet, at up to 9 azimuths over the
 * aperture: the edges of shadows are as soft as the aperture makes them. Layover is where a cell in front of the target is lit.
 */
export function groundCells(
  config: DatasetConfig,
  radar: Radar,
  { directions }: Looks,
  scene: RayScene,
  plane: ImagePlane,
): GroundCells {
  const { size } = radar
  const steps = [spacing(plane.rangeM), spacing(plane.crossRangeM)]
  const resolution = [radar.rangeResolutionM, radar.crossRangeResolutionM]
  // An odd number, so that one cell's middle is the pixel's.
  const perPixel = steps.map((s, i) => 2 * Math.ceil((s / resolution[i] - 1) / 2 - 1e-9) + 1) as [
    number,
    number,
  ]
  const cell = steps.map((s, i) => s / perPixel[i])
  const margin = cell.map((c, i) => Math.ceil((REACH * resolution[i]) / c)) as [number, number]
  const cells: [number, number] = [0, 1].map((i) => size[i] * perPixel[i] + 2 * margin[i]) as [number, number]
  const lit = new Float64Array(cells[0] * cells[1]).fill(1)

  const looks = Math.min(MOST_LOOKS, directions.length)
  const toRadar = Array.from(
    { length: looks },
    (_, i) => directions[Math.round((i * (directions.length - 1)) / Math.max(1, looks - 1))].r,
  )
  const { r, across, up } = plane
  const level = groundHeight(config, scene)
  const centre = plane.phaseCentre.map((x, a) => x - scene.origin[a]) as Vec3
  const caster = new RayCaster(scene)
  const mayBeDark = shadowBox(scene, level, toRadar)
  for (let i = 0; i < cells[0]; i++) {
    const range = plane.rangeM[0] + ((i - margin[0] + 0.5) / perPixel[0] - 0.5) * steps[0] - plane.offsetM[0]
    const p = dot(centre, r) - range
    for (let l = 0; l < cells[1]; l++) {
      const at =
        plane.crossRangeM[0] + ((l - margin[1] + 0.5) / perPixel[1] - 0.5) * steps[1] - plane.offsetM[1]
      const q = dot(centre, across) + at
      // The point of the ground with these coordinates along r and across.
      const w = (level - p * r[2] - q * across[2]) / up[2]
      const [x, y] = [0, 1].map((a) => p * r[a] + q * across[a] + w * up[a])
      if (!mayBeDark(x, y)) continue
      let dark = 0
      for (const d of toRadar) if (caster.nearest(x, y, level, d[0], d[1], d[2], -1)) dark++
      lit[i * cells[1] + l] = 1 - dark / looks
    }
  }
  return { size: cells, perPixel, margin, lit }
}

/** Height of the ground in the scene's own coordinates [m]: the lowest point of the target by default. */
function groundHeight({ ground }: DatasetConfig, { points, origin }: RayScene): number {
  if (ground!.heightM !== undefined) return ground!.heightM - origin[2]
  let lowest = Infinity
  for (let i = 2; i < points.length; i += 3) lowest = Math.min(lowest, points[i])
  return lowest
}

/** Whether a point of the ground may lie in the shadow of the target's box, for some of the directions: a test without rays. */
function shadowBox({ points }: RayScene, level: number, toRadar: Vec3[]): (x: number, y: number) => boolean {
  const low = [Infinity, Infinity, Infinity]
  const high = [-Infinity, -Infinity, -Infinity]
  for (let i = 0; i < points.length; i++) {
    low[i % 3] = Math.min(low[i % 3], points[i])
    high[i % 3] = Math.max(high[i % 3], points[i])
  }
  // The box moved along each shadow to its end.
  const [from, to] = [low.slice(), high.slice()]
  for (const r of toRadar)
    for (let a = 0; a < 2; a++) {
      const shift = (-r[a] * (high[2] - level)) / r[2]
      from[a] = Math.min(from[a], low[a] + shift)
      to[a] = Math.max(to[a], high[a] + shift)
    }
  return (x, y) => x >= from[0] && x <= to[0] && y >= from[1] && y <= to[1]
}

/** Mean of the lit share over each pixel, in 256 steps: 0 where no part of the aperture lights the ground, 255 where all does. */
export function litMask(
  { size, perPixel, margin, lit }: GroundCells,
  { size: [rows, cols] }: Radar,
): Uint8Array {
  const out = new Uint8Array(rows * cols)
  for (let i = 0; i < rows; i++)
    for (let l = 0; l < cols; l++) {
      let sum = 0
      for (let p = 0; p < perPixel[0]; p++)
        for (let q = 0; q < perPixel[1]; q++)
          sum += lit[(margin[0] + i * perPixel[0] + p) * size[1] + margin[1] + l * perPixel[1] + q]
      out[i * cols + l] = Math.round((255 * sum) / (perPixel[0] * perPixel[1]))
    }
  return out
}

/**
 * Speckle of the lit ground, of mean power 1 per pixel where all is lit: independent complex normal numbers of the cells' lit
 * shares, convolved with the image's point-spread function. Interleaved re, im, [range][cross-range].
 */
function groundSpeckle(
  config: DatasetConfig,
  radar: Radar,
  plane: ImagePlane,
  cells: GroundCells,
  random: Random,
): Float64Array {
  const { size, perPixel, margin, lit } = cells
  const g = complexNoise(size[0] * size[1], random)
  for (let i = 0; i < g.length; i++) g[i] *= Math.sqrt(lit[i >> 1])
  const [rows, cols] = radar.size
  const kernels = [
    pointSpread(
      config,
      radar.freqHz.length,
      spacing(plane.rangeM) / perPixel[0] / radar.rangeResolutionM,
      margin[0],
    ),
    pointSpread(
      config,
      radar.angles,
      spacing(plane.crossRangeM) / perPixel[1] / radar.crossRangeResolutionM,
      margin[1],
    ),
  ]
  // Along cross-range first, then along range, at the middles of the pixels.
  const half = new Float64Array(2 * size[0] * cols)
  const middle = (n: number): number => (n - 1) / 2
  for (let i = 0; i < size[0]; i++)
    for (let l = 0; l < cols; l++)
      for (let k = -margin[1]; k <= margin[1]; k++) {
        const at = 2 * (i * size[1] + margin[1] + l * perPixel[1] + middle(perPixel[1]) + k)
        const w = kernels[1][k + margin[1]]
        half[2 * (i * cols + l)] += w * g[at]
        half[2 * (i * cols + l) + 1] += w * g[at + 1]
      }
  const out = new Float64Array(2 * rows * cols)
  for (let i = 0; i < rows; i++)
    for (let k = -margin[0]; k <= margin[0]; k++) {
      const from = 2 * cols * (margin[0] + i * perPixel[0] + middle(perPixel[0]) + k)
      const w = kernels[0][k + margin[0]]
      for (let l = 0; l < 2 * cols; l++) out[2 * cols * i + l] += w * half[from + l]
    }
  return out
}

/** Point-spread function of a window of n samples at whole multiples of `cells` resolution cells, of unit energy. */
function pointSpread(config: DatasetConfig, n: number, cells: number, reach: number): Float64Array {
  const w = windowSamples(config.image.window, n)
  const out = Float64Array.from({ length: 2 * reach + 1 }, (_, i) => {
    // The resolution is that of n - 1 steps of frequency or angle.
    const turn = (2 * Math.PI * (i - reach) * cells) / (n - 1)
    return w.reduce((s, x, m) => s + x * Math.cos(turn * (m - (n - 1) / 2)), 0)
  })
  const energy = Math.sqrt(out.reduce((s, x) => s + x * x, 0))
  return out.map((x) => x / energy)
}
