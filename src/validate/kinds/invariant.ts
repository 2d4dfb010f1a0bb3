import {
  type Aspect,
  C0,
  direction,
  type Direction,
  dot,
  type Mesh,
  type Vec3,
} from '../../../scene/index.js'
import { type AspectField } from '../../../rays/index.js'
import { angles, type DefinitionOf, limitOf, type Outcome, readColumns, type Row } from '../definition.js'
import { complexError, dbErrors, decibels, ZERO_DB } from '../errors.js'
import { definedMesh, type Folders, targetOf } from '../meshes.js'
import { amplitudesOf, curveOf, type Machine, solve, type SolverSettings, WHOLE } from '../solve.js'
import { join } from 'node:path'
import { channelMatrix } from '../../../formats/rcs-table.js'
import { formImage, planSweep } from '../../../isar/index.js'
import { imageDbsm, imageSvg, imageTitle, type LineSeries } from '../../../views/figures/node.js'

type Invariant = DefinitionOf<'invariant'>

/** A curve and what it must be equal to, or would be with ever finer tubes. */
interface Pair {
  what: string
  /** Of either curve in the figure. */
  names: [string, string]
  x: number[]
  ours: AspectField[]
  other: AspectField[]
  limited: boolean
}

/** Runs a target twice in ways that physics has give the same result. */
export async function runInvariant(d: Invariant, folders: Folders, machine: Machine): Promise<Outcome> {
  const mesh = await definedMesh(d.mesh, folders)
  const [theta, phi] = [angles(d.theta), angles(d.phi)]
  const aspects = theta.flatMap((t) => phi.map((p) => direction(t, p)))
  const x = theta.length > 1 ? theta : phi
  let device = ''
  const fields = async (
    shape: Mesh,
    directions: Aspect[],
    freqHz = d.freqHz,
    settings: SolverSettings = {},
  ): Promise<AspectField[]> => {
    const band = { f0: freqHz, df: 0, n: 1 }
    const solved = await solve(targetOf(shape, d.name), directions, band, machine, settings)
    device = solved.device
    return solved.total
  }
  const mono = (r: Direction): Aspect => ({ tx: r, rx: r })
  const monostatic = aspects.map(mono)
  const pairs: Pair[] = []
  const add = (
    what: string,
    ours: AspectField[],
    other: AspectField[],
    limited = true,
    names: [string, string] = [what, 'as given'],
  ): void => {
    pairs.push({ what, names, x, ours, other, limited })
  }
  if (d.check === 'scaling') {
    const base = await fields(mesh, monostatic)
    for (const s of d.values) {
      const scaled = await fields(
        { ...mesh, positions: mesh.positions.map((v) => s * v) },
        monostatic,
        d.freqHz / s,
      )
      add(
        `scaled by ${s}`,
        scaled.map((f) => f.map((v) => v / s)),
        base,
      )
    }
  } else if (d.check === 'rotation-z' || d.check === 'rotation') {
    const base = await fields(mesh, monostatic)
    const rotate = d.check === 'rotation-z' ? aboutZ(d.values[0]) : compose(d.values)
    const rotatedMesh = { ...mesh, positions: rotated(mesh.positions, rotate) }
    const seen = aspects.map((a) => towards(rotate(a.r)))
    const there = await fields(rotatedMesh, seen.map(mono))
    add(
      d.check === 'rotation-z' ? `rotated by ${d.values[0]}° about z` : 'rotated about x, y and z',
      there.map((f, i) => inBasis(f, seen[i], rotate(aspects[i].thetaHat), rotate(aspects[i].phiHat))),
      base,
    )
  } else if (d.check === 'reciprocity') {
    const written = await fields(mesh, monostatic)
    const raw = await fields(mesh, monostatic, d.freqHz, { raw: true })
    add('F_hv against F_vh', written, written)
    add('F_hv against F_vh, before they are averaged', raw, raw, false)
  } else if (d.check === 'bistatic-reciprocity') {
    const rx = direction(d.rx!.theta, d.rx!.phi)
    const there = await fields(
      mesh,
      aspects.map((tx) => ({ tx, rx })),
    )
    const back = await fields(
      mesh,
      aspects.map((r) => ({ tx: rx, rx: r })),
    )
    add('transmitter and receiver exchanged', back, there)
  } else {
    const key = d.check === 'density' ? 'raysPerWavelength' : 'segmentsPerWavelength'
    const runs: AspectField[][] = []
    for (const value of d.values)
      runs.push(
        await fields(mesh, monostatic, d.freqHz, {
          [key]: value,
          ...(key === 'raysPerWavelength' ? { diffraction: 'none' } : {}),
        }),
      )
    const last = d.values.length - 1
    const unit = d.check === 'density' ? 'tubes' : 'segments'
    const named = (n: number): string => `${n} ${n === 1 ? unit.slice(0, -1) : unit} per wavelength`
    d.values.slice(0, last).forEach((value, i) => {
      const what = `${value} ${unit} per wavelength against ${d.values[last]}`
      add(what, runs[i], runs[last], i === last - 1, [named(value), named(d.values[last])])
    })
  }
  const rows = pairs.flatMap((pair) => pairRows(d, pair))
  const panels = pairs.slice(0, 1).flatMap(({ ours, other, names }) =>
    (['vv', 'hh'] as const).map((channel) => ({
      title: channel.toUpperCase(),
      xTitle: theta.length > 1 ? 'θ [deg]' : 'φ [deg]',
      angular: true,
      series: [
        { name: names[0], x, y: curveOf(ours, channel) as ArrayLike<number> },
        { name: names[1], x, y: curveOf(other, channel), style: 'points' as const },
      ],
    })),
  )
  return { rows, panels: d.check === 'reciprocity' ? [] : panels, device }
}

