import { basename, dirname, resolve } from 'node:path'
import { z } from 'zod'
import { checkJson, parseJson } from '../../formats/described-json.js'
import { parseFrequencies } from '../../formats/expression.js'
import { FilesHash, readMesh, readNpz, readRegularFile, readTable, writeNpz } from '../../formats/index.js'
import { expressionsIn, point, positiveQuantity, quantity } from '../../formats/materials-schema.js'
import {
  groupsNamed,
  InputError,
  isGroup,
  type Mesh,
  scaleMesh,
  type Unit,
  UNITS,
  type Vec3,
} from '../../scene/index.js'
import {
  type Antenna,
  antennaAxes,
  type Pattern,
  type PatternTable,
  type Reception,
  RECEPTIONS,
} from '../setup.js'
import {
  boxMesh,
  joinMeshes,
  type Material,
  MATERIAL_NAMES,
  MAX_REFLECTIONS,
  namedMaterial,
  polygonMesh,
  type PropagationScene,
  SIDES,
} from './build.js'
const PATTERN_COLUMNS = ['theta_deg', 'phi_deg', 'g_theta_re', 'g_theta_im', 'g_phi_re', 'g_phi_im']

/**
 * An antenna pattern as CSV: one row per grid point, theta outermost from 0 to 180 degrees, phi from 0 to 360 both included,
 * regular steps; |g|^2 is the gain. @throws InputError where it is not
 */
async function readPattern(path: string, files: FilesHash): Promise<PatternTable> {
  const { columns, rows } = await readTable(path, PATTERN_COLUMNS, files)
  const [theta, phi] = columns
  let phis = 1
  while (phis < rows && theta[phis] === theta[0]) phis++
  const thetas = rows / phis
  const fits =
    thetas >= 2 &&
    phis >= 2 &&
    Number.isInteger(thetas) &&
    theta.every((t, r) => Math.abs(t - (180 * Math.floor(r / phis)) / (thetas - 1)) < 1e-6) &&
    phi.every((p, r) => Math.abs(p - (360 * (r % phis)) / (phis - 1)) < 1e-6)
  if (!fits)
    throw new InputError(
      `${path} is no regular grid; give theta_deg 0 to 180 outermost and phi_deg 0 to 360, both ends included, in even steps`,
    )
  const values = new Float64Array(4 * rows)
  for (let r = 0; r < rows; r++) for (let k = 0; k < 4; k++) values[4 * r + k] = columns[2 + k][r]
  return { thetas, phis, values }
}

/** A named set of receivers: numbers first ... first + count of the scene's. */
export interface ReceiverSet {
  name: string
  first: number
  count: number
  /** Distance along the line of each [m], for sets that are a line. */
  along?: Float64Array
  /** Columns and rows of a grid, x fastest. */
  grid?: { columns: number; rows: number; x: Float64Array; y: Float64Array; z: number }
}

/** A propagation scene ready to be computed, with what its description says of receivers and power. */
export interface LoadedScene {
  file: SceneFile
  scene: PropagationScene
  sets: ReceiverSet[]
  powerDbm: number
  /** What identifies its description and every file that this names (`FilesHash`). */
  sha256: string
}

type FileMaterial = SceneFile['geometry'][number] extends infer G
  ? G extends { material: infer M }
    ? M
    : never
  : never

/** Most receivers of a scene. */
const MOST_RECEIVERS = 10_000_000

/** Reads a scene file and what it names. @throws InputError for anything wrong with them */
export async function loadScene(path: string): Promise<LoadedScene> {
  const bytes = await readRegularFile(path, 'the path of a scene file')
  const name = basename(path)
  return openScene(parseScene(new TextDecoder().decode(bytes), name), name, dirname(resolve(path)), bytes)
}

/** What a scene may be given instead of what its description says. */
export interface SceneLimits {
  /** Rays launched, at least. */
  rays?: number
  /** Reflections followed. */
  maxReflections?: number
  /** Exact paths, or reception spheres. */
  reception?: Reception
  /** First-order edge diffraction. */
  diffraction?: 'none' | 'utd'
}

/** The scene with other limits. */
export function withLimits(loaded: LoadedScene, limits: SceneLimits): LoadedScene {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  const file: SceneFile = { ...loaded.file, ...Object.fromEntries(given) }
  const { maxReflections, reception, diffraction } = file
  const scene = { ...loaded.scene, maxReflections, reception, diffraction: diffraction === 'utd' }
  return { ...loaded, file, scene }
}

