import { expect, test } from 'vitest'
import { orderByKey } from '../../math/partition.js'
import { random } from '../helpers/random.js'

test('puts places in the order of their keys, those of one key as they stood', () => {
  const next = random(7)
  const key = Uint32Array.from({ length: 500 }, () => Math.floor(40 * next()))
  const expected = [...key.keys()].sort((i, j) => key[i] - key[j] || i - j)
  expect([...orderByKey(key, 40)]).toEqual(expected)
})

test('sorts by several keys, the last one first', () => {
  const next = random(8)
  const [first, second] = [0, 1].map(() => Uint32Array.from({ length: 500 }, () => Math.floor(9 * next())))
  const order = orderByKey(first, 9, orderByKey(second, 9))
  expect([...order]).toEqual(
    [...first.keys()].sort((i, j) => first[i] - first[j] || second[i] - second[j] || i - j),
  )
})

test('takes no keys, and keys that none has', () => {
  expect([...orderByKey(new Uint32Array(), 0)]).toEqual([])
  expect([...orderByKey(Uint32Array.of(5, 5, 2), 100)]).toEqual([2, 0, 1])
})
