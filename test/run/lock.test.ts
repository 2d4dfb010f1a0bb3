import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refuseIfHeld, takeLock } from '../../formats/atomic.js'
import { RowStore } from '../../run/sweep/row-store.js'
import { InputError } from '../../scene/index.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const path = join(folder, 'lock')
const owner = (): Record<string, unknown> => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>

test('one holder at a time; given back, it can be taken again', () => {
  const release = takeLock(path)
  expect(() => takeLock(path)).toThrow(InputError)
  expect(() => refuseIfHeld(path)).toThrow(
    `these results are being written by process ${process.pid}, which holds ${path}; wait`,
  )
  release()
  refuseIfHeld(path)
  takeLock(path)()
  expect(readdirSync(folder)).toEqual([])
})

test('of a process that is gone it is taken over: by number, by start, by the machine’s start, half-made', () => {
  takeLock(path)
  const mine = owner()
  const stale = [
    JSON.stringify({ ...mine, pid: 2 ** 22 + 1, start: '' }),
    JSON.stringify({ ...mine, start: '1' }),
    JSON.stringify({ ...mine, boot: 'an earlier one' }),
    '',
    '{"pid":',
  ]
  for (const text of stale) {
    writeFileSync(path, text)
    // One without contents may be in the making.
    utimesSync(path, new Date(), new Date(Date.now() - 60_000))
    const release = takeLock(path)
    expect(owner()).toEqual(mine)
    release()
  }
  writeFileSync(path, '')
  expect(() => takeLock(path)).toThrow(/being locked by another run/)
  writeFileSync(path, JSON.stringify({ ...mine, host: 'elsewhere' }))
  expect(() => takeLock(path)).toThrow(/on elsewhere; .*delete .*lock if it no longer runs/)
  rmSync(path)
})

test('of a process of another container, whose numbers are its own, it is not taken over', () => {
  takeLock(path)
  writeFileSync(path, JSON.stringify({ ...owner(), pid: 2 ** 22 + 1, start: '', space: 'pid:[1]' }))
  expect(() => takeLock(path)).toThrow(/another container; .*delete .*lock if it no longer runs/)
  rmSync(path)
})

test('a store is open once, and rows keep their numbers', async () => {
  const rows = join(folder, 'rows')
  const store = await RowStore.open(rows, 'k', 2, false)
  store.add(3, Float64Array.of(1, 2))
  // Rows may be shorter.
  store.add(4, Float64Array.of(5))
  expect(() => store.add(5, new Float64Array(3))).toThrow(/more than 2/)
  for (const resume of [true, false])
    await expect(RowStore.open(rows, 'k', 2, resume)).rejects.toThrow(/being written by process/)
  store.close()
  const bytes = readFileSync(join(rows, 'rows.bin'))
  const second = 12 + 8 * 2
  // A damaged row number; a length that is damaged, or longer than the file.
  for (const [at, value] of [
    [second, 5],
    [second + 8, 0],
    [second + 8, 3],
    [second + 11, 255],
  ]) {
    const damaged = Buffer.from(bytes)
    damaged[at] = value
    writeFileSync(join(rows, 'rows.bin'), damaged)
    const again = await RowStore.open(rows, 'k', 3, true)
    expect([...again.rows.keys()]).toEqual([3])
    again.close()
  }
  writeFileSync(join(rows, 'rows.bin'), bytes)
  const again = await RowStore.open(rows, 'k', 2, true)
  expect([...again.rows]).toEqual([
    [3, Float64Array.of(1, 2)],
    [4, Float64Array.of(5)],
  ])
  again.discard()
  expect(readdirSync(folder)).toEqual([])
})
