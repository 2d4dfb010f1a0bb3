import { z } from 'zod'
import { parseJson } from '../formats/described-json.js'
import { type FieldUnit, parseFrequencies } from '../formats/expression.js'
import { expressionsIn, point, positiveQuantity, quantity } from '../formats/materials-schema.js'
import { WINDOWS } from '../isar/index.js'
import { CHANNELS } from '../rays/index.js'
import { didYouMean, InputError, UNITS } from '../scene/index.js'

/** A length, angle or frequency; above 0; 0 or more: a number in this unit or a text with one. */
const measure = (unit: FieldUnit, text: string) => quantity(unit).describe(text)
const sizeMeasure = (unit: FieldUnit, text: string) => quantity(unit, z.number().min(0)).describe(text)
/** Largest count; the plan limits the products of counts. */
const MOST = 1_000_000
export const count = (text: string) => z.number().int().min(1).max(MOST).describe(text)
export const frequency = (text: string) => z.union([z.number(), z.string()]).describe(text)
/** Refuses what is no frequency, or frequencies; the last unit is that of those before it. */
export function areFrequencies(value: unknown, context: z.RefinementCtx): void {
  try {
    parseFrequencies([value].flat().map(String), '')
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    context.addIssue({ code: 'custom', message: error.message.replace(/^: /, '') })
  }
}

/** Names of classes, targets, datasets and parts. */
const plainName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)

const angles = (what: string) =>
  z
    .union([
      z.array(quantity('deg')).min(1),
      z.strictObject({
        from: measure('deg', 'first angle [degrees]'),
        to: measure('deg', 'last angle, included unless it completes 360 degrees [degrees]'),
        step: positiveQuantity('deg', 'step [degrees]'),
      }),
      z.strictObject({
        from: measure('deg', 'lowest angle [degrees]'),
        to: measure('deg', 'highest angle [degrees]'),
        count: count('how many angles, uniformly distributed at random'),
      }),
    ])
    .describe(`${what}: a list, {"from", "to", "step"}, or {"from", "to", "count"} at random [degrees]`)

/** Parts in which a dataset is divided. */
export type Splits = Omit<z.infer<typeof splits>, 'parts'> & { parts: Record<string, number> }

/** The splits with their parts, which may be those of `assign`; none where neither says them. */
export const withParts = (given: z.infer<typeof splits>): Splits => ({
  ...given,
  parts: given.parts ?? Object.fromEntries(Object.keys(given.assign ?? {}).map((part) => [part, 1])),
})

/** What is wrong with splits whose parts are none. */
export const NO_PARTS = 'is missing; give names and shares, like {"train": 0.8, "test": 0.2}, or assign'

const splits = z
  .strictObject({
    by: z
      .enum(['azimuth', 'elevation', 'target', 'copy'])
      .describe('what is assigned to one part as a whole: blocks of azimuth, elevations, targets or copies'),
    parts: z
      .record(plainName, z.number().positive())
      .optional()
      .describe('names and shares, like {"train": 0.8, "test": 0.2}; those of assign where absent'),
    blockDeg: quantity('deg', z.number().positive().min(0.1))
      .describe('width of the blocks of azimuth [degrees]')
      .default(30),
    assign: z
      .record(plainName, z.array(z.union([z.string(), z.number()])))
      .optional()
      .describe('instead of random assignment: the elevations, target names or copies of each part'),
  })
  .describe('parts that share no aspect, elevation, target or copy')

/** Keys of a target that are the same in all datasets. */
export const TARGET_KEYS = {
  label: plainName.describe('class: letters, digits, dot, dash and underscore'),
  name: (text: string) => plainName.optional().describe(text),
  materials: z.string().optional().describe('materials file, relative to this file'),
}

/** Keys that are the same in all datasets. */
export const KEYS = {
  $schema: z.string().optional().describe('this schema, for help in editors'),
  name: plainName.describe('name of the dataset: letters, digits, dot, dash and underscore'),
  description: z.string().optional().describe('a sentence for the dataset card'),
  seed: z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('seed of all random numbers'),
  aspects: z
    .strictObject({
      azimuth: angles('azimuths of the radar, from the target’s +x towards +y'),
      elevation: angles('elevations of the radar above the xy plane'),
    })
    .describe('where the radar is'),
  channels: z.array(z.enum(CHANNELS)).min(1).default(['vv']).describe('transmit, receive'),
  splits: splits.optional(),
  solver: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe('options of the solver by their names on the command line, like {"rays-per-wavelength": 6}'),
}

