import { afterAll, describe, expect, it } from 'vitest'
import { fuzz, stopReaders } from './fuzz/drive.js'
import { isCad, KINDS } from './fuzz/seeds.js'
import { record } from './record.js'

/** Mutated files, as many of each kind; the whole claim is 100,000 (npm run docs -- reliability). */
const FILES = Number(process.env.ISAR_FUZZ_FILES ?? 1500)
/** Another seed gives other files; one seed always the same. */
const SEED = Number(process.env.ISAR_FUZZ_SEED ?? 1)

afterAll(stopReaders)

describe('mutated files are read or refused, in time and memory', () => {
  it.each(Object.entries(KINDS))(
    '%s',
    async (name, kind) => {
      // CAD starts a thread for each file, which takes a second.
      const each = Math.ceil(FILES / Object.keys(KINDS).length / (isCad(kind) ? 8 : 1))
      const { counts, failures, slowest, largest } = await fuzz(kind, each, SEED)
      record('fuzz', {
        kind: name,
        files: each,
        read: counts.read ?? 0,
        refused: counts.refused ?? 0,
        failures: failures.length,
        'slowest, s of processor': Number(slowest.toFixed(2)),
        'most memory, MiB': Math.round(largest),
      })
      expect(failures.slice(0, 8)).toEqual([])
      // A mutation that breaks everything, or nothing, tests nothing.
      expect(Math.min(counts.read ?? 0, counts.refused ?? 0)).toBeGreaterThan(0.02 * each)
    },
    120_000 + 1000 * FILES,
  )
})
