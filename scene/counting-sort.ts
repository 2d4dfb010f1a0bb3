/**
 * Places 0 ... n - 1 in ascending order of their keys, those of one key as they stood: a stable counting sort, in
 * O(n + keys). Sorting by the last of several keys first, then by the one before it, sorts by all of them.
 *
 * @param key  n keys
 * @param keys  more than the largest key
 * @param before  the order that they stand in; ascending where it is absent
 */
export function orderByKey(key: Uint32Array, keys: number, before?: Uint32Array): Uint32Array {
  const next = new Uint32Array(keys + 1)
  for (let i = 0; i < key.length; i++) next[key[i] + 1]++
  for (let k = 0; k < keys; k++) next[k + 1] += next[k]
  const order = new Uint32Array(key.length)
  if (before)
    for (let i = 0; i < key.length; i++) {
      const place = before[i]
      order[next[key[place]]++] = place
    }
  else for (let i = 0; i < key.length; i++) order[next[key[i]]++] = i
  return order
}
