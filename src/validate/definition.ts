import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { MaterialsDescription } from '../../formats/index.js'
import { CHANNELS } from '../../rays/index.js'
import { SOLVER_SETTINGS } from '../../run/settings/declarations.js'
import { InputError } from '../../scene/index.js'
import type { LineSeries } from '../../views/figures/node.js'
import type { CurveErrors, Limit } from './errors.js'
/** One comparison of a case: a line of the table. */
export interface Row {
  /** Channel, cut or quantity compared. */
  what: string
  /** What computed it, e.g. `SBR` or `SBR + TW-ILDC + 2nd order`. */
  method: string
  errors: CurveErrors
  limit?: Limit
}

/** One set of axes of a case's figure. */
export interface Panel {
  title: string
  xTitle: string
  /** Default RCS [dBsm]. */
  yTitle?: string
  angular: boolean
  series: LineSeries[]
}

/** What a case's computation gives. */
export interface Outcome {
  rows: Row[]
  panels: Panel[]
  device: string
  /** Note for readers. */
  note?: string
  /** Pictures other than curves, by suffix. */
  pictures?: Record<string, string>
}

/** The errors that a row's limits speak of, with each limit; the rms where it has none. */
export function decisive({
  errors,
  limit,
}: Pick<Row, 'errors' | 'limit'>): { error: number; limit?: number; unit: string }[] {
  const error = limit?.metric === 'max' ? errors.maxDb : errors.rmsDb
  const db = limit && limit.db === undefined ? [] : [{ error, limit: limit?.db, unit: ' dB' }]
  if (limit?.complex === undefined) return db
  return [...db, { error: errors.complex!, limit: limit.complex, unit: ' of ‖F‖' }]
}

/** Whether a row keeps its limits: null where it has none. */
export const rowPasses = (row: Row): boolean | null =>
  row.limit ? decisive(row).every(({ error, limit }) => error <= limit!) : null

/** The limit of a curve by the definition of its case; nothing where it has none. */
export const limitOf = (limits: CurveLimits | undefined): { limit?: Limit } =>
  limits ? { limit: { metric: 'rms', ...limits } } : {}

/** When a case runs: in every run, in runs without --quick, or with --full alone. */
export const LEVELS = ['quick', 'standard', 'full'] as const

const point = z.tuple([z.number(), z.number(), z.number()])

/** Materials as users give them (docs/materials.md): what a materials file holds, and assignments of `--material`. */
const madeOf = {
  materials: z.custom<MaterialsDescription>().optional(),
  material: z.array(z.string()).optional(),
}

const model = z.enum([
  'cube',
  'plate',
  'dihedral',
  'square-trihedral',
  'triangular-trihedral',
  'sphere',
  'strip',
  'trough',
  'bar',
  'thin-box',
  'disc',
  'cylinder',
  'ogive',
  'cone-sphere',
  'screen',
])

const mesh = z.union([
  /** A file beside the definitions. */
  z.strictObject({ file: z.string(), ...madeOf }),
  /** A sample model, perhaps stretched to a box [m]. */
  z.strictObject({ sample: z.string(), fit: point.optional(), ...madeOf }),
  /** A file of the folder given by --data. */
  z.strictObject({ data: z.string() }),
  /** Made in code (meshes.ts) from its sizes [m] and counts. */
  z.strictObject({ model, size: z.array(z.number()), ...madeOf }),
  /** Several of those, each a group of this name, turned about the z axis and then moved [m]. */
  z.strictObject({
    parts: z.array(
      z.strictObject({
        name: z.string(),
        model,
        size: z.array(z.number()),
        turnDeg: z.number().default(0),
        at: point.default([0, 0, 0]),
      }),
    ),
    ...madeOf,
  }),
])

const { method, raysPerWavelength, maxBounces, subdivisions, diffraction, secondOrder } = SOLVER_SETTINGS
const solver = z.strictObject({
  method: method.type.unwrap().optional(),
  raysPerWavelength: raysPerWavelength.type.unwrap().optional(),
  maxBounces: maxBounces.type.unwrap().optional(),
  subdivisions: subdivisions.type.unwrap().optional(),
  onlyBounce: z.number().optional(),
  diffraction: diffraction.type,
  segmentsPerWavelength: z.number().optional(),
  secondOrder: secondOrder.type.unwrap().optional(),
})

