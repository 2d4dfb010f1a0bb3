import { z } from 'zod'
import { type EdgeOptions, SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { MAX_BOUNCES, MAX_SUBDIVISIONS, type SbrOptions } from '../../rays/index.js'
import { type Formula, isFormula } from '../../scene/formula.js'
import { type Aspect, direction } from '../../scene/index.js'
import type { Material, Medium } from '../../scene/materials/index.js'

/** Messages through Redis, validated on arrival at either end; they name no files or addresses. */

/** The schema of T from one schema per option: omitting a new option is a type error. */
const optionsOf = <T>(shape: { [K in keyof Required<T>]: z.ZodType<T[K]> }): z.ZodType<T> =>
  z.strictObject(shape) as unknown as z.ZodType<T>

const angle = z.number().min(-1e6).max(1e6)
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const seconds = z.number().min(0).max(1e9)
/** In tubes. */
const area = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
const tileNumber = z
  .int()
  .min(-(2 ** 30))
  .max(2 ** 30)
const tileCount = z
  .int()
  .min(1)
  .max(2 ** 24)
const runId = z.string().regex(/^[0-9a-f]{32}$/)
/** Also used in queue names. */
const WORKER_ID = /^[\w.-]{1,80}$/
const workerId = z.string().regex(WORKER_ID)
const text = z.string().max(500)
const kind = z.enum(['gpu', 'cpu'])

/** Limits of frequencies of a band and numbers of one sum, to bound a worker's memory. */
const MAX_FREQUENCIES = 100_000
const MAX_SUMS = 2 ** 23
const numbers = z.base64().max(4 * Math.ceil((8 * MAX_SUMS) / 3))

/** What a run's workers need to know before its first job. */
export const RunSpec = z.strictObject({
  kind,
  /** SHA-256 of the mesh in the store. */
  mesh: z.string().regex(/^[0-9a-f]{64}$/),
  smoothAngleDeg: z.number().min(0).max(180),
  curved: z
    .strictObject({
      angleDeg: z.number().min(0).max(90),
      sagittas: z.array(z.number().positive()).min(1).max(200),
    })
    .optional(),
  /** Absent in runs without edge diffraction. */
  maxWedgeAngleDeg: z.number().min(0.1).max(179).optional(),
  subGrid: z.int().min(16).max(65536),
})
export type RunSpec = z.infer<typeof RunSpec>

const sbrOptions = optionsOf<SbrOptions>({
  raysPerWavelength: z.number().min(0.01).max(1200),
  maxBounces: z.int().min(1).max(MAX_BOUNCES),
  subdivisions: z.int().min(0).max(MAX_SUBDIVISIONS),
  formulation: z.enum(['all-bounces', 'exit']).optional(),
  frequencySum: z.enum(['direct', 'fast']).optional(),
  sumTolerance: z.number().min(1e-14).max(1).optional(),
  onlyBounce: z.int().min(1).max(MAX_BOUNCES).optional(),
})

const edgeOptions = optionsOf<EdgeOptions>({
  diffraction: z.enum(['tw-ildc', 'tw-ildc-j', 'eec']),
  segmentsPerWavelength: z.number().min(0.01).max(1000).optional(),
  secondOrder: z.array(z.enum(SECOND_ORDER)).max(8).optional(),
  apart: z.boolean().optional(),
  exact: z.boolean().optional(),
})

const job = {
  run: runId,
  /** Number of the unit of work in its run, and how often it was sent before. */
  unit: count,
  attempt: count,
  /** theta and phi [degrees]. */
  tx: z.tuple([angle, angle]),
  rx: z.tuple([angle, angle]),
  band: z.strictObject({
    f0: z.number().positive().max(1e15),
    df: z.number().min(0).max(1e15),
    n: z.int().min(1).max(MAX_FREQUENCIES),
  }),
}

/** One unit of work: an aspect's rays, all or those of some tiles; or its edges, share k of n of the evaluation. */
export const Unit = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('sbr'),
    ...job,
    options: sbrOptions,
    tiles: z.strictObject({ i0: tileNumber, j0: tileNumber, ni: tileCount, nj: tileCount }).optional(),
  }),
  z.strictObject({
    what: z.literal('edges'),
    ...job,
    options: edgeOptions,
    share: z.tuple([z.int().min(0).max(65535), z.int().min(1).max(65536)]),
  }),
])
export type Unit = z.infer<typeof Unit>

const answer = { unit: count, worker: workerId }

/** The answer: sums in base64, little-endian (`pack`). */
export const Answer = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('sbr'),
    ...answer,
    /** The aspect's field (doubles) or, of some tiles, the exact sums (64-bit integers). */
    field: numbers.optional(),
    totals: numbers.optional(),
    statistics: z.strictObject({
      tubes: count,
      rays: count.optional(),
      leaves: count,
      contributions: count,
      lit: area.optional(),
      cutOff: area.optional(),
    }),
    times: z.strictObject({ trace: seconds, field: seconds, reduction: seconds, total: seconds }),
    partSeconds: z.array(seconds).max(65536),
  }),
  z.strictObject({
    what: z.literal('edges'),
    ...answer,
    field: numbers,
    considered: count,
    visible: count,
    /** Per thread. */
    times: z.strictObject({ prepare: seconds, evaluate: seconds, total: seconds }),
  }),
  z.strictObject({
    what: z.literal('error'),
    ...answer,
    message: text,
    /** An InputError: retrying would fail the same way. */
    input: z.boolean(),
  }),
])
export type Answer = z.infer<typeof Answer>
export type SbrAnswer = Extract<Answer, { what: 'sbr' }>
export type EdgeAnswer = Extract<Answer, { what: 'edges' }>

