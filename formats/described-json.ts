import { z } from 'zod'
import { didYouMean, InputError } from '../scene/index.js'
import type { Medium } from '../scene/materials/index.js'
import type { MediumDescription } from './materials-schema.js'

/** The value of a JSON text. @param file  names it in messages @throws InputError for what is no JSON */
export function parseJson(text: string, file: string): unknown {
  // The byte order mark of UTF-16, read as UTF-8: what PowerShell redirects to a file is in it.
  if (text.startsWith('\uFFFD\uFFFD')) throw new InputError(`${file} is in UTF-16; save it as UTF-8`)
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new InputError(`${file} is not JSON: ${(error as Error).message}; fix it there`, { cause: error })
  }
}

interface Issue {
  code?: string
  path: PropertyKey[]
  message: string
  keys?: string[]
  errors?: Issue[][]
  /** Of a key. */
  issues?: Issue[]
}

/**
 * What is wrong with a value that a schema refuses, and where: the first issue, or a key that is all but spelt like one there is; of a union
 * the member that fits best, with the fewest unknown keys, and of those the one that goes wrong deepest.
 */
function describeIssues(schema: z.ZodType, issues: readonly Issue[], at: PropertyKey[] = []): string {
  const hint = ({ keys, path }: Issue): string => {
    const known = keys ? keysAt(schema, [...at, ...path]) : []
    // A key of another member of a union is spelt right.
    return keys && !known.includes(keys[0]) ? didYouMean(keys[0], known) : ''
  }
  const issue = issues.find(hint) ?? issues[0]
  const path = [...at, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors && issue.errors.length > 0) {
    const depth = (list: Issue[]): number =>
      Math.max(...list.map((i) => i.path.length + (i.code === 'unrecognized_keys' ? -1 : 0)))
    const strays = (list: Issue[]): number => list.reduce((n, { keys }) => n + (keys?.length ?? 0), 0)
    const fit = (a: Issue[], b: Issue[]): number =>
      strays(a) - strays(b) || depth(b) - depth(a) || a.length - b.length
    const best = [...issue.errors].sort(fit)[0]
    if (depth(best) > 0 || strays(best) > 0) return describeIssues(schema, best, path)
  }
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  const message = issue.issues?.[0].message ?? issue.message
  return `${path.map(String).join('.') || 'the whole'}: ${message}${hint(issue)}${more}`
}

/**
 * A value as a schema has it, with its defaults. @param name  of its file, for messages @param remedy  what to do, for messages
 * @throws InputError naming the position of what the schema refuses
 */
export function checkJson<T>(schema: z.ZodType<T>, value: unknown, name: string, remedy?: string): T {
  const { data, error } = schema.safeParse(value)
  if (error)
    throw new InputError(`${name}: ${describeIssues(schema, error.issues)}${remedy ? `; ${remedy}` : ''}`)
  return data
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>
  items?: SchemaNode
  additionalProperties?: SchemaNode | boolean
  anyOf?: SchemaNode[]
}

/** The schema of an item or of a key's value. */
function childOf(
  { items, properties, additionalProperties }: SchemaNode,
  key: PropertyKey,
): SchemaNode | undefined {
  if (typeof key === 'number') return items
  return (
    properties?.[String(key)] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  )
}

/** The keys that there are at a place, of all members of unions. */
function keysAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  const members = (node: SchemaNode): SchemaNode[] => [node, ...(node.anyOf ?? []).flatMap(members)]
  let nodes = members(z.toJSONSchema(schema, { io: 'input' }) as SchemaNode)
  for (const key of path) nodes = nodes.flatMap((node) => childOf(node, key) ?? []).flatMap(members)
  return [...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {})))]
}

/** Smallest |eps|, |mu| and impedance [ohm] that are not 0: 1/x^2 stays within double precision. */
export const LEAST = 1e-9

/**
 * A medium with eps and mu of each frequency, one where there are none. @param at  its name, begins messages
 * @throws InputError for what is missing, contradicts itself or amplifies without `active`
 */
