import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planBackprojection } from '../../isar/index.js'
import { readMeasurement } from '../../src/imaging/read-history.js'
import { gotchaFile, type PointScatterer } from '../../samples/models/gotcha.js'
import { backprojectAll } from '../helpers/pulses.js'
import { scratchFolder } from '../helpers/scratch.js'

const POINTS: PointScatterer[] = [
  { at: [0, 0, 0], re: 1 },
  { at: [6.2, -4.1, 0], re: 0.7, im: 0.7 },
  { at: [-7.3, 5.6, 0], re: -1 },
  { at: [3.5, 7.9, 0], re: 0, im: 1 },
  { at: [-5.8, -6.4, 0], re: 0.8, im: -0.6 },
  { at: [-1.9, 2.2, 0], re: 0.6, im: 0.8 },
]

const scratch = scratchFolder()

/** A folder of degrees about the azimuth 0, as a pass has them. */
function passFolder(points: PointScatterer[], degrees: number[], errors = {}): string {
  const folder = mkdtempSync(join(scratch, 'pass-'))
  degrees.forEach(
    (azimuthDeg, i) =>
    writeFileSync(join(folder, `data_3dsar_pass1_az00${i + 1}_HH.mat`), gotchaFile(points, { azimuthDeg, ...errors })), // prettier-ignore
  )
  return folder
}

describe('a synthetic pass in the layout of the Gotcha set', () => {
  it('has every point within a pixel, at its level, in an image of four degrees', async () => {
    const { channels, layout, calibrated } = await readMeasurement([passFolder(POINTS, [-2, -1, 0, 1])])
    expect([layout, calibrated]).toEqual(['gotcha', false])
    const [history] = channels
    expect([history.channel, history.pulses, history.freqHz.length]).toEqual(['hh', 468, 424])
    const pixelM = 0.1
    for (const { at } of POINTS) {
      const [acrossM, alongM] = [0, 1].map((a): [number, number] => [at[a] - 1, at[a] + 1])
      const plan = planBackprojection(history, { plane: 'ground', window: 'taylor', acrossM, alongM, pixelM })
      const image = backprojectAll(history, plan)
      const levels = Array.from({ length: image.length / 2 }, (_, i) =>
        Math.hypot(image[2 * i], image[2 * i + 1]),
      )
      const best = Math.max(...levels)
      const [row, col] = [
        Math.floor(levels.indexOf(best) / plan.grid.cols),
        levels.indexOf(best) % plan.grid.cols,
      ]
      expect(Math.abs(plan.acrossM[col] - at[0])).toBeLessThanOrEqual(pixelM)
      expect(Math.abs(plan.alongM[row] - at[1])).toBeLessThanOrEqual(pixelM)
      // Scalloping and the others' sidelobes.
      expect(20 * Math.log10(best / Math.sqrt(4 * Math.PI))).toBeCloseTo(0, 0)
    }
  })

  it('has the sidelobes of the Taylor window, -35 dB, in range and in cross-range', async () => {
    const { channels } = await readMeasurement([passFolder([{ at: [0, 0, 0], re: 1 }], [-1.5, -0.5, 0.5])])
    const step = 0.02
    const cut = (acrossM: [number, number], alongM: [number, number]): number[] => {
      const plan = planBackprojection(channels[0], { plane: 'ground', window: 'taylor', acrossM, alongM, pixelM: step }) // prettier-ignore
      const image = backprojectAll(channels[0], plan)
      const { rows, cols } = plan.grid
      const zero = { row: plan.alongM.findIndex((y) => Math.abs(y) < 1e-9), col: plan.acrossM.findIndex((x) => Math.abs(x) < 1e-9) } // prettier-ignore
      const along = rows > cols
      return Array.from({ length: along ? rows : cols }, (_, i) => {
        const k = 2 * (along ? i * cols + zero.col : zero.row * cols + i)
        return 10 * Math.log10((image[k] ** 2 + image[k + 1] ** 2) / (4 * Math.PI))
      })
    }
    for (const levels of [cut([-3, 3], [-step, step]), cut([-step, step], [-3, 3])]) {
      const middle = levels.indexOf(Math.max(...levels))
      expect(levels[middle]).toBeCloseTo(0, 2)
      let foot = middle
      while (levels[foot + 1] < levels[foot]) foot++
      const sidelobe = Math.max(...levels.slice(foot))
      expect(sidelobe).toBeGreaterThan(-36)
      expect(sidelobe).toBeLessThan(-34.5)
    }
  })

  // The generator's file is in focus with r0 + r_correct and fp exp(+j ph_correct), as formImage3DSAR.m of AFRL has it.
  it('takes the corrections of range and phase that the file brings, or leaves them out', async () => {
    const errors = {
      rangeError: (n: number) => 0.01 * Math.sin(n / 9),
      phaseError: (n: number) => 0.7 * Math.cos(n / 5),
    }
    const folder = passFolder([{ at: [1, 1, 0], re: 1 }], [-0.5], errors)
    const peak = async (storedFocus: 'add' | 'off' | 'subtract'): Promise<number> => {
      const { channels } = await readMeasurement([folder], { storedFocus })
      const plan = planBackprojection(channels[0], { plane: 'ground', window: 'none', acrossM: [0.9, 1.1], alongM: [0.9, 1.1], pixelM: 0.1 }) // prettier-ignore
      const image = backprojectAll(channels[0], plan)
      return (
        Math.max(...image.map((_, i) => (i % 2 ? 0 : Math.hypot(image[i], image[i + 1])))) /
        Math.sqrt(4 * Math.PI)
      )
    }
    expect(await peak('add')).toBeCloseTo(1, 2)
    expect(await peak('off')).toBeLessThan(0.6)
    expect(await peak('subtract')).toBeLessThan(await peak('off'))
  })
})
