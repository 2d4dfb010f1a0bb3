import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cvdomesFile } from '../../dataset/chip-formats.js'
import { C0, direction } from '../../scene/index.js'
import { pythonWith, runPython } from '../helpers/python.js'

const python = pythonWith('numpy', 'scipy.io')

it.skipIf(!python)('the far-field back projection of the domes puts a point where it is', () => {
  const point = [0.8, -0.5, 0]
  const freqHz = Float64Array.from({ length: 64 }, (_, i) => 9.3e9 + i * 10e6)
  const azimuthDeg = Float64Array.from({ length: 90 }, (_, i) => 4 * i)
  const elevationDeg = 30
  // F of a point [m]: phase exp(+2jk p.r), r towards the radar.
  const data = new Float64Array(2 * freqHz.length * azimuthDeg.length)
  freqHz.forEach((f, n) => {
    azimuthDeg.forEach((phi, a) => {
      const { r } = direction(90 - elevationDeg, phi)
      const phase = ((4 * Math.PI * f) / C0) * (point[0] * r[0] + point[1] * r[1] + point[2] * r[2])
      data.set([Math.cos(phase), Math.sin(phase)], 2 * (n * azimuthDeg.length + a))
    })
  })
  const file = join(mkdtempSync(join(tmpdir(), 'isar-cvdomes-')), 'a.mat')
  writeFileSync(file, cvdomesFile({ freqHz, azimuthDeg, elevationDeg, f: { vv: data } }))
  // Gorham and Moore, Proc. SPIE 7699, 2010: dR = p.r, matched to exp(-4 pi j f dR / c).
  const script = `
import json, sys, numpy as np, scipy.io
d = scipy.io.loadmat(sys.argv[1])['data'][0, 0]
f, az, el = d['FGHz'][:, 0] * 1e9, np.radians(d['azim'][0]), np.radians(d['elev'][0, 0])
def image(x, y):
    dR = x * np.cos(el) * np.cos(az) + y * np.cos(el) * np.sin(az)
    return abs(np.mean(d['vv'] * np.exp(4j * np.pi / 299792458 * np.outer(f, dR))))
print(json.dumps([image(0.8, -0.5), image(-0.8, 0.5)]))`
  const [there, opposite] = runPython<number[]>(python!, script, [file])
  expect(there).toBeCloseTo(1, 6)
  expect(opposite).toBeLessThan(0.2)
})

it('the sample has the band of the domes: 512 frequencies, 10.479 MHz apart, about 9.6 GHz', () => {
  const { radar } = JSON.parse(readFileSync('samples/atr/cvdomes-like.json', 'utf8')) as {
    radar: { band: string[]; frequencies: number }
  }
  const [f0, f1] = radar.band.map((f) => Number.parseFloat(f) * 1e9)
  expect(radar.frequencies).toBe(512)
  expect((f1 - f0) / 511).toBeCloseTo(10.479e6, -3)
  expect((f0 + f1) / 2 / 1e9).toBeCloseTo(9.6, 3)
})