/**
 * Makes a scene of its description.
 * @param name    of the scene in messages
 * @param folder  that files are named relative to
 * @param bytes   of the description
 * @throws InputError for anything wrong with what it names
 */
export async function openScene(
  file: SceneFile,
  name: string,
  folder: string,
  bytes: Uint8Array = Buffer.from(JSON.stringify(file)),
): Promise<LoadedScene> {
  const files = new FilesHash()
  files.add(bytes)
  const meshes: Mesh[] = []
  const materials: FileMaterial[] = []
  for (const [i, part] of file.geometry.entries())
    if ('box' in part) {
      const { min, max, without, inward } = part.box
      meshes.push(boxMesh(min, max, without, inward))
      materials.push(part.material)
    } else if ('polygon' in part) {
      meshes.push(polygonMesh(part.polygon))
      materials.push(part.material)
    } else {
      const mesh = scaleMesh(await readMesh(resolve(folder, part.mesh), files), part.units as Unit)
      meshes.push(mesh)
      const groups = mesh.groupNames ?? ['default']
      const chosenFor = Object.keys(part.materials ?? {})
      for (const group of chosenFor)
        groupsNamed(groups, group, `${name}: geometry.${i}.materials: ${part.mesh}`)
      for (const group of groups) {
        const key = chosenFor.findLast((k) => isGroup(group, k))
        const chosen = key === undefined ? part.material : part.materials![key]
        if (chosen === undefined)
          throw new InputError(
            `${name}: geometry.${i}: group "${group}" of ${part.mesh} has no material; give material, or materials.${group}`,
          )
        materials.push(chosen)
      }
    }
  const toMaterial = (m: FileMaterial, freqHz: number): Material =>
    typeof m === 'string' ? namedMaterial(m, freqHz) : m
  const { receivers, sets } = await placeReceivers(file, folder, files)
  const { transmitter } = file
  const transmitAntenna = await loadAntenna(transmitter.antenna, folder, files)
  const receiveAntenna = file.receiverAntenna && (await loadAntenna(file.receiverAntenna, folder, files))
  const frequencies = Array.isArray(file.frequency) ? file.frequency : [file.frequency]
  return {
    file,
    sets,
    powerDbm: transmitter.powerDbm,
    sha256: files.sha256,
    scene: {
      mesh: joinMeshes(meshes),
      materials: (freqHz) => materials.map((m) => toMaterial(m, freqHz)),
      transmitter: transmitter.position,
      transmitAntenna,
      receiveAntenna: receiveAntenna ?? {
        pattern: { kind: 'isotropic' },
        ...antennaAxes(transmitter.antenna.axis),
      },
      receivers,
      ...(file.region ? { region: file.region } : {}),
      freqHz: parseFrequencies(frequencies.map(String), `${name}: frequency`),
      transmit: transmitter.polarisation === 'both' ? ['v', 'h'] : [transmitter.polarisation],
      maxReflections: file.maxReflections,
      reception: file.reception,
      diffraction: file.diffraction === 'utd',
    },
  }
}

async function loadAntenna(
  { pattern, axis }: { pattern: string; axis: Vec3 },
  folder: string,
  files: FilesHash,
): Promise<Antenna> {
  if (axis.every((x) => x === 0))
    throw new InputError('antenna axis 0,0,0 has no direction; give one like 0,0,1')
  const kinds: Record<string, Pattern> = {
    isotropic: { kind: 'isotropic' },
    'half-wave-dipole': { kind: 'dipole' },
    'short-dipole': { kind: 'short-dipole' },
  }
  if (Object.hasOwn(kinds, pattern)) return { pattern: kinds[pattern], ...antennaAxes(axis) }
  if (!/\.csv$/i.test(pattern))
    throw new InputError(
      `antenna pattern "${pattern}" is unknown; use ${Object.keys(kinds).join(', ')} or a .csv file`,
    )
  return {
    pattern: { kind: 'table', table: await readPattern(resolve(folder, pattern), files) },
    ...antennaAxes(axis),
  }
}

