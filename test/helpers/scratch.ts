import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A new folder that goes with the tests of the file or of the `describe` that calls this. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'isar-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
