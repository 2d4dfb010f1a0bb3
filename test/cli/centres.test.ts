import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isar, rcs, readJson, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const plate = resolve('samples/plate.stl')

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

describe('a model of scattering centres of a plate', () => {
  const folder = temporaryFolder()
  const [table, model] = [join(folder, 'plate.npz'), join(folder, 'plate.centre-model.json')]
  const sweep = ['--band', '2e9:3e9:21', '--theta', '30', '--device', 'cpu', '--diffraction', 'none']

  beforeAll(async () => {
    const run = await isar`rcs ${plate} ${sweep} --phi=-10:10:0.5 --out ${table} --quiet`
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const fit = await isar`centres ${table} --model --count 12 --json`
    expect(fit.code).toBe(0)
    const { correlation, heldOutAspects } = JSON.parse(fit.stdout) as {
      heldOutAspects: number
      correlation: Record<string, { fitted: number; heldOut: number }>
    }
    expect(heldOutAspects).toBe(8)
    expect(correlation.vv.heldOut).toBeGreaterThan(0.95)
    expect(correlation.hh.heldOut).toBeGreaterThan(0.95)
  })

  it('has its centres on the edges of the plate', () => {
    const { centres, target } = readJson<{
      target: string
      centres: { positionM: number[]; amplitudeM: [number, number][] }[]
    }>(model)
    expect(target).toBe('plate')
    expect(centres.length).toBeLessThanOrEqual(12)
    const [x, y, z] = centres[0].positionM
    // Within a range resolution of the plate, whose edges across the line of sight are at x = 0.5 and -0.5.
    expect(Math.abs(Math.abs(x) - 0.5)).toBeLessThan(0.15)
    expect(Math.abs(y)).toBeLessThan(0.65)
    expect(Math.abs(z)).toBeLessThan(0.15)
  })

  it('gives the amplitudes of the solver at aspects it was not fitted to', async () => {
    // A turn on, and backwards.
    const own = await rcs<{
      approximate: string
    }>`--model ${model} --freq 3GHz,2.05GHz --theta 30 --phi 369:351:3`
    const solved =
      await rcs`${plate} --freq 3GHz,2.05GHz --theta 30 --phi 9:-9:-3 --device cpu --diffraction none`
    const [a, b] = [own.rows, solved.rows]
    expect(a.map((row) => row.freq_hz)).toEqual(b.map((row) => row.freq_hz))
    let [apart, all] = [0, 0]
    a.forEach((row, i) => {
      for (const key of ['f_vv_re', 'f_vv_im']) {
        apart += (Number(row[key]) - Number(b[i][key])) ** 2
        all += Number(b[i][key]) ** 2
      }
    })
    expect(apart / all).toBeLessThan(0.1)
    expect(own.meta.approximate).toContain('plate.centre-model.json')
  })

  it.each<[string, (text: string) => string, RegExp]>([
    ['is no JSON', (text) => text.slice(0, -10), /bad\.json is not JSON/],
    ['lacks a key', (text) => text.replace('"bandHz"', '"bandhz"'), /bad\.json: .*bandhz.*bandHz/],
    ['has a centre without a channel', (text) => text.replace(/"amplitudeM":\[\[[^\]]*\],/, '"amplitudeM":['), /centres\.0\.amplitudeM: 3 amplitudes for 4 channels/], // prettier-ignore
    ['has a width of zero', (text) => text.replace(/"phiWidthDeg":[^}]*/, '"phiWidthDeg":0'), /centres\.0\.visibility\.phiWidthDeg/], // prettier-ignore
  ])('is refused in one line where its file %s', async (_, damage, says) => {
    const bad = join(folder, 'bad.json')
    const damaged = damage(readFileSync(model, 'utf8'))
    expect(damaged).not.toBe(readFileSync(model, 'utf8'))
    writeFileSync(bad, damaged)
    await expectRefusal(words`rcs --model ${bad} --freq 2.5GHz --theta 30`, says, folder)
  })

  it.each<[string, RegExp]>([
    ['--freq 4GHz --theta 30', /--freq: 4000000000 Hz is outside the band/],
    ['--freq 2.5GHz --theta 31', /--theta: 31 degrees is outside the sector/],
    ['--freq 2.5GHz --theta 30 --phi 11', /--phi: 11 degrees is outside the sector/],
    ['--freq 2.5GHz --theta 30 --phi=-40', /--phi: -40 degrees is outside the sector/],
    ['--freq 2.5GHz --theta 30 --max-bounces 2', /--max-bounces: .*nothing is solved/],
  ])('refuses %s', (args, says) =>
    expectRefusal(words`rcs --model ${model} ${args.split(' ')}`, says, folder),
  )

  it('asks for a mesh, and refuses options of the other kind of centres', async () => {
    const bare = join(folder, 'bare.npz')
    copyFileSync(table, bare)
    copyFileSync(join(folder, 'plate.meta.json'), join(folder, 'bare.meta.json'))
    for (const [args, says] of [
      [['centres', bare, '--model'], /--mesh FILE/],
      [['centres', bare, '--model', '--mesh', resolve('samples/cube.stl')], /another/],
      [['centres', table, '--model', '--floor', '30'], /--floor: it is for centres of an image/],
      [['centres', folder, '--held-out', '3'], /--held-out: it is for --model/],
      [['centres', table, '--model'], /exists; give --force/],
    ] as [string[], RegExp][])
      await expectRefusal(args, says, folder)
  })
})
