import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isar } from '../../cli/cli.js'
import { scratchFolder } from '../../helpers/scratch.js'

const folder = scratchFolder()

it('isar site writes a page whose files are all there, and overwrites none unasked', async () => {
  const out = join(folder, 'page')
  const first = await isar`site --out ${out}`
  expect([first.code, first.stdout]).toEqual([0, ''])
  expect(first.stderr).toMatch(/^wrote {5}.*page: \d+ files, [234]\.\d MB, for any web server\n$/)
  const page = readFileSync(join(out, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file)
  expect(files.length).toBeGreaterThan(4)
  // Relative, within the folder: any path will do.
  expect(files.filter((file) => !file.startsWith('./') || !existsSync(join(out, file)))).toEqual([])
  const again = await isar`site --out ${out}`
  expect(again.code).toBe(2)
  expect(again.stderr).toMatch(/index\.html exists; give --force to overwrite it or another --out\n$/)
  expect((await isar`site --out ${out} --force --quiet`).stderr).toBe('')
  const file = await isar`site --out ${join(folder, 'page.zip')}`
  expect([file.code, existsSync(join(folder, 'page.zip'))]).toEqual([2, false])
})
