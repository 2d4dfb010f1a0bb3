/**
 * The indices 0 ... n - 1 in ascending order of their keys, and where in it those of each key begin (`keys` + 1 offsets): a stable counting
 * sort in O(n + keys).
 *
 * @param key  n keys
 * @param keys  more than the largest key
 * @param before  initial order of the indices; default ascending
 */
export function groupByKey(
  key: Uint32Array,
  keys: number,
  before = ascending(key.length),
): { start: Uint32Array; order: Uint32Array } {
  const start = new Uint32Array(keys + 1)
  countKeys(key, start)
  addUp(start)
  const next = start.slice()
  const order = new Uint32Array(key.length)
  for (let i = 0; i < order.length; i++) order[next[key[before[i]]]++] = before[i]
  return { start, order }
}

/** The order of `groupByKey` alone. For several keys, sort by the last one first. */
export const orderByKey = (key: Uint32Array, keys: number, before?: Uint32Array): Uint32Array =>
  groupByKey(key, keys, before).order

/** Adds a value to the list of a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

/** 0 ... n - 1. */
function ascending(n: number): Uint32Array {
  const numbers = new Uint32Array(n)
  for (let i = 0; i < n; i++) numbers[i] = i
  return numbers
}

/** Counts the indices of each key, stored at key + 1. */
function countKeys(key: Uint32Array, counts: Uint32Array): void {
  for (let i = 0; i < key.length; i++) counts[key[i] + 1]++
}

/** Prefix sum, in place. */
function addUp(numbers: Uint32Array): void {
  for (let i = 1; i < numbers.length; i++) numbers[i] += numbers[i - 1]
}

/** Disjoint sets of the numbers below `size`; the smallest number of a set is its root. */
export class DisjointSets {
  private readonly parent: Uint32Array

  constructor(size: number) {
    this.parent = new Uint32Array(size)
    for (let i = 0; i < size; i++) this.parent[i] = i
  }

  root(i: number): number {
    const { parent } = this
    while (parent[i] !== i) {
      parent[i] = parent[parent[i]]
      i = parent[i]
    }
    return i
  }

  join(i: number, j: number): void {
    const a = this.root(i)
    const b = this.root(j)
    if (a < b) this.parent[b] = a
    else this.parent[a] = b
  }

  /** The sets, numbered in the order of their smallest numbers: how many there are, and the set of each number. */
  numbered(): { count: number; of: Uint32Array } {
    const of = new Uint32Array(this.parent.length)
    let count = 0
    // The root is its set's smallest number, so it is numbered before the other members.
    for (let i = 0; i < of.length; i++) {
      const root = this.root(i)
      of[i] = root === i ? count++ : of[root]
    }
    return { count, of }
  }
}
