import { darkEdges, type EdgeScene } from '../cpu-diffraction/index.js'
import {
  drawsEdges,
  type AspectDetail,
  CutOffPower,
  fieldNames,
  frequencyReports,
  frequencyTotal,
  isFullWave,
  rowField,
  rowFields,
  rowReport,
  timingReport,
  type TimingReport,
} from './sweep/index.js'
import type { FullWaveReport } from '../full-wave/index.js'
import type { Ground } from '../scene/ground/index.js'
import type { Target } from '../scene/index.js'
import { type Material, writtenOf } from '../scene/materials/material.js'
import type { Written } from '../scene/materials/medium.js'
import type { RunPlan } from './hooks.js'
import { leftOut } from './solver.js'
import type { SelfCheck } from './self-check.js'
import { VERSION } from './version.js'

/** A finished sweep, as the command line writes and the library returns it. */
export interface SolvedRun {
  /** Fields of every aspect by name (`total`, and with mechanisms `b1` ... and `edge`), in order [m]. */
  fields: Record<string, Float64Array[]>
  timing: TimingReport
  /** The edges that diffract; null where diffraction is off. */
  edgeScene: EdgeScene | null
  /** What `meta.json` holds: version, mesh, device, options as resolved, counts, power cut off by the bounce limit. */
  meta: Record<string, unknown>
  /** Power cut off by the bounce limit; empty with a raster. */
  cutOff: CutOffPower
  /** One line each on contributions missing from the result. */
  warnings: string[]
}

/** Assembles the rows of a sweep; `seconds` is the time of the sweep. */
export function solvedRun(
  command: string,
  { target, job, settings, engines, estimate, rows: stored }: Omit<RunPlan, 'advice' | 'kept'>,
  record: Record<string, unknown>,
  details: ReadonlyMap<number, AspectDetail>,
  seconds: number,
  check?: SelfCheck,
): SolvedRun {
  const rows = job.aspects.map((_, i) => stored.get(i)!)
  const sums = rows.map(rowReport)
  const total = (k: 'tubes' | 'leaves' | 'contributions' | 'segments'): number =>
    sums.reduce((a, s) => a + s[k], 0)
  const omitted = leftOut(settings, target.target)
  const cutOff = new CutOffPower()
  job.aspects.forEach((aspect, i) => cutOff.add(aspect, sums[i]))
  return {
    cutOff,
    fields: fieldsByName(engines, job, rows),
    edgeScene: engines.edgeScene,
    warnings: edgeWarnings(target, engines, job, total('segments')),
    timing: timingReport(engines, job.aspects, stored, details, seconds),
    meta: {
      command,
      version: VERSION,
      created: new Date().toISOString(),
      ...(job.groups && {
        approximate: `rays traced at ${job.groups.length} of ${job.aspects.length} aspects, the others extrapolated`,
      }),
      mesh: {
        name: target.name,
        sha256: target.hash,
        size_m: estimate.size,
        facets: target.scene.count,
        surfaces: target.target.surfaceCount,
        ...(target.target.facetMaterial && { materials: materialNames(target.target) }),
        ...expressionsOf(target.target.materials),
        ...(target.target.ground && { ground: groundRecord(target.target.ground) }),
        report: target.target.report,
      },
      device: engines.facets.describe().text,
      options: record,
      ...(omitted && { second_order_left_out: omitted }),
      ...(check && { check }),
      ...(isFullWave(engines.facets)
        ? { full_wave: frequencyReports(job, stored).map(fullWaveRecord) }
        : !('raster' in engines.facets) && { power_cut_off: cutOff.record }),
      counts: {
        aspects: job.aspects.length,
        ...(job.groups && { looks: job.groups.length }),
        frequencies: frequencyTotal(job),
        tubes: total('tubes'),
        leaves: total('leaves'),
        contributions: total('contributions'),
        edge_segments: total('segments'),
      },
    },
  }
}

/** Fields of all rows, the total first, then the bounces: up to the last of any row; rows without it hold zeros. */
function fieldsByName(
  engines: RunPlan['engines'],
  job: RunPlan['job'],
  rows: Float64Array[],
): SolvedRun['fields'] {
  const before = fieldNames(engines, 0).length
  const bounces = rows.reduce((most, row) => Math.max(most, rowFields(job, row) - before), 0)
  const none = new Float64Array(8 * frequencyTotal(job))
  const named = fieldNames(engines, bounces).map((name, i): [string, Float64Array[]] => [
    name,
    rows.map((row) => (i < rowFields(job, row) ? rowField(job, row, i) : none)),
  ])
  const [total, ...others] = named
  return Object.fromEntries([total, ...others.slice(before - 1), ...others.slice(0, before - 1)])
}

/** How a frequency was solved, as `meta.json` records it. */
const fullWaveRecord = ({
  frequencyHz,
  triangles,
  quality: { worst, median, longestEdge },
  powerError,
  seconds,
  ...rest
}: FullWaveReport): object => ({
  freq_hz: frequencyHz,
  triangles,
  triangle_quality: { worst, median },
  longest_edge_wavelengths: longestEdge,
  ...rest,
  power_error: powerError,
  seconds,
})

/** A ground as `meta.json` records it. */
export const groundRecord = ({ material, height, roughness }: Ground): object => ({
  material: material.name,
  height_m: height,
  roughness_m: roughness,
  ...expressionsOf([material]),
})

/** What values of materials files were written as, where they were expressions. */
export function expressionsOf(materials: readonly Material[]): { expressions?: Written } {
  const all = Object.assign({}, ...materials.map(writtenOf)) as Written
  return Object.keys(all).length > 0 ? { expressions: all } : {}
}

/** The name of each group's material. */
const materialNames = ({
  groupNames = [],
  groupMaterials = [],
}: Target): { group?: string; material: string }[] =>
  groupMaterials.map(({ name }, g) => ({ group: groupNames[g], material: name }))

/** Warns of rims and wedges that are left out for what they are made of, and where a target has some but none contributed at any aspect. */
function edgeWarnings(
  { target: { edges } }: RunPlan['target'],
  { edgeScene, facets }: RunPlan['engines'],
  job: RunPlan['job'],
  segments: number,
): string[] {
  if (!edgeScene) return []
  let sharp = 0
  edges.interiorAngle.forEach((angle) => {
    if (angle < edgeScene.maxWedgeAngleDeg) sharp++
  })
  const { materials } = edgeScene
  const dark = materials
    ? darkEdges(
        materials,
        job.bands.flatMap(({ f0, df, n }) => [f0, f0 + (n - 1) * df]),
      )
    : 0
  if (dark > 0)
    return [
      `${dark} edges are bends of sheets that waves pass through, or join them to something else: the result has no edge diffraction of theirs`,
    ]
  if (sharp === 0 || segments > 0 || drawsEdges(facets) || job.groups) return []
  return [
    `none of the ${sharp} rims and wedges of the mesh contributes at these aspects: hidden, unlit or seen end-on; the result has no edge diffraction`,
  ]
}
