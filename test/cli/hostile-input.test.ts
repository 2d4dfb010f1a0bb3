import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { writeNpy } from '../../formats/npz.js'
import { makeFolder } from '../../run/sweep/row-store.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const plate = resolve('samples/plate.stl')
const folder = temporaryFolder()
const RUN = ['rcs', plate, '--freq', '1e9', '--device', 'cpu']

describe('options of any size', () => {
  it('takes as many workers as there are cores, and says so', async () => {
    const out = join(folder, 'workers.csv')
    const { code, stderr } = await isar`${RUN} --workers 1000 --out ${out}`
    const cores = availableParallelism()
    expect(stderr).toContain(`1000 workers are more than this machine's cores: ${cores} are used`)
    expect(code).toBe(0)
  })

  it.each(['x.txt', 'x.xlsx', 'x.json', 'x.3mf', 'x.unv'])(
    'refuses to write %s, which would be a folder',
    async (name) => {
      await expectRefusal([...RUN, '--out', join(folder, name)], /^isar: --out .*: this command writes no \.\w+ file; give the name of a folder/, folder) // prettier-ignore
    },
  )

  const polygon = (corners: number): string => {
    const file = join(folder, 'polygon.obj')
    const circle = Array.from({ length: corners }, (_, i) => (2 * Math.PI * i) / corners)
    const lines = circle.map((a) => `v ${Math.cos(a)} ${Math.sin(a)} 0`)
    writeFileSync(file, [...lines, `f ${circle.map((_, i) => i + 1).join(' ')}`].join('\n'))
    return file
  }
  it.each([
    ['angles beyond ten turns', () => ['--theta', '1e308'], /^isar: --theta: 1e\+308 is out of range/m],
    ['ten million angles', () => ['--theta', '0:90:9e-6'], /^isar: --theta .* has 10000001 values/m],
    [
      'ten million pairs of angles',
      () => ['--theta', '0:90:0.01', '--phi', '0:360:0.3'],
      /^isar: .*too many/m,
    ],
    ['a face of 90,000 corners', () => ['MESH', polygon(90_000)], /^isar: .*a face with 90000 vertices/m],
  ])('refuses %s at once', async (_, change, says) => {
    const [name, value, ...others] = change()
    const mesh = name === 'MESH' ? value : plate
    const args = words`rcs ${mesh} --freq 1e9 --device cpu --quiet --out ${join(folder, 'refused')}`
    await expectRefusal(name === 'MESH' ? args : [...args, name, value, ...others], says, folder)
  })

  it.skipIf(!existsSync('/proc/self'))(
    'ends where a folder cannot be made although its parent is there',
    () => {
      expect(() => makeFolder('/proc/isar/deeper')).toThrow(/cannot make the folder .*ENOENT; choose another/)
    },
  )
})

describe('files that a scene names', () => {
  const scene = readJson<Record<string, unknown>>('samples/tunnel.json')
  const sceneWith = (name: string, change: object): string => {
    writeFileSync(join(folder, name), JSON.stringify({ ...scene, ...change }))
    return join(folder, name)
  }

  it('with two million frequencies is refused for its memory at once', async () => {
    const frequency = Array.from({ length: 2_000_000 }, (_, i) => 1e9 + i)
    const args = ['propagate', sceneWith('many.json', { frequency }), '--device', 'cpu', '--quiet']
    await expectRefusal(args, /^isar: the run needs about .* of the 2000000 frequencies at a time/, folder)
  })

  it.skipIf(process.platform === 'win32')('are regular ones: no device, no pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.csv')])
    symlinkSync('/dev/zero', join(folder, 'zero.csv'))
    for (const args of [
      ['propagate', '/dev/zero'],
      ['propagate', sceneWith('a.json', { receivers: [{ name: 'a', file: 'zero.csv' }], paths: [] })],
      ['propagate', sceneWith('b.json', { receiverAntenna: { pattern: 'pipe.csv' } })],
      ['dataset', '/dev/zero'],
    ])
      await expectRefusal(args, /^isar: .*not a regular file; give/, folder)
  })

  it('are shown without what steers a terminal', async () => {
    const name = join(folder, 'red\u001b[31m\u202e.stl')
    writeFileSync(name, readFileSync(plate))
    const { stderr } = await isar`rcs ${name} --freq 1e9 --device cpu --out ${join(folder, 'r.csv')}`
    expect(stderr).toContain('red\\u001b[31m\\u202e')
    expect(stderr).not.toContain('\u001b')
  })
})

describe('files that lie', () => {
  it('an archive that inflates beyond its declared shape is left there', () => {
    const head = writeNpy('a', { data: new Uint8Array(8), shape: [8], dtype: '|u1' }).subarray(0, 128)
    const bomb = new Uint8Array(2 ** 28)
    bomb.set(head)
    const archive = zipSync({ 'a.npy': [bomb, { level: 1 }] })
    const before = process.memoryUsage().arrayBuffers
    expect(() => readNpz(archive)).toThrow('"a" in the .npz file has more than 8 bytes of 8')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 26)
  })
})