const TRACES = ['own', 'shared'] as const
const LABELS = ['layers', 'centres', 'mask', 'lit', 'clean', 'free', 'facets', 'convergence'] as const
const CHIP_FORMATS = ['npz', 'hdf5', 'mat', 'webdataset', 'sample', 'mstar', 'png', 'magnitude'] as const
const FORMATS = [...CHIP_FORMATS, 'cvdomes'] as const
export type Format = (typeof FORMATS)[number]

const number = (text: string) => z.number().describe(text)
const positive = (text: string) => z.number().positive().describe(text)
const notNegative = (text: string) => z.number().min(0).describe(text)

const length = quantity('m', z.number().positive())

const articulation = z
  .strictObject({
    mesh: z.string().optional().describe('mesh file of the rotating part, relative to this file'),
    group: z.string().optional().describe('or the name of a group (object) of the target’s own file'),
    pivot: point('m', 'point of the axis [m]'),
    axis: point('', 'direction of the axis; positive angles by the right-hand rule'),
    anglesDeg: z
      .array(quantity('deg'))
      .min(1)
      .max(10_000)
      .describe('angles of the part, one dataset state each [degrees]'),
  })
  .describe('a rotating part')

const target = z
  .strictObject({
    label: TARGET_KEYS.label,
    name: TARGET_KEYS.name('name of this target where a class has several; the mesh file’s by default'),
    mesh: z.string().describe('mesh file, relative to this file'),
    materials: TARGET_KEYS.materials,
    material: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('materials of groups, "GROUP=NAME", or "NAME" for all other facets'),
    units: z
      .enum(Object.keys(UNITS) as [string, ...string[]])
      .default('m')
      .describe('unit of the mesh file'),
    scale: positive('factor on the size').default(1),
    yawDeg: measure('deg', 'rotation about z, so that the target’s front is at azimuth 0 [degrees]').default(
      0,
    ),
    centre: point(
      'm',
      'point of the target that images are centred at [m]; the middle of its box by default',
    ).optional(),
    articulation: articulation.optional(),
  })
  .describe('a target')

const copies = z
  .strictObject({
    count: count('perturbed copies of every target').default(1),
    scale: notNegative('standard deviation of the size, relative').max(0.3).default(0),
    facetM: sizeMeasure('m', 'standard deviation of vertices along their normals [m]').default(0),
    tiltDeg: sizeMeasure('deg', 'standard deviation of roll and of pitch [degrees]').default(0),
    thickness: notNegative('standard deviation of the thickness of each layer of a material, relative')
      .max(0.3)
      .optional(),
    permittivity: notNegative('standard deviation of the permittivity of each layer and half-space, relative')
      .max(0.3)
      .optional(),
  })
  .describe('random perturbation of meshes and materials')

const radar = z
  .strictObject({
    centreHz: frequency('centre frequency [Hz, or a text like "10 GHz"], with resolutionM')
      .superRefine(areFrequencies)
      .optional(),
    resolutionM: z
      .union([length, z.tuple([length, length])])
      .optional()
      .describe('resolution in range and cross-range [m]'),
    band: z
      .tuple([z.union([z.number(), z.string()]), z.union([z.number(), z.string()])])
      .superRefine(areFrequencies)
      .optional()
      .describe('lowest and highest frequency [Hz], instead of centreHz and resolutionM'),
    apertureDeg: quantity('deg', z.number().positive().max(90))
      .describe('span of the aspects of an image in azimuth [degrees]')
      .optional(),
    geometry: z
      .enum(['turntable', 'sar'])
      .default('turntable')
      .describe('how the aspects lie: at one elevation, or as from a straight level path'),
    squintDeg: quantity('deg', z.number().min(-60).max(60))
      .default(0)
      .describe('line of sight ahead of broadside, with sar [degrees]'),
    frequencies: count('number of frequencies; from the size of image and targets by default').optional(),
    angles: count('number of aspects of an image; from the size of image and targets by default').optional(),
  })
  .describe('band and aperture')

