import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'
import { words } from '../helpers/words.js'

const cube = resolve('samples/cube.stl')

function room(folder: string): string {
  const path = join(folder, 'room.json')
  const scene = {
    name: 'room',
    frequency: 9e8,
    geometry: [{ box: { min: [0, 0, 0], max: [4, 4, 4], inward: true }, material: 'pec' }],
    transmitter: { position: [2, 2, 2] },
    receivers: [{ name: 'desk', points: [[1, 1, 1]] }],
    rays: 1000,
  }
  writeFileSync(path, JSON.stringify(scene))
  return path
}

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
