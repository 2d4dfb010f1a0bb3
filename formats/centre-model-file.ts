import { basename } from 'node:path'
import { z } from 'zod'
import { checkJson, parseJson } from './described-json.js'
import { readRegularFile } from './index.js'
import { CHANNELS } from '../rays/index.js'

/** Version of the file. */
const VERSION = 1
const number = (text: string) => z.number().describe(text)
const span = (text: string) =>
  z
    .tuple([z.number(), z.number()])
    .refine(([low, high]) => low <= high, 'the first of two is the larger one; give the lower one first')
    .describe(text)
const point = (text: string) => z.tuple([z.number(), z.number(), z.number()]).describe(text)
const width = (text: string) => z.number().positive().nullable().describe(text)

const centre = z.strictObject({
  positionM: point('in the coordinates of the mesh [m]'),
  frequencyExponent: number('a of the factor (f / fc)^a, fc the middle of the band').min(-4).max(4),
  visibility: z
    .strictObject({
      thetaDeg: number('where it is brightest [degrees]'),
      phiDeg: number('[degrees]'),
      thetaWidthDeg: width('standard deviation of the Gaussian weight [degrees]; null: constant over theta'),
      phiWidthDeg: width('[degrees]; null: constant over phi'),
    })
    .describe('weight over the sector, 0 beyond 5 standard deviations'),
  amplitudeM: z
    .array(z.tuple([z.number(), z.number()]))
    .describe('F of every channel at fc and where it is brightest, real and imaginary part [m]'),
})

const correlations = z
  .strictObject({ fitted: z.number(), heldOut: z.number().nullable() })
  .describe('|sum F_model* F| / (|F_model| |F|) over frequencies and aspects')

const SCHEMA = z
  .strictObject({
    isarCentreModel: z.literal(VERSION).describe('version of the format'),
    target: z.string(),
    meshSha256: z.string().optional(),
    bandHz: span('ends of the band [Hz]').refine(([f0]) => f0 > 0, 'not above zero'),
    thetaDeg: span('ends of the sector in theta [degrees]'),
    phiDeg: span('ends of the sector in phi [degrees]'),
    phaseCentreM: point('point that phases refer to [m]'),
    channels: z
      .array(z.enum(CHANNELS))
      .min(1)
      .refine((all) => new Set(all).size === all.length, 'a channel is named twice')
      .describe('in the order of amplitudeM'),
    error: z
      .strictObject({
        fittedAspects: z.number().int(),
        heldOutAspects: z.number().int(),
        correlation: z.partialRecord(z.enum(CHANNELS), correlations),
      })
      .describe('against the solver, over aspects that were fitted and others that were held out'),
    centres: z.array(centre).min(1).max(100_000),
  })
  .superRefine(({ channels, centres }, context) => {
    const wrong = centres.findIndex(({ amplitudeM }) => amplitudeM.length !== channels.length)
    if (wrong >= 0)
      context.addIssue({
        code: 'custom',
        path: ['centres', wrong, 'amplitudeM'],
        message: `${centres[wrong].amplitudeM.length} amplitudes for ${channels.length} channels`,
      })
  })

/** What `isar centres --model` writes: a `CentreModel` with its origin and its error. */
export type CentreModelFile = z.infer<typeof SCHEMA>

/** The format as JSON Schema. */
export const centreModelJsonSchema = (): object => ({
  title: 'scattering centres of isar centres --model',
  ...z.toJSONSchema(SCHEMA, { io: 'input' }),
})

/** @throws InputError naming the file, and the key that is wrong */
export async function readCentreModel(path: string): Promise<CentreModelFile> {
  const text = new TextDecoder().decode(await readRegularFile(path, 'a model of scattering centres (JSON)'))
  const value = parseJson(text, basename(path))
  return checkJson(SCHEMA, value, path, 'give a file that isar centres --model wrote')
}

/** The file's text, one centre a line. */
export function writeCentreModel({ centres, ...head }: Omit<CentreModelFile, 'isarCentreModel'>): string {
  const start = JSON.stringify({ isarCentreModel: VERSION, ...head }, null, 1).slice(0, -2)
  return `${start},\n "centres": [\n  ${centres.map((c) => JSON.stringify(c)).join(',\n  ')}\n ]\n}\n`
}
