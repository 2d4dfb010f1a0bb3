import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from './cli.js'
import { words } from '../helpers/words.js'

describe('isar centres of a rendered sphere of 1 m', () => {
  const folder = temporaryFolder()
  const out = join(folder, 'r')

  beforeAll(async () => {
    const args = words`--band 1e9:1.6e9 --theta 90 --phi 30 --pol vv --rays-per-wavelength 5`
    const run =
      await isar`render ${resolve('samples/sphere.stl')} ${args} --diffraction none --polar-format --out ${out} --quiet`
    expect(run.code).toBe(0)
  })

  it('finds the specular point: place, and RCS of the disc', async () => {
    const run = await isar`centres ${out} --floor 15 --json`
    expect(run.code).toBe(0)
    const { channels } = JSON.parse(run.stdout) as { channels: { vv: { residual_energy: number } } }
    expect(channels.vv.residual_energy).toBeLessThan(0.1)
    const [head, first] = readFileSync(join(out, 'centres-vv.csv'), 'utf8').split('\n')
    expect(head).toBe('number,range_m,cross_range_m,sigma_dbsm,phase_deg,re,im,x_m,y_m')
    const [number, range, cross, sigma, , re, im, x, y] = first.split(',').map(Number)
    expect(number).toBe(1)
    expect(Math.abs(range + 1)).toBeLessThan(0.1)
    expect(Math.abs(cross)).toBeLessThan(0.1)
    expect(Math.abs(sigma - 10 * Math.log10(Math.PI))).toBeLessThan(0.5)
    expect(10 * Math.log10(re * re + im * im)).toBeCloseTo(sigma, 2)
    // 1 m towards the radar at 30 degrees
    expect(Math.hypot(x - Math.cos(Math.PI / 6), y - Math.sin(Math.PI / 6))).toBeLessThan(0.15)
    expect(readFileSync(join(out, 'centres-vv.png')).subarray(1, 4).toString()).toBe('PNG')
  })

  it('does not touch results without --force, and wants a rendered folder', async () => {
    expect((await isar`centres ${out}`).code).toBe(2)
    expect((await isar`centres ${join(out, 'image.npz')} --force --quiet`).code).toBe(0)
    const none = await isar`centres ${folder}`
    expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/image\.npz is missing/)])
  })
})