const image = z
  .strictObject({
    size: z
      .tuple([z.number().int().min(8).max(4096), z.number().int().min(8).max(4096)])
      .default([128, 128])
      .describe('rows (range) and columns (cross-range)'),
    spacingM: z
      .union([length, z.tuple([length, length])])
      .optional()
      .describe('pixel spacing in range and cross-range [m]; two thirds of the resolution by default'),
    window: z.enum(WINDOWS).default('taylor').describe('spectral window'),
    plane: z
      .enum(['slant', 'ground'])
      .default('slant')
      .describe('spacing in range along the line of sight, or on the ground'),
    polarFormat: z.boolean().default(true).describe('focus by polar format'),
  })
  .prefault({})
  .describe('the images')

const nuisance = z
  .strictObject({
    snrDb: number('thermal noise: brightest pixel over mean noise power [dB]').optional(),
    clutter: z
      .strictObject({
        levelDbsm: number('mean RCS of clutter in a pixel [dBsm]'),
        shape: positive('shape of the K distribution; small is spiky').default(2),
        correlationM: positiveQuantity('m', 'length over which the texture varies [m]').default(1),
        crossPolDb: number('cross-polarised below co-polarised clutter [dB]').default(8),
      })
      .optional()
      .describe('K-distributed clutter'),
    phase: z
      .strictObject({
        quadraticDeg: sizeMeasure(
          'deg',
          'largest quadratic phase at the ends of the aperture [degrees]',
        ).default(0),
        walkDeg: sizeMeasure(
          'deg',
          'standard deviation of a random walk over the aperture [degrees]',
        ).default(0),
        whiteDeg: sizeMeasure('deg', 'standard deviation from aspect to aspect [degrees]').default(0),
      })
      .optional()
      .describe('phase errors over the aperture'),
    vibration: z
      .strictObject({
        amplitudeM: sizeMeasure('m', 'largest amplitude along the line of sight [m]'),
        cycles: positive('cycles over the aperture'),
      })
      .optional()
      .describe('vibration of the target'),
    noiseSigma0Db: number(
      'thermal noise as the backscatter coefficient of ground as bright as it [dB]',
    ).optional(),
    centreErrorM: sizeMeasure(
      'm',
      'standard deviation of the position of the rotation’s centre [m]',
    ).optional(),
    dropout: z
      .strictObject({
        fraction: notNegative('part of the aspects lost').max(0.9),
        blocks: count('pieces in which they are lost').default(1),
      })
      .optional()
      .describe('lost parts of the aperture'),
  })
  .prefault({})
  .describe('effects of real measurements')

const ground = z
  .strictObject({
    heightM: measure(
      'm',
      'height of the ground in the target’s coordinates [m]; the target’s lowest point by default',
    ).optional(),
    surface: z
      .discriminatedUnion('model', [
        z.strictObject({
          model: z.literal('soil').describe('bare soil, Oh et al. (1992)'),
          epsReal: z.number().min(1).max(100).describe('relative permittivity'),
          epsImag: notNegative('its loss, positive').default(0),
          rmsHeightM: positiveQuantity('m', 'rms height of the roughness [m]'),
        }),
        z.strictObject({
          model: z.literal('sea').describe('sea, Gregers-Hansen and Mital (2012)'),
          seaState: z.number().min(0).max(6).describe('Douglas sea state'),
        }),
        z.strictObject({
          model: z.literal('gamma').describe('sigma0 = gamma times the sine of the depression'),
          gammaDb: number('gamma [dB]'),
          crossPolDb: number('cross-polarised below co-polarised clutter [dB]').default(8),
        }),
      ])
      .describe('backscatter coefficient: {"model": "soil" | "sea" | "gamma", ...}'),
    shape: positive('shape of the K distribution; small is spiky').default(10),
    correlationM: positiveQuantity('m', 'length on the ground over which the texture varies [m]').default(1),
    waves: z
      .union([
        z.boolean(),
        z.strictObject({
          material: z.string().describe('pec, or a medium of isar materials list'),
          rmsHeightM: sizeMeasure('m', 'rms height of the ground [m]').default(0),
        }),
      ])
      .default(false)
      .describe(
        'waves reflected between target and ground: true, by the permittivity and rms height of soil or sea; or by {"material", "rmsHeightM"}',
      ),
  })
  .describe('flat ground under the target: its clutter, and the target’s shadow on it')