const range = z.strictObject({ from: z.number(), to: z.number(), step: z.number().positive() })
const angle = z.union([z.number(), range])

/** Limits of co-polar rows [dB]. */
const channelLimits = z.strictObject({ vv: z.number().optional(), hh: z.number().optional() })
const metric = z.enum(['rms', 'max'])
const limits = z.strictObject({
  metric: metric.default('rms'),
  /** Of the rays alone, and of the whole. */
  sbr: channelLimits.optional(),
  total: channelLimits.optional(),
})

const common = {
  name: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  /** Groups by which it can be selected, e.g. "mom" or "paper-003". */
  tags: z.array(z.string()),
  /** The reference and its source. */
  source: z.string(),
  /** Where its limits come from. */
  basis: z.string(),
  /**
   * Meaning of the limits: `requirement`: independent of this version (a closed form, exactness, another code's figures, a
   * specification); `guard`: a figure of this version or of a prototype of the method, and a margin, which detects changes and claims no accuracy.
   */
  limitsAre: z.enum(['requirement', 'guard']).optional(),
  level: z.enum(LEVELS),
  /** Note for readers. */
  note: z.string().optional(),
}

/** Column of a reference table as an angle: value * scale + offset [degrees]; or the same angle for every row. */
const angleColumn = z.union([
  z.number(),
  z.strictObject({ column: z.string(), scale: z.number().default(1), offset: z.number().default(0) }),
])

const cut = z.strictObject({
  ...common,
  kind: z.literal('cut'),
  mesh,
  freqHz: z.number().positive(),
  solver: solver.default({}),
  reference: z.strictObject({
    file: z.string().optional(),
    data: z.string().optional(),
    label: z.string(),
    theta: angleColumn,
    phi: angleColumn,
    /** Direction to the transmitter of a bistatic cut; theta and phi are the receiver's then. */
    tx: z.strictObject({ theta: angleColumn, phi: angleColumn }).optional(),
    /** Column of each channel's sigma [dB]. */
    sigma: z.strictObject({ vv: z.string().optional(), hh: z.string().optional() }),
    /** Columns of re and im F [m]. */
    amplitudes: z.partialRecord(z.enum(CHANNELS), z.tuple([z.string(), z.string()])).optional(),
    /** The table is two-dimensional, of a profile this long [m]: sigma = 2 L^2 sigma_2D / lambda. */
    lengthM: z.number().optional(),
    /** Take every n-th row. */
    every: z.number().int().default(1),
    /** Rows with another column within these ends. */
    where: z.strictObject({ column: z.string(), from: z.number(), to: z.number() }).optional(),
  }),
  /** Column the curves are drawn over, and its title. */
  x: z.strictObject({ column: z.string(), title: z.string() }),
  floorDb: z.number().default(30),
  withinDb: z.number().optional(),
  /** Parts of the cut, by x, stated separately and excluded from the limit, each with a mechanism of docs/limits.md. */
  apart: z
    .array(
      z.strictObject({
        from: z.number(),
        to: z.number(),
        mechanism: z.string(),
        /** Default both. */
        channels: z.array(z.enum(['vv', 'hh'])).default(['vv', 'hh']),
      }),
    )
    .default([]),
  limits: limits.optional(),
})

const sphereBistatic = z.strictObject({
  ...common,
  kind: z.literal('sphere-bistatic'),
  radius: z.number(),
  levels: z.number(),
  freqHz: z.number(),
  solver: solver.default({}),
  /** Up to each of these bistatic angles [degrees], with the rms limits of V and H. */
  ranges: z.array(z.strictObject({ to: z.number(), vv: z.number().optional(), hh: z.number().optional() })),
})

const sphereBands = z.strictObject({
  ...common,
  kind: z.literal('sphere-bands'),
  levels: z.number(),
  /** ka swept. */
  ka: range,
  bands: z.array(z.strictObject({ from: z.number(), to: z.number(), limit: z.number().optional() })),
})

const peaks = z.strictObject({
  ...common,
  kind: z.literal('peaks'),
  file: z.string(),
  /** Frequency and sizes [wavelengths] taken of the table. */
  freqHz: z.number(),
  wavelengths: z.tuple([z.number(), z.number()]),
  shapes: z.array(
    z.strictObject({
      /** Name in the table. */
      target: z.string(),
      model: z.enum(['plate', 'dihedral', 'square-trihedral', 'triangular-trihedral']),
      bounce: z.number(),
      theta: z.number(),
      phi: z.number(),
    }),
  ),
  limit: z.number(),
})

