import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { slab } from '../../../scene/materials/index.js'
import { ITU_MEDIA } from '../../../scene/materials/library.js'
import { openSource } from '../../../views/server/source.js'
import { hasBrowser, PATIENCE } from '../../helpers/browser.js'
import { done, drawn, numbers, saved, viewPages, violations } from './page.js'

describe.skipIf(!hasBrowser)('the page of a bistatic table', () => {
  const { folder, troubles, show } = viewPages()

  it('shows the transmitter that is picked', async () => {
    const table = join(folder, 'several.csv')
    await done`rcs ${resolve('samples/cube.stl')} --freq 1e9 --phi 0,30 --rx-theta 90 --rx-phi 0:90:10 --pol vv,hh --device cpu --out ${table}`
    const page = await show(await openSource([table]), '#plot svg')
    const curve = () => page.locator('#plot svg polyline').first().getAttribute('points')
    expect(await page.locator('#transmitter option').allInnerTexts()).toEqual([
      'θ = 90°, φ = 0°',
      'θ = 90°, φ = 30°',
    ])
    const first = await curve()
    await page.selectOption('#transmitter', '1')
    await drawn(page)
    expect(await page.locator('#plot svg').innerHTML()).toContain('transmitter at θ = 90°, φ = 30°')
    expect(await curve()).not.toBe(first)
    expect(await page.locator('#transmitter').inputValue()).toBe('1')
    // Both channels together, told apart by colour and dash.
    await page.getByLabel('All channels').check()
    await drawn(page)
    const lines = await page.locator('#plot svg polyline').evaluateAll((all) => all.map((l) => [l.getAttribute('stroke'), l.getAttribute('stroke-dasharray')])) // prettier-ignore
    expect(lines).toHaveLength(2)
    for (const i of [0, 1]) expect(lines[0][i]).not.toBe(lines[1][i])
    // What is saved needs no font.
    const svg = readFileSync((await saved(page, '#save-svg')).path, 'utf8')
    expect(svg).not.toContain('<text')
    expect(svg).toContain('<title>HH</title><path d="M')
    expect([troubles, await violations(page)]).toEqual([[], []])
  })
})

describe.skipIf(!hasBrowser)('the page of a result of full wave', () => {
  const { folder, troubles, show } = viewPages()
  const solved = async (name: string, args: string[]): Promise<Page> => {
    const table = join(folder, name, 'rcs.csv')
    await done`rcs ${resolve('test/validation/mom/plate_2x1lam.stl')} --freq 1.5GHz --theta 0:60:30 --phi 0 ${args} --out ${table}`
    return show(await openSource([table]), '#target-view canvas')
  }
  let page: Page
  beforeAll(async () => {
    page = await solved('mom', ['--method', 'mom', '--workers', '1'])
  })

  it('draws the mesh for currents in place of the facets, coloured by the shape of its triangles', async () => {
    const picture = async (): Promise<string> => {
      await drawn(page)
      return (await page.locator('#target-view canvas').screenshot()).toString('base64')
    }
    const plain = await picture()
    expect(await page.locator('#target-view .colour-scale').isHidden()).toBe(true)
    await page.locator('#show-currents').check()
    await page.locator('#target-view .colour-scale', { hasText: 'quality 2r/R' }).waitFor()
    expect(await page.locator('#target-note').isHidden()).toBe(true)
    expect(await picture()).not.toBe(plain)
    expect(await violations(page)).toEqual([])
    await page.locator('#show-currents').uncheck()
    await page.locator('#target-view .colour-scale').waitFor({ state: 'hidden' })
    expect(await picture()).toBe(plain)
  })

  it('says how it was solved', async () => {
    const facts = await page.locator('#facts dl').innerHTML()
    expect(facts).toMatch(/Unknowns<\/dt><dd>\d{3}</)
    expect(facts).toMatch(/Their quality 2r\/R<\/dt><dd>least 0\.\d+, median 0\.\d+</)
  })

  it('offers no such mesh for a result of rays', async () => {
    const other = await solved('sbr', ['--device', 'cpu', '--rays-per-wavelength', '5'])
    expect(await other.locator('#currents-choice').isHidden()).toBe(true)
  })

  it('writes no error to the console', () => {
    expect(troubles).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the page of a result with materials', () => {
  const { folder, troubles, show } = viewPages()
  const result = join(folder, 'cube')
  let page: Page

  beforeAll(async () => {
    await done`render ${resolve('samples/cube.stl')} --band 1.9e9:2.1e9 --theta 70 --phi 20 --aperture 6 --material concrete --out ${result}`
    page = await show(await openSource([result]), 'body[data-rays=ready]')
  })

  it('shows materials by colour with a legend, and |R| of the facet under the pointer', async () => {
    await page.selectOption('#target-colour', 'material')
    await page.locator('.material-legend').waitFor()
    expect(await page.locator('.material-legend p').allInnerTexts()).toEqual(['conductor', 'concrete', ''])
    await page.click('[data-view=radar]')
    await page.locator('#target-view canvas').hover()
    const line = page.locator('.material-legend [data-of=facet]:not(:empty)')
    await line.waitFor()
    const [angle, s, p] = numbers((await line.innerText()).replace('concrete', ''))
    // Towards the radar lie the faces +x, +y and +z.
    const cosines = [
      Math.sin((70 * Math.PI) / 180) * Math.cos(Math.PI / 9),
      Math.sin((70 * Math.PI) / 180) * Math.sin(Math.PI / 9),
      Math.cos((70 * Math.PI) / 180),
    ]
    const cosine = cosines.find((c) => Math.abs((Math.acos(c) * 180) / Math.PI - angle) < 0.06)!
    const out = new Float64Array(8)
    const concrete = ITU_MEDIA.find(({ name }) => name === 'concrete')!
    slab({ name: 'concrete', kind: 'opaque', stack: [], backing: concrete, facet: 'outer', sides: 'both' }, 2e9, cosine, out) // prettier-ignore
    expect(Math.abs(s - 20 * Math.log10(Math.hypot(out[0], out[1])))).toBeLessThan(0.06)
    expect(Math.abs(p - 20 * Math.log10(Math.hypot(out[2], out[3])))).toBeLessThan(0.06)
    expect(s).toBeGreaterThan(p)
  })

  it('traces hot spots', async () => {
    const box = (await page.locator('#plot image').first().boundingBox())!
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await page.locator('#hot-spot table').waitFor()
    expect(await page.locator('#hot-spot').innerText()).toContain('surface')
  })

  it('has no troubles, and nothing that screen readers stumble over', async () => {
    expect(await violations(page)).toEqual([])
    expect(troubles).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the page of a moving target', () => {
  const { folder, troubles, show } = viewPages()
  const result = join(folder, 'turn')
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
    await done`doppler ${motion} --pol vv --device cpu --out ${result}`
    page = await show(await openSource([result]), 'body[data-rays=ready]')
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
    const other = await show(await openSource([result]), '#tab-spectrogram')
    expect(await other.locator('#target-note').innerText()).toContain('--no-mesh')
    await other.locator('#play').click()
    const value = (): Promise<string> => other.locator('#slider-value').innerText()
    const start = await value()
    await vi.waitUntil(async () => (await value()) !== start, PATIENCE)
    expect(troubles).toEqual([])
  })
})