function pairRows(d: Invariant, { what, ours, other, limited }: Pair): Row[] {
  const limit = limited && d.limit !== undefined ? { metric: d.metric, db: d.limit } : undefined
  const of = (a: 'vv' | 'hh' | 'hv', b: 'vv' | 'hh' | 'vh'): Row => {
    const [mine, theirs] = [curveOf(ours, a), curveOf(other, b)]
    return {
      what: d.check === 'reciprocity' ? what : `${a.toUpperCase()}, ${what}`,
      method: d.check === 'density' ? 'SBR' : WHOLE,
      errors: {
        ...dbErrors(mine, theirs),
        ...(theirs.some((v) => v > ZERO_DB)
          ? { complex: complexError(amplitudesOf(ours, a), amplitudesOf(other, b)) }
          : {}),
      },
      ...(limit ? { limit } : {}),
    }
  }
  if (d.check === 'reciprocity') return [of('hv', 'vh')]
  const same = [of('vv', 'vv'), of('hh', 'hh')]
  // VH there is HV back.
  return d.check === 'bistatic-reciprocity' ? [...same, of('hv', 'vh')] : same
}

type Rotation = (v: Vec3) => Vec3

function aboutZ(deg: number): Rotation {
  const [c, s] = [Math.cos((deg * Math.PI) / 180), Math.sin((deg * Math.PI) / 180)]
  return ([x, y, z]) => [c * x - s * y, s * x + c * y, z]
}

/** Rotation by three angles about x, y and z, in this order. */
function compose([ax, ay, az]: number[]): Rotation {
  const forth: Rotation = ([a, b, c]) => [b, c, a]
  const back: Rotation = ([a, b, c]) => [c, a, b]
  const aboutX: Rotation = (v) => back(aboutZ(ax)(forth(v)))
  const aboutY: Rotation = (v) => forth(aboutZ(ay)(back(v)))
  return (v) => aboutZ(az)(aboutY(aboutX(v)))
}

function rotated(positions: Float64Array, rotate: Rotation): Float64Array {
  const out = new Float64Array(positions.length)
  for (let i = 0; i < positions.length; i += 3)
    out.set(rotate([positions[i], positions[i + 1], positions[i + 2]]), i)
  return out
}

const towards = ([x, y, z]: Vec3): Direction =>
  direction((Math.atan2(Math.hypot(x, y), z) * 180) / Math.PI, (Math.atan2(y, x) * 180) / Math.PI)

/** A monostatic field in the basis v, h instead of that of its direction. */
function inBasis(field: AspectField, at: Direction, v: Vec3, h: Vec3): AspectField {
  const t = [at.thetaHat, at.phiHat]
  const out = new Float64Array(8)
  const from = [0, 4, 6, 2]
  ;[v, h].forEach((a, transmit) =>
    [v, h].forEach((b, receive) => {
      const to = from[2 * transmit + receive]
      for (let p = 0; p < 2; p++)
        for (let q = 0; q < 2; q++) {
          const weight = dot(a, t[p]) * dot(b, t[q])
          out[to] += weight * field[from[2 * p + q]]
          out[to + 1] += weight * field[from[2 * p + q] + 1]
        }
    }),
  )
  return out
}

/** Name and columns of a channel, and the sign of F of P: H of a wave from phi has the direction -phi-hat times E, of one to phi the other. */
const POLARISATIONS = {
  vv: { title: 'VV (TM)', columns: ['P_tm_re', 'P_tm_im'], sign: 1 },
  hh: { title: 'HH (TE)', columns: ['P_te_re', 'P_te_im'], sign: -1 },
} as const

/**
 * The middle cut of a plate whose length l lies along z, against two-dimensional solutions P of the same profile, amplitude and phase:
 * F = (j / pi) P l, of physical optics for any length, and with edges where those across the ends are small beside it; sigma_2D = (4 / k)|P|^2.
 * The wavelength is 1 m. Without edges (the default here) the limits hold for the rays, with edges for the whole.
 */
