import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { refuseIfHeld, takeLock } from '../../formats/atomic.js'
import { checkResults, claimLocation, folderLocation } from '../../run/results.js'
import { openKept, RowStore } from '../../run/sweep/index.js'
import { InputError } from '../../scene/index.js'
import { temporaryFolder } from '../cli/cli.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const path = join(folder, 'lock')
const owner = (): Record<string, unknown> => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>

it('one holder at a time; given back, it can be taken again', () => {
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

it('of a process that is gone it is taken over: by number, by start, by the machine’s start, half-made', () => {
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

it('of a process of another container, whose numbers are its own, it is not taken over', () => {
  takeLock(path)
  writeFileSync(path, JSON.stringify({ ...owner(), pid: 2 ** 22 + 1, start: '', space: 'pid:[1]' }))
  expect(() => takeLock(path)).toThrow(/another container; .*delete .*lock if it no longer runs/)
  rmSync(path)
})

it('a store is open once, and rows keep their numbers', async () => {
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

const how = { resume: false, force: false }

describe('a run whose place another takes at the same time', () => {
  it('is refused under the lock where the other has finished, and leaves nothing behind', async () => {
    const place = folderLocation(temporaryFolder())
    claimLocation(place, ['rcs.csv'], how)
    // Another process: lock, results, done.
    writeFileSync(place.file('rcs.csv'), 'theirs')
    const check = checkResults(place, ['rcs.csv'], how)
    await expect(RowStore.open(place.partial, 'k', 2, false, check)).rejects.toThrow(/exists; give --force/)
    await expect(openKept(place.partial, 'k', true, check)).rejects.toThrow(/exists; give --force/)
    expect(existsSync(place.partial)).toBe(false)
    const force = checkResults(place, ['rcs.csv'], { force: true })
    ;(await RowStore.open(place.partial, 'k', 2, false, force)).discard()
  })

  it('does not take the other for an interrupted one where that has only made its folder', async () => {
    const place = folderLocation(temporaryFolder())
    mkdirSync(place.partial)
    claimLocation(place, ['rcs.csv'], how)
    ;(await RowStore.open(place.partial, 'k', 2, false)).close()
    expect(() => claimLocation(place, ['rcs.csv'], how)).toThrow(/holds an interrupted run/)
  })

  it('goes on where an interrupted run has some of its results', async () => {
    const place = folderLocation(temporaryFolder())
    const check = checkResults(place, ['rcs.csv'], how)
    ;(await RowStore.open(place.partial, 'k', 2, false, check)).close()
    writeFileSync(place.file('rcs.csv'), 'half of them')
    ;(await RowStore.open(place.partial, 'k', 2, true, check)).close()
    await expect(RowStore.open(place.partial, 'k', 2, false, check)).rejects.toThrow(/exists/)
    expect(existsSync(join(place.partial, 'plan.json'))).toBe(true)
  })
})
