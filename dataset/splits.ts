import { parseQuantity } from '../formats/expression.js'
import { InputError } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { PURPOSE, Random } from '../math/random.js'

/** The properties of an image that splits depend on. */
export interface SplitProperties {
  target: number
  copy: number
  /** As configured, without jitter [degrees]. */
  elevationDeg: number
  /** First and last azimuth of its aspects [degrees]. */
  azimuths: [number, number]
}

/** What splits take of a configuration. */
export type SplitConfig = Pick<DatasetConfig, 'splits' | 'seed'> & {
  targets: { label: string; name?: string; mesh?: string }[]
  copies: Pick<DatasetConfig['copies'], 'count'>
  jitter: Pick<DatasetConfig['jitter'], 'elevationDeg'>
}

/** The part that an image belongs to; null where its aspects reach into two parts, so that it is dropped. */
export type SplitRule = (properties: SplitProperties) => string | null

/**
 * Distributes `items` among parts in random order: each gets its share, rounded, and at least one.
 * @throws InputError where there are fewer items than parts
 */
export function share<T>(
  items: T[],
  parts: Record<string, number>,
  random: Random,
  what: string,
): Map<T, string> {
  const names = Object.keys(parts)
  if (items.length < names.length)
    throw new InputError(
      `splits: ${items.length} ${what} cannot be distributed among ${names.length} parts (${names.join(', ')}); give more of them, fewer parts, or another "by"`,
    )
  const total = names.reduce((s, n) => s + parts[n], 0)
  const counts = names.map((n) => Math.max(1, Math.floor((items.length * parts[n]) / total)))
  // The remainder of rounding, of either sign, goes to the largest share.
  const largest = names.reduce((best, n, i) => (parts[n] > parts[names[best]] ? i : best), 0)
  counts[largest] += items.length - counts.reduce((s, n) => s + n, 0)
  const order = random.permutation(items.length)
  const result = new Map<T, string>()
  let at = 0
  names.forEach((name, i) => {
    for (let k = 0; k < counts[i]; k++) result.set(items[order[at++]], name)
  })
  return result
}

const wrap = (deg: number): number => ((deg % 360) + 360) % 360

/** How images are distributed among the parts of a dataset. @throws InputError where the configuration cannot be met */
export function splitRule(config: SplitConfig, elevations: number[]): SplitRule {
  const { splits, seed, targets, copies, jitter } = config
  if (!splits) return () => ''
  const { by, parts, blockDeg, assign } = splits
  const random = new Random(seed, PURPOSE.split)
  if (by === 'azimuth') {
    const blocks = Array.from({ length: Math.round(360 / blockDeg) }, (_, i) => i)
    const partOf = share(blocks, parts, random, 'blocks of azimuth')
    return ({ azimuths: [first, last] }) => {
      const part = partOf.get(blockOf(first, blockDeg, blocks.length))!
      // Aspects on the border of two blocks belong to both.
      for (let at = first; at < last + blockDeg; at += blockDeg)
        if (partOf.get(blockOf(Math.min(at, last), blockDeg, blocks.length)) !== part) return null
      return part
    }
  }
  if (assign) return assigned(config, assign)
  if (by === 'elevation') {
    const partOf = share([...new Set(elevations)], parts, random, 'elevations')
    checkJitter(partOf, jitter.elevationDeg)
    return ({ elevationDeg }) => partOf.get(elevationDeg)!
  }
  if (by === 'copy') {
    const numbers = Array.from({ length: copies.count }, (_, i) => i)
    const partOf = share(numbers, parts, random, 'copies')
    return ({ copy }) => partOf.get(copy)!
  }
  // Every class has a target in every part.
  const partOf = new Map<number, string>()
  for (const label of new Set(targets.map((t) => t.label))) {
    const own = targets.flatMap((t, i) => (t.label === label ? [i] : []))
    share(own, parts, random, `target${own.length === 1 ? '' : 's'} of class ${label}`).forEach((p, i) =>
      partOf.set(i, p),
    )
  }
  return ({ target }) => partOf.get(target)!
}

const blockOf = (deg: number, blockDeg: number, blocks: number): number =>
  Math.floor(wrap(deg) / blockDeg) % blocks

/** Elevations of different parts must not meet. */
function checkJitter(partOf: Map<number, string>, jitterDeg: number): void {
  const list = [...partOf].sort(([a], [b]) => a - b)
  list.slice(1).forEach(([elevation, part], i) => {
    const [before, other] = list[i]
    if (part !== other && elevation - before <= 2 * jitterDeg)
      throw new InputError(
        `splits: with a jitter of ${jitterDeg} degrees the elevations ${before} (${other}) and ${elevation} (${part}) overlap; lower jitter.elevationDeg`,
      )
  })
}

function assigned(config: SplitConfig, assign: Record<string, (string | number)[]>): SplitRule {
  const { by } = config.splits!
  const keyOf = ({ target, copy, elevationDeg }: SplitProperties): string | number => {
    if (by === 'target') return targetName(config, target)
    return by === 'copy' ? copy : elevationDeg
  }
  const partOf = new Map<string | number, string>()
  for (const [part, keys] of Object.entries(assign))
    for (const given of keys) {
      const key = by === 'elevation' ? parseQuantity(String(given), 'deg') : given
      const there = partOf.get(key)
      if (there !== undefined)
        throw new InputError(`splits.assign: ${by} ${key} is assigned to ${there} and to ${part}; remove one`)
      partOf.set(key, part)
    }
  if (by === 'elevation')
    checkJitter(new Map([...partOf].map(([k, p]) => [Number(k), p])), config.jitter.elevationDeg)
  return (properties) => {
    const part = partOf.get(keyOf(properties))
    if (part === undefined)
      throw new InputError(`splits.assign: ${by} ${keyOf(properties)} is assigned to no part; add it to one`)
    return part
  }
}

/** Name of a target: its own, or its mesh file's without folder and ending. */
export function targetName({ targets }: Pick<SplitConfig, 'targets'>, i: number): string {
  const { name, mesh = '' } = targets[i]
  return name ?? mesh.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
}