const invariant = z.strictObject({
  ...common,
  kind: z.literal('invariant'),
  check: z.enum([
    'scaling',
    'rotation-z',
    'rotation',
    'reciprocity',
    'bistatic-reciprocity',
    'density',
    'segments',
  ]),
  mesh,
  freqHz: z.number(),
  theta: angle,
  phi: angle,
  /** Receiver, for the bistatic check. */
  rx: z.strictObject({ theta: z.number(), phi: z.number() }).optional(),
  /** Scale, angle of rotation [degrees], or tubes (segments) per wavelength compared with the last of them. */
  values: z.array(z.number()).default([]),
  /** Holds in double precision only: SBR runs on the cpu whatever the requested device. */
  double: z.boolean().default(false),
  limit: z.number().optional(),
  metric: metric.default('rms'),
})

const energy = z.strictObject({
  ...common,
  kind: z.literal('energy'),
  mesh,
  freqHz: z.number(),
  /** Area that meets the wave [m^2]. */
  area: z.number(),
  step: z.tuple([z.number(), z.number()]),
  limits: z.strictObject({ extinction: z.number().optional(), scattered: z.number().optional() }),
})

const run = z.strictObject({
  ...common,
  kind: z.literal('run'),
  mesh,
  freqHz: z.number(),
  theta: angle,
  phi: angle,
  solver: solver.default({}),
  channels: z.array(z.enum(['vv', 'hh'])),
  /** Also computes physical optics of the first bounce alone, to compare with. */
  po: z.boolean().default(false),
  /** The cut is its own mirror image, read backwards; its limit [dB rms]. */
  mirror: z.number().optional(),
})

const image = z.strictObject({
  ...common,
  kind: z.literal('image'),
  mesh,
  thetaDeg: z.number(),
  phiDeg: z.number(),
  centreHz: z.number(),
  resolutionM: z.number(),
  dynamicRangeDb: z.number().default(50),
})

/** Largest rms difference [dB], or where set complex error |dF|/|F|, of each channel. */
const curveLimits = z.strictObject({ db: z.number().optional(), complex: z.number().optional() })

const profile = z.strictObject({
  ...common,
  kind: z.literal('profile'),
  /** A body of one profile, `lengthM` along z: the middle cut of a two-dimensional one. The wavelength is 1 m. */
  mesh,
  lengthM: z.number(),
  xTitle: z.string().default('φ from the plane [deg]'),
  solver: solver.default({}),
  /** Tables of P by angle from the x axis, TM (E along z: V) and TE (H). */
  cuts: z.array(
    z.strictObject({
      title: z.string(),
      file: z.string(),
      bistatic: z.boolean().default(false),
      from: z.number(),
      to: z.number(),
      every: z.number().int().default(1),
      limits: z.strictObject({ vv: curveLimits.optional(), hh: curveLimits.optional() }).default({}),
    }),
  ),
})

const layeredSphere = z.strictObject({
  ...common,
  kind: z.literal('layered-sphere'),
  /** Of the whole sphere, with thicknesses in wavelengths: the wavelength is 1 m and the sphere's radius ka / 2 pi. */
  materials: z.custom<MaterialsDescription>(),
  material: z.string(),
  solver: solver.default({}),
  /** Its tables `FILE_mono.csv` and `FILE_bistatic_ka60.csv`. */
  file: z.string(),
  ka: range,
  /** Limits of the band mean and of the rms over ka [dB]. */
  limits: z.strictObject({ mean: z.number().optional(), rms: z.number().optional() }).default({}),
  /** Ranges of the angle from forward scattering [degrees] at ka 60, with limits of the rms in both planes [dB]. */
  bistatic: z.array(z.strictObject({ from: z.number(), to: z.number(), limit: z.number().optional() })),
})

