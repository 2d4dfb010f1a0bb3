import { existsSync, readFileSync } from 'node:fs'
import type { SbrOptions } from '../../rays/index.js'
import { InputError, type Vec3 } from '../../scene/index.js'

/** Where meta.json does not contain it. */
export const DEFAULT_WEDGE_ANGLE_DEG = 160

/** The part of a run's meta.json that the viewer reads; files of other versions may miss any of it. */
export interface RunMeta {
  command?: string
  version?: string
  created?: string
  approximate?: string
  device?: string
  /** Of a propagation result. */
  scene?: { name?: string; transmitter?: { position?: Vec3 } }
  receivers?: { name: string; first: number; count: number }[]
  rays?: number
  mesh?: {
    name?: string
    sha256?: string
    size_m?: number[]
    facets?: number
    materials?: { group?: string; material: string }[]
    ground?: { material: string; height_m: number; roughness_m: number }
  }
  /** Of isar image. */
  history?: { calibrated?: boolean }
  counts?: Record<string, number>
  /** Of a result of isar doppler. */
  motion?: {
    radar: { thetaDeg: number; phiDeg: number; prfHz: number; f0_hz: number; f1_hz: number }
    /** What turns: rotations per second about an axis of length 1 through a pivot [m], from an angle at time 0. */
    parts: MovingPart[]
  }
  error?: { total: number }
  /** Of a result of --method mom, a frequency each. */
  full_wave?: {
    freq_hz: number
    triangles: number
    unknowns: number
    condition: number
    power_error: number
    triangle_quality?: { worst: number; median: number }
    longest_edge_wavelengths?: number
  }[]
  /** Of isar render --motion. */
  image_plane?: {
    towards_radar: Vec3
    cross_range: Vec3
    normal: Vec3
    range_resolution_m: number
    cross_range_resolution_m: number
  }
  options?: {
    method?: string
    diffraction?: string
    maxWedgeAngleDeg?: number
    smoothAngleDeg?: number
    units?: string
    sbr?: SbrOptions
    phaseCentre?: Vec3
    window?: string
    polarFormat?: boolean
    dynamicRangeDb?: number
    sweep?: {
      thetaDeg: number
      phi0: number
      phi1: number
      f0: number
      f1: number
      frequencies: number
      aspects: number
      apertureDeg: number
      rangeResolutionM: number
      crossRangeResolutionM: number
    }
  }
}

export interface MovingPart {
  name: string
  pivot: Vec3
  axis: Vec3
  rate: number
  phaseDeg: number
}

/** The record of a run; null without one. @throws InputError for a damaged one */
export function readMeta(file: string): RunMeta | null {
  if (!existsSync(file)) return null
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunMeta
  } catch {
    throw new InputError(`${file} is not JSON; run the command that made the result again`)
  }
}

const short = (x: number, digits = 4): string => String(Number(x.toPrecision(digits))).replace('-', '−')
const ghz = (f: number): string => `${short(f / 1e9, 5)} GHz`

/** Of the worst of all frequencies. */
function fullWaveFacts(solved: RunMeta['full_wave']): [string, string][] {
  if (!solved?.length) return []
  const range = (of: number[]): string =>
    [...new Set([Math.min(...of), Math.max(...of)])].map((n) => n.toLocaleString('en')).join(' to ')
  const worst = (of: (s: NonNullable<RunMeta['full_wave']>[number]) => number): number =>
    Math.max(...solved.map(of))
  const shapes = solved.flatMap((s) => s.triangle_quality ?? [])
  return [
    ['Unknowns', range(solved.map((s) => s.unknowns))],
    ['Triangles for currents', range(solved.map((s) => s.triangles))],
    [
      'Their quality 2r/R',
      shapes.length > 0
        ? `least ${short(Math.min(...shapes.map((s) => s.worst)), 2)}, median ${short(Math.min(...shapes.map((s) => s.median)), 2)}`
        : '',
    ],
    ['Condition number', worst((s) => s.condition).toExponential(1)],
    ['Power balance', `${short(100 * worst((s) => s.power_error), 2)} % off`],
  ]
}

/** Main facts about a run, label and value. */
export function runFacts(meta: RunMeta | null): [string, string][] {
  if (!meta) return []
  const { mesh, options = {}, counts = {}, device, version, created, approximate, rays, motion, error } = meta
  const radar = motion?.radar
  const { sweep, sbr } = options
  const facts: [string, string | false | undefined][] = [
    [
      'Size',
      mesh?.size_m
        ?.map((x) => short(x, 3))
        .join(' × ')
        .concat(' m'),
    ],
    ['Facets', mesh?.facets?.toLocaleString('en')],
    ['Materials', mesh?.materials && [...new Set(mesh.materials.map((m) => m.material))].join(', ')],
    ['Ground', mesh?.ground && `${mesh.ground.material} at z = ${short(mesh.ground.height_m)} m`],
    ['Radar', radar && `θ ${short(radar.thetaDeg)}°, φ ${short(radar.phiDeg)}°`],
    [
      'Pulses',
      radar && counts.pulses
        ? `${counts.pulses.toLocaleString('en')} pulses at ${radar.prfHz.toLocaleString('en')} Hz, ${radar.f1_hz > radar.f0_hz ? `${ghz(radar.f0_hz)} to ${ghz(radar.f1_hz)}, ${counts.frequencies} frequencies` : ghz(radar.f0_hz)}`
        : undefined,
    ],
    ['Parts that turn', motion && (motion.parts.map(({ name, rate }) => `${name} ${short(rate)} rev/s`).join(', ') || 'none')], // prettier-ignore
    ['Error at 4 pulses', error && `${short(100 * error.total, 2)} % of the rms field`],
    ['Aspect', sweep && `θ ${short(sweep.thetaDeg)}°, φ ${short((sweep.phi0 + sweep.phi1) / 2)}°`],
    ['Aperture', sweep && `${short(sweep.apertureDeg)}°, ${sweep.aspects} aspects`],
    ['Band', sweep && `${ghz(sweep.f0)} to ${ghz(sweep.f1)}, ${sweep.frequencies} frequencies`],
    [
      'Resolution',
      sweep && `${short(sweep.rangeResolutionM, 3)} m × ${short(sweep.crossRangeResolutionM, 3)} m`,
    ],
    ['Window', options.window && options.window + (options.polarFormat ? ', polar format' : '')],
    ['Method', options.method && options.method + (approximate ? ' (approximate)' : '')],
    ...fullWaveFacts(meta.full_wave),
    ['Edges', meta.full_wave ? undefined : options.diffraction],
    ['Rays', !meta.full_wave && sbr && `${sbr.raysPerWavelength} per wavelength, ${sbr.maxBounces} bounces`],
    ['Rays launched', rays?.toLocaleString('en')],
    ['Ray tubes', meta.full_wave ? undefined : counts.tubes?.toLocaleString('en')],
    ['Device', device],
    ['Made', created && `${created.slice(0, 16).replace('T', ' ')} UTC, isar ${version ?? '?'}`],
  ]
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]))
}