export const datasetSchema = z.strictObject({
  $schema: KEYS.$schema,
  name: KEYS.name,
  description: KEYS.description,
  seed: KEYS.seed,
  product: z
    .enum(['chips', 'history'])
    .default('chips')
    .describe('images, or frequency-aspect data of whole sweeps'),
  targets: z.array(target).min(1).describe('what is imaged'),
  aspects: KEYS.aspects,
  jitter: z
    .strictObject({
      azimuthDeg: sizeMeasure('deg', 'largest change of the azimuth [degrees]').default(0),
      elevationDeg: sizeMeasure('deg', 'largest change of the elevation [degrees]').default(0),
      offsetM: sizeMeasure('m', 'largest shift of the target in range and cross-range [m]').default(0),
    })
    .prefault({})
    .describe('random change of every pose'),
  copies: copies.prefault({}),
  radar,
  image,
  channels: KEYS.channels,
  trace: z
    .enum(TRACES)
    .default('own')
    .describe(
      'own: every aspect for its own image; shared: images of an elevation share the aspects of one sweep',
    ),
  realisations: count('draws of the nuisances for every image').default(1),
  ground: ground.optional(),
  nuisance,
  splits: KEYS.splits,
  labels: z.array(z.enum(LABELS)).default([]).describe('what is written beside each image'),
  centres: z
    .strictObject({
      count: count('most scattering centres of an image').max(1000).default(32),
      floorDb: positive('level below the brightest at which the search ends [dB]').default(35),
    })
    .prefault({})
    .describe('scattering centres, where wanted'),
  formats: z.array(z.enum(FORMATS)).min(1).default(['npz']).describe('how the data are written'),
  shardChips: count('images in a file').max(65536).default(64),
  solver: KEYS.solver,
})

/** A dataset's configuration with its defaults filled in. */
export interface DatasetConfig extends Omit<z.infer<typeof datasetSchema>, 'splits'> {
  splits?: Splits
  /** What the file has as text with units, by place; absent where all are plain numbers. */
  expressions?: Record<string, string>
}
export type TargetConfig = DatasetConfig['targets'][number]

let jsonSchema: Record<string, unknown> | null = null
/** The schema as JSON Schema; `solver` is any record here, refined in `solver-settings.ts`. */
export const configJsonSchema = (): Record<string, unknown> =>
  (jsonSchema ??= z.toJSONSchema(datasetSchema, { io: 'input' }) as Record<string, unknown>)

/**
 * Reads a configuration's text. @param name  of the file, for messages
 * @throws InputError naming the position and what is expected there
 */
export function parseDatasetConfig(text: string, name: string): DatasetConfig {
  const raw = parseJson(text, name)
  const result = datasetSchema.safeParse(raw, { reportInput: true })
  if (!result.success) {
    const { issues } = result.error
    // A missing key may be present but misspelt: that is said first, and once.
    const misspelt = issues.filter(meantBy)
    const others = issues.filter(
      (issue) =>
        !misspelt.includes(issue) &&
        !misspelt.some((one) => meantBy(one).includes(`mean ${String(issue.path.at(-1))}?`)),
    )
    throw refused(name, [...misspelt, ...others].map(describeIssue))
  }
  const expressions = expressionsIn(raw, result.data)
  const { splits } = result.data
  const config = {
    ...result.data,
    ...(splits && { splits: withParts(splits) }),
    ...(expressions && { expressions }),
  } as DatasetConfig
  checkConfig(config, name)
  return config
}

/** Longest line of errors [characters]: all but those of a file that is another thing altogether. */
const LONGEST_LINE = 900

/** All that is wrong, in one line; where it gets too long, the first errors and how many follow. */
function refused(name: string, wrong: string[]): InputError {
  let [line, named] = [`${name}: ${wrong[0]}`, 1]
  while (named < wrong.length && line.length + wrong[named].length < LONGEST_LINE)
    line += `; also ${wrong[named++]}`
  return new InputError(line + (named < wrong.length ? ` (and ${wrong.length - named} more)` : ''))
}