const faces = z.strictObject({
  ...common,
  kind: z.literal('faces'),
  mesh,
  solver: solver.default({}),
  /** The material of all faces, by name. */
  surface: z.string(),
  /** Upright rectangles: azimuth of the normal [degrees], distance from the origin along it, width and height [m]. */
  faces: z.array(
    z.strictObject({
      normalDeg: z.number(),
      distanceM: z.number(),
      widthM: z.number(),
      heightM: z.number(),
    }),
  ),
  /** A cut over phi at theta = 90, or one direction over frequency. */
  phi: angle,
  freqHz: angle,
  floorDb: z.number().default(30),
  limits: z.strictObject({ vv: curveLimits, hh: curveLimits }),
})

const behindSheet = z.strictObject({
  ...common,
  kind: z.literal('behind-sheet'),
  mesh,
  solver: solver.default({}),
  freqHz: z.number(),
  /** Name of the part that is the sheet, of its material, and direction of its normal [degrees]; the cut is in its plane phi. */
  sheet: z.strictObject({ part: z.string(), surface: z.string(), thetaDeg: z.number(), phiDeg: z.number() }),
  theta: range,
  /** Closed form of the bare target [dBsm] at one angle theta, and the limit of the covered one's difference from it times T^2. */
  peak: z.strictObject({ thetaDeg: z.number(), dbsm: z.number(), limit: z.number().optional() }),
  limits: z.strictObject({ vv: curveLimits, hh: curveLimits }),
})

const definition = z.discriminatedUnion('kind', [
  cut,
  sphereBistatic,
  sphereBands,
  peaks,
  invariant,
  energy,
  run,
  image,
  profile,
  layeredSphere,
  faces,
  behindSheet,
])

export type MeshDefinition = z.infer<typeof mesh>
/** A case, with the group that it belongs to: its file's name without number and ending. */
export type Definition = z.infer<typeof definition> & { group: string }
export type DefinitionOf<K extends Definition['kind']> = Extract<Definition, { kind: K }>
type Angle = z.infer<typeof angle>
type CurveLimits = z.infer<typeof curveLimits>

/** The cases of a folder's JSON files, in the files' order. @throws Error for a definition that does not fit */
export function readDefinitions(folder: string): Definition[] {
  const all = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort((a, b) => parseInt(a) - parseInt(b))
    .flatMap((file) => {
      const parsed = z.array(definition).safeParse(JSON.parse(readFileSync(join(folder, file), 'utf8')))
      const group = file.replace(/^\d+-|\.json$/g, '')
      if (parsed.success) return parsed.data.map((d) => ({ ...d, group }))
      const { path, message } = parsed.error.issues[0]
      throw new Error(`${join(folder, file)}, ${path.join('.')}: ${message}`)
    })
  const names = new Set<string>()
  for (const { name } of all) {
    if (names.has(name)) throw new Error(`two validation cases are called ${name}`)
    names.add(name)
  }
  return all
}

/** Whether a case needs files that the package may not ship. */
export const needsData = (d: Definition): boolean =>
  ('mesh' in d && 'data' in d.mesh) || (d.kind === 'cut' && d.reference.data !== undefined)

/** Angles of a range, or the one angle [degrees]. */
export function angles(a: Angle): number[] {
  if (typeof a === 'number') return [a]
  const n = Math.floor((a.to - a.from) / a.step + 1e-9) + 1
  return Array.from({ length: n }, (_, i) => a.from + i * a.step)
}

/** A table of numbers by column name. */
export interface Columns {
  path: string
  rows: number
  /** @throws InputError naming the file where it has no such column */
  column: (name: string) => Float64Array
  /** A column as text. */
  texts: (name: string) => string[]
}

/** Reads a CSV file with one head line; lines that begin with # are comments. @throws InputError */
export function readColumns(path: string): Columns {
  if (!existsSync(path)) throw new InputError(`${path} is missing; is the reference data complete?`)
  const [head, ...lines] = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => line.split(','))
  const at = (name: string): number => {
    const index = head.indexOf(name)
    if (index < 0) throw new InputError(`${path}: no column ${name}; it has ${head.join(', ')}`)
    return index
  }
  return {
    path,
    rows: lines.length,
    column: (name) => {
      const index = at(name)
      return Float64Array.from(lines, (cells, i) => {
        const value = Number(cells[index])
        if (cells[index] === undefined || !Number.isFinite(value))
          throw new InputError(`${path}: row ${i + 1} of column ${name} is not a number`)
        return value
      })
    },
    texts: (name) => lines.map((cells) => cells[at(name)]),
  }
}
