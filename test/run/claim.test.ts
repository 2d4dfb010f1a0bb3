import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openKept, RowStore } from '../../run/sweep/index.js'
import { checkResults, claimLocation, folderLocation } from '../../run/results.js'
import { temporaryFolder } from '../cli/cli.js'

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