interface Issue {
  code?: string
  path: PropertyKey[]
  message: string
  input?: unknown
  keys?: string[]
  origin?: string
  minimum?: number | bigint
  maximum?: number | bigint
  inclusive?: boolean
}

const keysAt = (path: PropertyKey[]): string[] => Object.keys(nodeAt(path)?.properties ?? {})

/** The known key closest to an unknown one. */
const meantBy = ({ keys, path }: Issue): string => (keys ? didYouMean(keys[0], keysAt(path)) : '')

function describeIssue(issue: Issue): string {
  const position = positionOf(issue.path)
  if (issue.code === 'unrecognized_keys') {
    const [known, meant] = [keysAt(issue.path), meantBy(issue)]
    const hint = meant || (known.length ? `; known settings here: ${known.join(', ')}` : '')
    return `${position ? `${position}: ` : ''}"${issue.keys!.join('", "')}" is not a setting${hint}`
  }
  const wanted = describeNode(nodeAt(issue.path))
  const why = reasonOf(issue, wanted !== '')
  const what =
    issue.input === undefined ? 'is missing' : `${short(issue.input)} is not valid${why && ` (${why})`}`
  return `${position || 'the file'}: ${what}${wanted ? `; give ${wanted}` : ''}`
}

/** Why a value is refused, in plain words; nothing where what is wanted says it. */
function reasonOf({ code, message, origin, ...issue }: Issue, isDescribed: boolean): string {
  if (code === 'too_small' || code === 'too_big') {
    const [limit, word] = code === 'too_small' ? [issue.minimum, 'least'] : [issue.maximum, 'most']
    const bound = issue.inclusive
      ? `at ${word} ${limit}`
      : `${word === 'least' ? 'more' : 'less'} than ${limit}`
    return origin === 'array' ? `${bound} of them` : origin === 'string' ? `${bound} characters` : bound
  }
  const isShown = code === 'custom' || !isDescribed
  return isShown ? message.replace(/^Invalid (input: )?/, '') : ''
}

