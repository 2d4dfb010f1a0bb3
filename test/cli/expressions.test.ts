import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { expectRefusal } from './refusal.js'
import { isar, temporaryFolder } from './cli.js'

const folder = temporaryFolder()
const write = (name: string, value: object): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(value))
  return path
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const cube = resolve('samples/cube.stl')

it('a coating that is a function of f has the RCS of the same relaxation, and meta.json keeps the text', async () => {
  const coat = (medium: object, thickness_m: number | string): object => ({
    media: { m: medium },
    materials: { coat: { coating: [{ medium: 'm', thickness_m }] } },
    default: 'coat',
  })
  const plain = write('plain.json', coat({ debye: { eps_infinity: 2, eps_static: 6, eps_relaxation_hz: 2e9 } }, 0.0254)) // prettier-ignore
  const own = write('own.json', coat({ eps_r: '2 + 4 / (1 + i f / (2 GHz))' }, '1 in'))
  const [a, b] = await Promise.all(
    [plain, own].map(async (materials, i) => {
      const out = join(folder, `${i}.csv`)
      const run =
        await isar`rcs ${cube} --band 0.4:0.6GHz:3 --phi 20,40 --materials ${materials} --device cpu --rays-per-wavelength 4 --out ${out}`
      expect([run.code, run.stderr]).toEqual([0, expect.anything()])
      return read(`${i}.csv`).trim().split(/[\n,]/).map(Number)
    }),
  )
  expect(a.length).toBeGreaterThan(60)
  // Cross-polar levels are those of rounding.
  b.forEach((x, i) => Number.isFinite(a[i]) && expect(Math.max(x, -250)).toBeCloseTo(Math.max(a[i], -250), 5))
  const { mesh } = JSON.parse(read('1.meta.json')) as { mesh: { expressions?: object } }
  expect(mesh.expressions).toEqual({
    'media.m.eps_r': '2 + 4 / (1 + i f / (2 GHz))',
    'materials.coat.coating.0.thickness_m': '1 in',
  })
  expect((JSON.parse(read('0.meta.json')) as { mesh: object }).mesh).not.toHaveProperty('expressions')
})

it('a motion with units has the pulses of the same numbers, byte for byte, and meta.json keeps the text', async () => {
  const motion = (s: boolean): object => ({
    mesh: cube,
    radar: { freq_hz: 150e6, prf_hz: s ? '0.1 kHz' : 100, pulses: 64, theta_deg: s ? '1.2 rad' : (1.2 * 180) / Math.PI }, // prettier-ignore
    motion: { velocity_m_s: [s ? '18 km/h' : 5, 0, 0], rates_deg_s: [0, 0, s ? '0.1 rev/s' : 36] },
  })
  for (const [name, s] of [
    ['m0', false],
    ['m1', true],
  ] as const) {
    // prettier-ignore
    const run = await isar(['doppler', write(`${name}.json`, motion(s)), '--device', 'cpu', '--rays-per-wavelength', '4', '--pol', 'vv', '--out', join(folder, name)]) // prettier-ignore
    expect([run.code, run.stderr]).toEqual([0, expect.anything()])
  }
  expect(read('m1/pulses.npz')).toBe(read('m0/pulses.npz'))
  const of = (name: string) => (JSON.parse(read(`${name}/meta.json`)) as { motion: object }).motion
  expect(of('m1')).toMatchObject({ expressions: { 'motion.velocity_m_s.0': '18 km/h', 'radar.theta_deg': '1.2 rad' } }) // prettier-ignore
  expect(of('m0')).not.toHaveProperty('expressions')
})

it.each(['import("fs")', `${'('.repeat(1e6)}1${')'.repeat(1e6)}`, 'x = 3', '1e9!', 'f.constructor'])(
  'what is no expression is refused in one short line: %.40s',
  async (text) => {
    const path = write('bad.json', { media: { m: { eps_r: text } } })
    const says = /^(?=.{1,299}\n$)isar: .*bad\.json: media\.m\.eps_r: "/
    await expectRefusal(['materials', 'list', '--materials', path], says, folder)
  },
)

it('mathjs is loaded for texts with units alone', async () => {
  const env = { NODE_DEBUG: 'module' }
  for (const args of [
    ['--help'],
    ['rcs', '--help'],
    ['materials', 'list', '--materials', 'samples/materials.json'],
  ])
    expect((await isar(args, { env })).stderr).not.toContain('mathjs')
  const path = write('inch.json', { materials: { a: { sheet: [{ medium: 'glass', thickness_m: '1 in' }] } } })
  expect((await isar(['materials', 'list', '--materials', path], { env })).stderr).toContain('mathjs')
})
