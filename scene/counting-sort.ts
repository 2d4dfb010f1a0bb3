/**
 * Places 0 ... n - 1 in ascending order of their keys, those of one key as they stood: a stable counting sort, in
 * O(n + keys). Sorting by the last of several keys first, then by the one before it, sorts by all of them.
 *
 * @param key  n keys
 * @param keys  more than the largest key
 * @param before  the order that they stand in; ascending where it is absent
 */
export function orderByKey(key: Uint32Array, keys: number, before = ascending(key.length)): Uint32Array {
  const next = new Uint32Array(keys + 1)
  countKeys(key, next)
  addUp(next)
  const order = new Uint32Array(key.length)
  for (let i = 0; i < order.length; i++) order[next[key[before[i]]]++] = before[i]
  return order
}

/** 0 ... n - 1. */
export function ascending(n: number): Uint32Array {
  const numbers = new Uint32Array(n)
  for (let i = 0; i < n; i++) numbers[i] = i
  return numbers
}

/** Counts the numbers of each key, in the place behind the key's. */
function countKeys(key: Uint32Array, counts: Uint32Array): void {
  for (let i = 0; i < key.length; i++) counts[key[i] + 1]++
}

/** Makes every number the sum of all up to it. */
function addUp(numbers: Uint32Array): void {
  for (let i = 1; i < numbers.length; i++) numbers[i] += numbers[i - 1]
}