async function placeReceivers(
  file: SceneFile,
  folder: string,
  files: FilesHash,
): Promise<{ receivers: Float64Array; sets: ReceiverSet[] }> {
  const points: number[] = []
  const sets: ReceiverSet[] = []
  for (const given of file.receivers) {
    const first = points.length / 3
    const set: ReceiverSet = { name: given.name, first, count: 0 }
    if ('points' in given) for (const point of given.points) points.push(...point)
    else if ('line' in given) set.along = placeLine(given.line, given.step, points)
    else if ('grid' in given) {
      const x = steps(given.grid.x, given.step)
      const y = steps(given.grid.y, given.step)
      if (x.length * y.length > MOST_RECEIVERS)
        throw new InputError(
          `receivers "${given.name}": ${x.length} x ${y.length} points are too many; take a larger step`,
        )
      set.grid = { columns: x.length, rows: y.length, x, y, z: given.grid.z }
      for (const py of y) for (const px of x) points.push(px, py, given.grid.z)
    } else {
      const { columns, rows } = await readTable(resolve(folder, given.file), ['x_m', 'y_m', 'z_m'], files)
      for (let r = 0; r < rows; r++) for (const column of columns) points.push(column[r])
    }
    set.count = points.length / 3 - first
    if (points.length / 3 > MOST_RECEIVERS)
      throw new InputError(
        `receivers "${given.name}": with them there are ${points.length / 3}, more than ${MOST_RECEIVERS}; take fewer`,
      )
    sets.push(set)
  }
  return { receivers: Float64Array.from(points), sets }
}

/** From the first to the last value by `step`, both included where they fit. */
function steps([from, to]: [number, number], step: number): Float64Array {
  const count = Math.floor(Math.abs(to - from) / step + 1e-9) + 1
  return Float64Array.from(
    { length: Math.min(count, MOST_RECEIVERS + 1) },
    (_, i) => from + Math.sign(to - from) * i * step,
  )
}

/** Points every `step` along a line with corners; returns how far along each is. */
function placeLine(corners: Vec3[], step: number, points: number[]): Float64Array {
  const along: number[] = []
  let before = 0
  let next = 0
  for (let c = 1; c < corners.length; c++) {
    const [a, b] = [corners[c - 1], corners[c]]
    const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2])
    if (length / step > MOST_RECEIVERS)
      throw new InputError(`a line of receivers every ${step} m is too long; take a larger step`)
    for (; next <= before + length + 1e-9 * length; next = along.length * step) {
      const t = Math.min(1, (next - before) / length)
      points.push(...a.map((x, i) => x + t * (b[i] - x)))
      along.push(next)
    }
    before += length
  }
  return Float64Array.from(along)
}

/** scene.npz: the walls as they were traced, `positions_m` [V x 3] and `triangles` [T x 3]. */
export const sceneNpz = ({ positions, triangles }: Mesh): Uint8Array =>
  writeNpz({
    positions_m: { data: positions, shape: [positions.length / 3, 3], dtype: '<f8' },
    triangles: { data: Int32Array.from(triangles), shape: [triangles.length / 3, 3], dtype: '<i4' },
  })

/** Reads what `sceneNpz` made. @throws InputError for anything else */
export function readSceneNpz(bytes: Uint8Array): Mesh {
  const arrays = readNpz(bytes)
  const [positions, triangles] = [arrays.positions_m?.data, arrays.triangles?.data]
  if (!(positions instanceof Float64Array) || !(triangles instanceof Int32Array))
    throw new InputError('scene.npz holds no walls; compute the scene again')
  if (triangles.some((v) => v < 0 || 3 * v >= positions.length))
    throw new InputError('scene.npz: a triangle names a vertex that is not there; compute the scene again')
  return { positions, triangles: Uint32Array.from(triangles) }
}

const lengths = (text: string) => point('m', text)
const pair = z.tuple([quantity('m'), quantity('m')]).describe('first and last [m]')
const frequency = z.union([z.number().positive(), z.string()])

const material = z
  .union([
    z.string(),
    z.strictObject({
      epsilonR: quantity('', z.number().min(1)).describe('relative permittivity'),
      sigma: quantity('S/m', z.number().min(0)).default(0).describe('conductivity [S/m]'),
    }),
  ])
  .describe(`a name (${MATERIAL_NAMES.join(', ')}), or epsilonR and sigma`)

const geometry = z.union([
  z.strictObject({
    box: z.strictObject({
      min: lengths('lowest corner [m]'),
      max: lengths('highest corner [m]'),
      without: z.array(z.enum(SIDES)).default([]).describe('sides left out'),
      inward: z.boolean().default(false).describe('a room instead of a body'),
    }),
    material,
  }),
  z.strictObject({
    polygon: z
      .array(lengths('corner [m]'))
      .min(3)
      .describe('corners of a plane convex sheet, counter-clockwise seen from its front'),
    material,
  }),
  z.strictObject({
    mesh: z.string().describe('mesh file, relative to this file'),
    units: z
      .enum(Object.keys(UNITS) as [string, ...string[]])
      .default('m')
      .describe('what it is in'),
    material: material.optional(),
    materials: z.record(z.string(), material).optional().describe('of the groups of the file, by name'),
  }),
])

