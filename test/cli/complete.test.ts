import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'
import { HALL, write } from './fixtures.js'
import { words } from '../helpers/words.js'

const cube = resolve('samples/cube.stl')

const room = (folder: string): string =>
  write(folder, 'room.json', { ...HALL, rays: 1000, maxReflections: undefined, paths: [] })

it.each([
  ['rcs', () => ['rcs', cube, '--freq', '3e8', '--plot', '--device', 'cpu'], ['--phi', '1'], 'x.csv'],
  ['render', () => words`render ${cube} --band 4e8:6e8:4 --angles 4 --device cpu`, ['--window', 'none'], 'x'],
  ['propagate', (folder: string) => ['propagate', room(folder), '--device', 'cpu', '--no-plot'], ['--max-reflections', '1'], 'x'], // prettier-ignore
] as [string, (folder: string) => string[], string[], string][])(
  '%s --resume on a finished run says that it is complete, touches nothing and exits 0',
  async (_, command, other, out) => {
    const folder = temporaryFolder()
    const args = [...command(folder), '--out', join(folder, out)]
    expect((await isar(args)).code).toBe(0)
    const state = () =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).map((f) => {
        const path = join(f.parentPath, f.name)
        return [path, statSync(path).mtimeMs]
      })
    const before = state()
    const again = await isar`${args} --resume --json`
    expect(again.stderr).toMatch(/already complete/)
    expect(JSON.parse(again.stdout)).toMatchObject({ complete: true })
    expect(again.code).toBe(0)
    // Another run is another matter, and so is one without --resume.
    const changed = await isar`${args} ${other} --resume`
    expect(changed.stderr).toMatch(/is of a finished run with other options.*--force/)
    expect(changed.code).toBe(2)
    expect((await isar(args)).stderr).toMatch(/exists; give --force/)
    expect(state()).toEqual(before)
  },
)

it('an existing result is left alone without --force', async () => {
  const folder = temporaryFolder()
  const out = write(folder, 'old.csv', 'precious')
  const { code, stderr } = await isar`rcs samples/plate.stl --freq 3e8 --out ${out}`
  expect(code).toBe(2)
  expect(stderr).toMatch(/old\.csv exists.*--force/)
  expect(readFileSync(out, 'utf8')).toBe('precious')
  expect(existsSync(`${out}.partial`)).toBe(false)
  expect((await isar`rcs samples/plate.stl --freq 3e8 --out ${out} --force`).code).toBe(0)
  expect(readFileSync(out, 'utf8')).toMatch(/^freq_hz,theta_deg/)
})
