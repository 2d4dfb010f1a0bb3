import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { openResult } from '../../views/server/open-result.js'
import { isar, temporaryFolder, readJson } from './cli.js'

it('tables of one name and different endings stand beside each other, each with its own companions', async () => {
  const folder = temporaryFolder()
  const path = (name: string): string => join(folder, name)
  const rcs = (name: string, phi: string, ...more: string[]) =>
    isar(['rcs', resolve('samples/plate.stl'), '--freq', '3e8', '--phi', phi, '--device', 'cpu', '--out', path(name), ...more]) // prettier-ignore
  for (const [name, phi] of [
    ['x.npz', '1'],
    ['x.h5', '2'],
    ['x.csv', '3'],
    ['x.ffe', '6'],
  ]) {
    const { code, stderr } = await rcs(name, phi)
    expect([code, /isar:/.test(stderr)]).toEqual([0, false])
  }
  const phiOf = (name: string): string => readJson<{ options: { phi: string } }>(path(name)).options.phi
  expect(['x.meta.json', 'x.h5.meta.json', 'x.csv.meta.json', 'x.ffe.meta.json'].map(phiOf)).toEqual(['1', '2', '3', '6']) // prettier-ignore
  expect(existsSync(path('x.csv.timing.json'))).toBe(true)
  // Existing results are found by --resume, --force and the viewer.
  for (const [name, phi] of [
    ['x.npz', '1'],
    ['x.h5', '2'],
    ['x.csv', '3'],
  ])
    expect((await rcs(name, phi, '--resume')).stderr).toMatch(/already complete/)
  expect((await rcs('x.npz', '4')).stderr).toMatch(/x\.(npz|meta\.json) exists; give --force/)
  expect((await rcs('x.npz', '5', '--force')).code).toBe(0)
  expect(['x.meta.json', 'x.h5.meta.json', 'x.csv.meta.json'].map(phiOf)).toEqual(['5', '2', '3'])
  const phis = await Promise.all(['x.npz', 'x.csv'].map(async (name) => (await openResult(path(name))).meta))
  expect((await openResult(path('x.h5'))).history?.layers.map(({ name }) => name)).toEqual(['vv', 'hh', 'vh', 'hv']) // prettier-ignore
  expect(phis.map((meta) => (meta?.options as { phi?: string } | undefined)?.phi)).toEqual(['5', '3'])
})

it('a table stands beside a .ffe file of its name', async () => {
  const folder = temporaryFolder()
  const rcs = (name: string) =>
    isar`rcs ${resolve('samples/plate.stl')} --freq 3e8 --device cpu --out ${join(folder, name)}`
  expect((await rcs('x.ffe')).code).toBe(0)
  expect((await rcs('x.csv')).code).toBe(0)
  expect(existsSync(join(folder, 'x.csv.meta.json'))).toBe(true)
})
