import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openSource } from '../../../views/server/source.js'
import { isar, temporaryFolder } from '../../cli/cli.js'
import { hasBrowser, PATIENCE } from '../../helpers/browser.js'
import { drawn, numbers, type OpenView, openView, violations } from './page.js'

describe.skipIf(!hasBrowser)('the page of a moving target', () => {
  const folder = temporaryFolder()
  const result = join(folder, 'turn')
  let shown: OpenView
  let page: Page

  beforeAll(async () => {
    const motion = join(folder, 'turn.json')
    writeFileSync(
      motion,
      JSON.stringify({
        mesh: resolve('samples/cube.stl'),
        radar: { band: [2.5e8, 4e8, 8], prf_hz: 100, pulses: 200, theta_deg: 70, phi_deg: 10 },
        motion: { velocity_m_s: [3, 0, 0] },
        parts: [{ mesh: resolve('samples/plate.stl'), pivot_m: [0, 0, 1.5], axis: [0, 1, 0], rate_rev_s: 2 }],
        interaction: false,
      }),
    )
    const run = await isar`doppler ${motion} --pol vv --device cpu --out ${result}`
    expect(run.code, run.stderr).toBe(0)
    shown = await openView(await openSource([result]), 'body[data-rays=ready]')
    page = shown.page
  })
  afterAll(async () => {
    await shown?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const time = async (): Promise<number> =>
    Number(await page.locator('#target-view').getAttribute('data-time'))
  const picture = async (): Promise<Buffer> => {
    await drawn(page)
    return page.locator('#target-view canvas').screenshot()
  }

  it('shows the pose at the time that is clicked in the spectrogram', async () => {
    expect(await page.getByRole('tab').allTextContents()).toEqual(['Spectrogram', 'Range–Doppler'])
    const before = await picture()
    const box = (await page.locator('#plot image').first().boundingBox())!
    await page.mouse.click(box.x + 0.8 * box.width, box.y + box.height / 2)
    const [, at] = numbers(await page.locator('#readout').innerText())
    expect(await time()).toBeCloseTo(at, 4)
    expect(numbers(await page.locator('#slider-value').innerText())[0]).toBeCloseTo(at, 4)
    expect((await picture()).equals(before)).toBe(false)
    const line = (await page.locator('#plot .time').boundingBox())!
    expect((line.x - box.x) / box.width).toBeCloseTo(0.8, 1)
  })

  it('goes through time by arrow keys and plays by the space bar', async () => {
    const before = await time()
    await page.locator('#plot').focus()
    await page.keyboard.press('ArrowLeft')
    const step = before - (await time())
    expect(step).toBeGreaterThan(0)
    await page.keyboard.press('ArrowRight')
    expect(await time()).toBeCloseTo(before, 10)
    await page.keyboard.press(' ')
    expect(await page.locator('#play').innerText()).toBe('Pause')
    await vi.waitUntil(async () => (await time()) !== before, PATIENCE)
    await page.keyboard.press(' ')
    expect(await page.locator('#play').innerText()).toBe('Play')
  })

  it('marks what has the Doppler that is chosen: the body where it moves by itself', async () => {
    // 3 m/s at sin 70° cos 10° to the radar, at 325 MHz: 6.0 Hz, of 48.4 to -51.6 Hz in steps of 3.1 Hz.
    const box = (await page.locator('#plot image').first().boundingBox())!
    const pick = async (hertz: number): Promise<string> => {
      await page.mouse.click(box.x + 0.3 * box.width, box.y + (box.height * (48.4 - hertz)) / 100)
      return page.locator('#hot-spot').innerText()
    }
    expect(await pick(6)).toMatch(/^6 Hz at 0\.6\d+ s: \d+ facets of the body/)
    for (const hertz of [40, -6]) expect(await pick(hertz)).not.toContain('the body')
  })

  it('keeps the time in the range–Doppler map', async () => {
    const before = await time()
    await page.getByRole('tab', { name: 'Range–Doppler' }).click()
    expect(await time()).toBe(before)
    expect(await page.locator('#plot > svg').innerHTML()).toContain('map 1 of 1')
    expect(await violations(page)).toEqual([])
    await page.locator('#theme').click()
    expect(await violations(page)).toEqual([])
  })

  it('has maps alone where the target was not kept', async () => {
    rmSync(join(result, 'target.npz'))
    const other = await openView(await openSource([result]), '#tab-spectrogram', shown)
    try {
      expect(await other.page.locator('#target-note').innerText()).toContain('--no-mesh')
      await other.page.locator('#play').click()
      const value = (): Promise<string> => other.page.locator('#slider-value').innerText()
      const start = await value()
      await vi.waitUntil(async () => (await value()) !== start, PATIENCE)
      expect([...shown.troubles, ...other.troubles]).toEqual([])
    } finally {
      await other.close()
    }
  })
})