export function mediumOf(given: Omit<MediumDescription, 'description'>, at: string): Medium {
  const { frequency_hz: frequencies, debye, active } = given
  if (debye) return debyeOf(given, at)
  const count = frequencies?.length ?? 1
  const column = (key: keyof typeof given): number[] | undefined => {
    const value = given[key]
    if (value === undefined || typeof value === 'boolean') return undefined
    if (typeof value === 'number') return Array.from({ length: count }, () => value)
    const list = value as number[]
    if (!frequencies) throw new InputError(`${at}: ${key} is a list; give frequency_hz, a list as long`)
    if (list.length !== count)
      throw new InputError(
        `${at}: ${key} has ${list.length} values for ${count} of frequency_hz; give as many`,
      )
    return list
  }
  const imaginary = (
    part: 'eps' | 'mu',
    tangent: 'loss_tangent' | 'magnetic_loss_tangent',
    real: number[],
  ) => {
    const [own, ratio] = [column(`${part}_imag`), column(tangent)]
    if (own && ratio)
      throw new InputError(`${at}: ${part}_imag and ${tangent} say the same; give one of them`)
    return own ?? ratio?.map((x, i) => 0 - x * Math.abs(real[i])) ?? real.map(() => 0)
  }
  const epsReal = column('eps_real')
  if (!epsReal) throw new InputError(`${at}: eps_real is missing; give the relative permittivity`)
  const muReal = column('mu_real') ?? epsReal.map(() => 1)
  const epsImag = imaginary('eps', 'loss_tangent', epsReal)
  const muImag = imaginary('mu', 'magnetic_loss_tangent', muReal)
  const conductivity = column('conductivity_s_per_m') ?? epsReal.map(() => 0)
  const gain = (key: string, value: number | undefined, instead: string): void => {
    if (value !== undefined && !active)
      throw new InputError(
        `${at}: ${key} is ${value}, a gain: losses are ${instead} with exp(+jwt); change its sign, or give "active": true if that is meant`,
      )
  }
  gain(
    'eps_imag',
    epsImag.find((x) => x > 0),
    'negative',
  )
  gain(
    'mu_imag',
    muImag.find((x) => x > 0),
    'negative',
  )
  gain(
    'conductivity_s_per_m',
    conductivity.find((x) => x < 0),
    'positive',
  )
  for (let i = 0; i < count; i++) {
    if (
      Math.hypot(epsReal[i], epsImag[i] - conductivity[i]) < LEAST ||
      Math.hypot(muReal[i], muImag[i]) < LEAST
    )
      throw new InputError(`${at}: eps and mu must not be 0`)
    if (frequencies && i > 0 && !(frequencies[i] > frequencies[i - 1]))
      throw new InputError(`${at}: frequency_hz must ascend; ${frequencies[i]} follows ${frequencies[i - 1]}`)
  }
  if (!frequencies)
    return {
      name: at,
      eps: [epsReal[0], epsImag[0]],
      mu: [muReal[0], muImag[0]],
      conductivity: conductivity[0],
    }
  const values = epsReal.map((x, i) => [x, epsImag[i], muReal[i], muImag[i], conductivity[i]])
  return { name: at, frequencies, values }
}

function debyeOf(given: Omit<MediumDescription, 'description'>, at: string): Medium {
  const { debye: d, active, ...others } = given
  const stray = Object.entries(others).find(([, value]) => value !== undefined)
  if (stray) throw new InputError(`${at}: debye gives eps and mu; leave ${stray[0]} out`)
  const { eps_infinity, eps_static, eps_relaxation_hz, mu_infinity, mu_static, mu_relaxation_hz } = d!
  if (Math.abs(eps_static) < LEAST || Math.abs(mu_static) < LEAST)
    throw new InputError(`${at}.debye: eps_static and mu_static must not be 0`)
  if ((eps_static < eps_infinity || mu_static < mu_infinity) && !active)
    throw new InputError(
      `${at}.debye: static is less than infinity, a gain; exchange them, or give "active": true if that is meant`,
    )
  return {
    name: at,
    debye: {
      eps: { infinity: eps_infinity, low: eps_static, relaxationHz: eps_relaxation_hz },
      mu: { infinity: mu_infinity, low: mu_static, relaxationHz: mu_relaxation_hz },
    },
  }
}