const antenna = z.strictObject({
  pattern: z
    .string()
    .default('isotropic')
    .describe('isotropic, half-wave-dipole, short-dipole, or a .csv file relative to this one'),
  axis: point('', 'where theta = 0 of the pattern points').default([0, 0, 1]),
})

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits, dots, dashes; no spaces')

const receivers = z.union([
  z.strictObject({ name, points: z.array(lengths('[m]')).min(1).describe('points one by one') }),
  z.strictObject({
    name,
    line: z.array(lengths('[m]')).min(2).describe('corners of a line of receivers'),
    step: positiveQuantity('m', 'spacing along it [m]'),
  }),
  z.strictObject({
    name,
    grid: z.strictObject({
      x: pair,
      y: pair,
      z: quantity('m').describe('height [m]'),
    }),
    step: positiveQuantity('m', 'spacing [m]'),
  }),
  z.strictObject({
    name,
    file: z.string().describe('CSV with columns x_m, y_m, z_m, relative to this file'),
  }),
])

const sceneSchema = z.strictObject({
  $schema: z.string().optional().describe('this schema, for help while editing'),
  name: name.describe('of the scene; default results go to NAME-propagate/'),
  description: z.string().optional(),
  frequency: z.union([frequency, z.array(frequency).min(1)]).describe('Hz, or with a unit like "5 GHz"'),
  geometry: z.array(geometry).min(1).describe('bodies, rooms, sheets and mesh files'),
  transmitter: z.strictObject({
    position: lengths('[m]'),
    powerDbm: z.number().default(0).describe('power into the antenna'),
    antenna: antenna.default({ pattern: 'isotropic', axis: [0, 0, 1] }),
    polarisation: z
      .enum(['v', 'h', 'both'])
      .default('v')
      .describe('theta-hat (v) or phi-hat (h) about the antenna axis'),
  }),
  receivers: z.array(receivers).min(1),
  receiverAntenna: antenna.optional().describe('default: isotropic about the axis of the transmitter'),
  region: z
    .strictObject({ min: lengths('[m]'), max: lengths('[m]') })
    .optional()
    .describe('absorbing box; default: around everything'),
  rays: z.number().int().min(12).max(1e9).default(400_000).describe('launched, at least'),
  maxReflections: z.number().int().min(0).max(MAX_REFLECTIONS).default(8),
  reception: z
    .enum(RECEPTIONS)
    .default('exact')
    .describe('exact paths, or reception spheres as in paper 004'),
  diffraction: z.enum(['none', 'utd']).default('none').describe('first-order edge diffraction'),
  paths: z.array(name).default([]).describe('receivers, by name, whose paths are listed'),
})

/** A scene as a file or a caller describes it; docs/propagation.md has every field. */
export type SceneDescription = z.input<typeof sceneSchema>

/** A scene description with its defaults filled in. */
export interface SceneFile extends z.infer<typeof sceneSchema> {
  /** What the file has as text with units, by place; absent where all are plain numbers. */
  expressions?: Record<string, string>
}

/** Reads the text of a scene file. @throws InputError: what is wrong, at which place, how to fix it */
function parseScene(text: string, file: string): SceneFile {
  return checkScene(parseJson(text, file), file)
}

/** Checks a scene and fills in defaults; `file` names it in messages. @throws InputError as `parseScene` does */
export function checkScene(json: unknown, file: string): SceneFile {
  const given = checkJson(sceneSchema, json, file, 'docs/propagation.md has the format')
  const expressions = expressionsIn(json, given)
  const scene: SceneFile = { ...given, ...(expressions && { expressions }) }
  const names = scene.receivers.map((r) => r.name)
  const twice = names.find((n, i) => names.indexOf(n) !== i)
  if (twice !== undefined)
    throw new InputError(`${file}: receivers: two are named "${twice}"; give each a name of its own`)
  const unknown = scene.paths.find((n) => !names.includes(n))
  if (unknown !== undefined)
    throw new InputError(
      `${file}: paths: no receivers are named "${unknown}"; choose among ${names.join(', ')}`,
    )
  return scene
}
