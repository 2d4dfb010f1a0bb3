import { z } from 'zod'
import { checkJson, parseJson } from '../../formats/described-json.js'
import { expressionsIn, point, positiveQuantity, quantity } from '../../formats/materials-schema.js'
import { InputError, UNITS } from '../../scene/index.js'
import { RECEPTIONS } from '../setup.js'
import { MATERIAL_NAMES, MAX_REFLECTIONS, SIDES } from './build.js'

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

export const sceneSchema = z.strictObject({
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
export function parseScene(text: string, file: string): SceneFile {
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