/** A worker's description, sent with every heartbeat. */
export const WorkerInfo = z.strictObject({
  id: workerId,
  kind,
  /** See `release`. */
  release: z.string().max(80),
  description: text,
  host: text,
  pid: count,
  /** Threads for edge diffraction, and aspects that keep its device busy. */
  threads: z.int().min(1).max(65536),
  capacity: z.int().min(1).max(1024),
  /** Fetching or preparing a target; heartbeats may then be delayed. */
  preparing: z.boolean(),
  /** Units computed, in progress, and failed. */
  done: count,
  busy: count,
  failed: count,
})
export type WorkerInfo = z.infer<typeof WorkerInfo>

/** Progress of a run, for `isar cluster status`. */
export const RunStatus = z.strictObject({
  run: runId,
  target: text,
  host: text,
  distribute: text,
  done: count,
  total: count,
  elapsed: seconds,
  workers: count,
  /** Units sent again, for any reason. */
  resent: count,
  /** Least and greatest time of a worker's part of the latest aspect whose aperture was divided [s]. */
  parts: z.tuple([seconds, seconds]).optional(),
})
export type RunStatus = z.infer<typeof RunStatus>

/**
 * Identifies builds with identical results to the byte, which share queues. Other versions of V8 or other processor
 * architectures may differ in the last digits of sines.
 */
export const release = (version: string): string =>
  `${version}-v8.${process.versions.v8.split('.').slice(0, 2).join('.')}-${process.arch}`

export const unitAspect = ({ tx, rx }: Unit): Aspect => {
  const transmitter = direction(...tx)
  return {
    tx: transmitter,
    rx: rx[0] === tx[0] && rx[1] === tx[1] ? transmitter : direction(...rx),
  }
}

export const unitAngles = ({ tx, rx }: Aspect): Pick<Unit, 'tx' | 'rx'> => ({
  tx: [tx.thetaDeg, tx.phiDeg],
  rx: [rx.thetaDeg, rx.phiDeg],
})

/** Numbers as base64 of their bytes; every machine that runs V8 is little-endian. */
export const pack = (array: Float64Array | BigInt64Array): string =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64')

function unpack(packed: string): ArrayBuffer {
  const bytes = Uint8Array.from(Buffer.from(packed, 'base64'))
  if (bytes.length % 8 !== 0) throw new RangeError(`${bytes.length} bytes are not whole numbers`)
  return bytes.buffer
}
export const unpackDoubles = (packed: string): Float64Array => new Float64Array(unpack(packed))
export const unpackIntegers = (packed: string): BigInt64Array => new BigInt64Array(unpack(packed))

/** Materials of a mesh in the store, validated on arrival like all that comes through Redis: numbers alone, no files. */

const number = z.number()
const name = z.string().max(500)
const written = z.record(z.string(), z.string()).optional()
const list = z.array(number).max(1_000_000)
const complex = z.tuple([number, number])
const relaxation = z.strictObject({ infinity: number, low: number, relaxationHz: number })
const fit = z.strictObject({ a: number, b: number, c: number, d: number, low: number, high: number })

const formula = z.custom<Formula>(isFormula, 'no formula')

const medium: z.ZodType<Medium> = z.union([
  z.strictObject({ name, written, eps: complex, mu: complex, conductivity: number }),
  z.strictObject({ name, written, frequencies: list, values: z.array(list).max(1_000_000) }),
  z.strictObject({
    name,
    written,
    functions: z.strictObject({ eps: formula, mu: formula, conductivity: formula }),
    active: z.boolean().optional(),
  }),
  z.strictObject({ name, written, fits: z.array(fit).max(1000) }),
  z.strictObject({
    name,
    written,
    debye: z.strictObject({ eps: relaxation, mu: relaxation }),
    conductivity: number.optional(),
  }),
])
const impedance = z.strictObject({
  impedance: z.union([
    complex,
    z.strictObject({ name, frequencies: list, values: z.array(complex).max(1_000_000) }),
    z.strictObject({ name, formula }),
  ]),
})
const stack = z.array(z.union([z.strictObject({ medium, thickness: number }), impedance])).max(10_000)
const table = z.strictObject({ frequencies: list, angles: list, values: list })

const material: z.ZodType<Material> = z.union([
  z.strictObject({ name, written, kind: z.literal('conductor') }),
  z.strictObject({
    name,
    written,
    kind: z.literal('opaque'),
    stack,
    backing: z.union([z.literal('conductor'), impedance, medium]),
    facet: z.enum(['outer', 'metal']),
    sides: z.enum(['both', 'front']),
  }),
  z.strictObject({ name, written, kind: z.literal('sheet'), stack }),
  z.strictObject({ name, written, kind: z.enum(['opaque', 'sheet']), table, thickness: number }),
])

export const WireMaterials = z.array(material).min(1).max(256)