export async function runProfile(
  d: DefinitionOf<'profile'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
  const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
  const outcome: Outcome = { rows: [], panels: [], device: '' }
  for (const cut of d.cuts) {
    const table = readColumns(join(folders.validation, cut.file))
    const phi = table.column(cut.bistatic ? 'phi_obs_deg' : 'phi_deg')
    const from = cut.bistatic ? table.column('phi_inc_deg') : phi
    const rows = Array.from(phi.keys())
      .filter((i) => phi[i] >= cut.from && phi[i] <= cut.to)
      .filter((_, i) => i % cut.every === 0)
    const aspects = rows.map((i) => ({ tx: direction(90, from[i]), rx: direction(90, phi[i]) }))
    const solved = await solve(loaded, aspects, { f0: C0, df: 0, n: 1 }, machine, {
      diffraction: 'none',
      ...d.solver,
    })
    outcome.device = solved.device
    const methods = [{ name: 'SBR', fields: solved.sbr }]
    if (solved.edges) {
      methods.push({ name: solved.whole, fields: solved.total })
      outcome.note = `The profile is ${d.lengthM} wavelengths long, and the edges across its ends count.`
    }
    for (const channel of ['vv', 'hh'] as const) {
      const { title, columns, sign } = POLARISATIONS[channel]
      const [re, im] = columns.map(table.column)
      const scale = (sign * d.lengthM) / Math.PI
      const expected = Float64Array.from(rows.flatMap((i) => [-scale * im[i], scale * re[i]]))
      const sigma = (f: Float64Array): number[] =>
        rows.map((_, i) => decibels((2 * Math.PI * (f[2 * i] ** 2 + f[2 * i + 1] ** 2)) / d.lengthM ** 2))
      const reference = sigma(expected)
      const x = rows.map((i) => phi[i])
      const what = `${title}, ${cut.title}`
      const series = methods.map(({ name, fields }, m): LineSeries => {
        const ours = amplitudesOf(fields, channel)
        const y = sigma(ours)
        outcome.rows.push({
          what,
          method: name,
          errors: { ...dbErrors(y, reference), complex: complexError(ours, expected) },
          ...(m === methods.length - 1 ? limitOf(cut.limits[channel]) : {}),
        })
        return { name, x, y, style: m === methods.length - 1 ? 'line' : 'dashed' }
      })
      outcome.panels.push({
        title: what,
        xTitle: d.xTitle,
        yTitle: 'σ (2-D) / λ [dB]',
        angular: true,
        series: [...series.reverse(), { name: 'method of moments', x, y: reference, style: 'points' }],
      })
    }
  }
  return outcome
}

/** ISAR images in VV, of the rays alone and with edges, and by how much their levels differ. */
export async function runImage(
  d: DefinitionOf<'image'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
  const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
  const plan = planSweep({
    points: loaded.target.positions,
    thetaDeg: d.thetaDeg,
    phiDeg: d.phiDeg,
    resolution: { rangeM: d.resolutionM, centreHz: d.centreHz },
  })
  const { freqHz } = plan
  const n = freqHz.length
  const aspects = Array.from(plan.phiDeg, (phi) => {
    const r = direction(d.thetaDeg, phi)
    return { tx: r, rx: r }
  })
  const band = { f0: freqHz[0], df: freqHz[1] - freqHz[0], n }
  const solved = await solve(loaded, aspects, band, machine)
  const pictures: Record<string, string> = {}
  const levels: Float64Array[] = []
  let top: number | undefined
  for (const [suffix, name, fields] of [
    ['edges', solved.whole, solved.total],
    ['sbr', 'SBR', solved.sbr],
  ] as const) {
    const f = channelMatrix(fields, n, 'vv')
    const image = formImage({ ...plan, f }, { ...plan.window, window: 'hamming', polarFormat: true })
    const dbsm = imageDbsm(image.image)
    // Both on the scale of the first, so that they compare.
    top ??= dbsm.reduce((a, b) => Math.max(a, b))
    levels.push(Float64Array.from(dbsm))
    const aspect = { thetaDeg: d.thetaDeg, phiDeg: d.phiDeg }
    const title = imageTitle({
      name: `${d.title}, ${name}`,
      channel: 'vv',
      ...aspect,
      f0: freqHz[0],
      f1: freqHz[n - 1],
      apertureDeg: plan.apertureDeg,
      rangeResolutionM: plan.rangeResolutionM,
      crossRangeResolutionM: plan.crossRangeResolutionM,
      window: 'hamming',
    })
    pictures[suffix] = imageSvg({
      ...image,
      ...title,
      aspect,
      dynamicRangeDb: d.dynamicRangeDb,
      maxDbsm: top,
    })
  }
  const [whole, rays] = levels
  return {
    rows: [
      {
        what: `pixels, VV, against ${solved.whole}`,
        method: 'SBR',
        errors: dbErrors(rays, whole, { floorDb: d.dynamicRangeDb, withinDb: d.dynamicRangeDb }),
      },
    ],
    panels: [],
    pictures,
    device: solved.device,
    note: `${aspects.length} aspects x ${n} frequencies.`,
  }
}
