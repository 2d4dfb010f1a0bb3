import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'

const folder = temporaryFolder()
const write = (name: string, value: object): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(value))
  return path
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const cube = resolve('samples/cube.stl')

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