const short = (value: unknown): string => {
  let text: string
  try {
    text = JSON.stringify(value)
  } catch {
    // Deep nesting can be parsed but not written.
    return 'a deeply nested value'
  }
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

const positionOf = (path: PropertyKey[]): string =>
  path.map((key, i) => (typeof key === 'number' ? `[${key}]` : (i ? '.' : '') + String(key))).join('')

interface SchemaNode {
  description?: string
  enum?: unknown[]
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  prefixItems?: SchemaNode[]
  anyOf?: SchemaNode[]
}

const describeNode = (node: SchemaNode | null): string =>
  [node?.description, node?.enum && `one of ${node.enum.join(', ')}`].filter(Boolean).join(': ')

/** The schema at a path, or of the last described node along it. */
function nodeAt(path: PropertyKey[]): SchemaNode | null {
  let node: SchemaNode | undefined = configJsonSchema()
  for (const key of path) {
    const options: SchemaNode[] = [node, ...(node.anyOf ?? [])]
    const next: SchemaNode | undefined = options
      .map((o) => (typeof key === 'number' ? (o.prefixItems?.[key] ?? o.items) : o.properties?.[String(key)]))
      .find(Boolean)
    if (!next) break
    node = next.description || next.enum || next.properties || next.items ? next : { ...node }
  }
  return node
}

/** Rules that the schema cannot express. @throws InputError */
function checkConfig(config: DatasetConfig, name: string): void {
  const wrong: string[] = []
  const refuse = (position: string, why: string): void => {
    wrong.push(`${position}: ${why}`)
  }
  const { radar, formats, product, trace, jitter, splits, labels, aspects } = config
  if (radar.band && (radar.centreHz !== undefined || radar.resolutionM !== undefined))
    refuse('radar', 'give either band with apertureDeg, or centreHz with resolutionM')
  if (!radar.band && (radar.centreHz === undefined || radar.resolutionM === undefined))
    refuse('radar', 'give centreHz with resolutionM, or band with apertureDeg')
  if (radar.band && radar.apertureDeg === undefined && product === 'chips')
    refuse('radar.apertureDeg', 'is missing; with band give the aperture in degrees')
  if (!radar.band && radar.apertureDeg !== undefined)
    refuse('radar.apertureDeg', 'the cross-range resolution determines the aperture; leave it out')
  for (const key of ['frequencies', 'angles'] as const)
    if (radar[key] === 1) refuse(`radar.${key}`, 'an image needs at least 2')
  if (product === 'chips' && formats.includes('cvdomes'))
    refuse('formats', 'cvdomes holds whole sweeps; set "product": "history"')
  if (product === 'history') {
    const wrong = formats.find((f) => !['cvdomes', 'npz', 'hdf5', 'mat'].includes(f))
    if (wrong)
      refuse('formats', `${wrong} holds images; with "product": "history" use cvdomes, npz, hdf5 or mat`)
    if (!radar.band || radar.frequencies === undefined)
      refuse('radar', 'with "product": "history" give band and frequencies')
    if (Array.isArray(aspects.azimuth) || !('step' in aspects.azimuth))
      refuse('aspects.azimuth', 'with "product": "history" give {"from", "to", "step"}')
    if (labels.length) refuse('labels', 'belong to images; with "product": "history" leave them out')
    if (config.ground) refuse('ground', 'belongs to images; with "product": "history" leave it out')
    if (Object.keys(config.nuisance).length)
      refuse('nuisance', 'belongs to images; with "product": "history" leave it out')
    if (jitter.azimuthDeg || jitter.elevationDeg || jitter.offsetM || config.realisations > 1)
      refuse('jitter', 'belongs to images; with "product": "history" leave jitter and realisations out')
    if (splits?.by === 'azimuth')
      refuse('splits.by', 'a sweep cannot be divided; split by elevation, target or copy')
  }
  if (radar.squintDeg !== 0 && (radar.geometry !== 'sar' || config.image.plane === 'ground'))
    refuse('radar.squintDeg', 'belongs to "geometry": "sar" with images in the slant plane')
  if (radar.geometry === 'sar' && (trace === 'shared' || product === 'history' || !config.image.polarFormat))
    refuse('radar.geometry', 'a straight path needs "trace": "own", images, and polarFormat')
  if (config.nuisance.snrDb !== undefined && config.nuisance.noiseSigma0Db !== undefined)
    refuse('nuisance.noiseSigma0Db', 'give either it or snrDb')
  if (config.ground && config.nuisance.clutter)
    refuse('nuisance.clutter', 'belongs to targets without a ground; ground has clutter of its own')
  if (!config.ground && labels.includes('lit'))
    refuse('labels', 'lit is where the ground is lit; give ground')
  if (!config.ground?.waves && labels.includes('free'))
    refuse('labels', 'free is the target without the waves by its ground; set ground.waves')
  if (config.ground?.waves === true && config.ground.surface.model === 'gamma')
    refuse(
      'ground.waves',
      'a gamma surface has no permittivity; give {"material", "rmsHeightM"} in the place of true',
    )
  if (trace === 'shared' && jitter.elevationDeg > 0)
    refuse('jitter.elevationDeg', 'images that share a sweep have its elevation; use "trace": "own"')
  config.targets.forEach(({ articulation: a }, i) => {
    if (a && (a.mesh === undefined) === (a.group === undefined))
      refuse(`targets[${i}].articulation`, 'give either mesh or group')
    if (a && Math.hypot(...a.axis) === 0) refuse(`targets[${i}].articulation.axis`, 'has no direction')
  })
  if (
    (config.copies.thickness || config.copies.permittivity) &&
    !config.targets.some((t) => t.material ?? t.materials)
  )
    refuse('copies', 'no target has materials; leave thickness and permittivity out')
  if (splits && Object.keys(splits.parts).length === 0) refuse('splits.parts', NO_PARTS)
  if (splits?.by === 'azimuth') {
    if (splits.assign) refuse('splits.assign', 'blocks of azimuth are assigned at random; leave it out')
    if (Math.abs(360 / splits.blockDeg - Math.round(360 / splits.blockDeg)) > 1e-9)
      refuse(
        'splits.blockDeg',
        `${splits.blockDeg} degrees do not divide 360 degrees; give 10, 15, 30, 45 ...`,
      )
  }
  for (const part of Object.keys(splits?.assign ?? {}))
    if (!(part in splits!.parts)) refuse(`splits.assign.${part}`, 'is not one of splits.parts')
  if (wrong.length > 0) throw refused(name, wrong)
}
