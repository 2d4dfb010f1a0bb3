import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Source } from '../../../views/server/http.js'
import { readRcsCsv } from '../../../views/server/result-file.js'
import { openSource } from '../../../views/server/source.js'
import { hasBrowser, sharedBrowser, WEBGPU } from '../../helpers/browser.js'
import { expectGolden } from '../../helpers/golden.js'
import { words } from '../../helpers/words.js'
import { done, drawn, openPage, saved, viewPages, violations } from './page.js'

const CHANNELS = ['vv', 'hh', 'hv', 'vh']

const read = (file: string) => readRcsCsv(readFileSync(file, 'utf8'), file)
const number = (text: string): number => Number(text.replace('−', '-'))

/** Waits for the result of a direction [degrees], and reads it off: VV, HH, HV [dBsm]. */
async function readOut(page: Page, theta: number, phi: number): Promise<number[]> {
  await page.locator(`#live[data-at$=" ${theta} ${phi}"]`).waitFor()
  const text = await page.locator('#live-rcs').innerText()
  return [...text.matchAll(/[VH]{2} (\S+) dBsm/g)].map(([, level]) => number(level))
}

async function look(page: Page, theta: number, phi: number): Promise<number[]> {
  await page.locator('#live-theta').fill(String(theta))
  await enter(page, 'phi', String(phi))
  return readOut(page, theta, phi)
}

/** Levels of a direction are those of the row of a table of Node, to the last digit shown. */
function expectLevels(levels: number[], file: string, row = 0, count = 3): void {
  const { f_vv, f_hh, f_hv } = read(file)
  expect(levels.length).toBeGreaterThanOrEqual(count)
  for (const [c, { data }] of [f_vv, f_hh, f_hv].slice(0, count).entries()) {
    const power = 4 * Math.PI * (data[2 * row] ** 2 + data[2 * row + 1] ** 2)
    expect(Math.abs(levels[c] - 10 * Math.log10(power))).toBeLessThan(0.0051)
  }
}

/** Sets a field of the tab. */
async function enter(page: Page, id: string, value: string): Promise<void> {
  await page.locator(`#live-${id}`).fill(value)
  await page.locator(`#live-${id}`).press('Enter')
}

/** Has the page note what the button of sweeps is called from now on, each name once in a row; returns what reads the notes. */
async function namesOfSweep(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(`{
    const button = document.querySelector('#live-sweep')
    let last = button.textContent
    window.sweepNames = []
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const { data } of addedNodes) if (data !== last) window.sweepNames.push((last = data))
    }).observe(button, { childList: true })
  }`)
  return () => page.evaluate<string[]>('window.sweepNames')
}

/** Starts a sweep and stops it at its first note of progress; the page does so itself, before more directions are computed. */
const startAndStop = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((done) => {
    const [button, note] = ['#live-sweep', '#live-note'].map((id) => document.querySelector(id))
    const observer = new MutationObserver(() => {
      if (!/^[1-9][0-9]* of 361$/.test(note.textContent)) return
      observer.disconnect()
      button.click()
      done()
    })
    observer.observe(note, { childList: true })
    button.click()
  })`)

const finished = (page: Page): Promise<void> => page.locator('#live-sweep:text-is("Sweep φ")').waitFor()

describe.skipIf(!hasBrowser)('live RCS in the page', () => {
  const { folder, troubles, show } = viewPages(WEBGPU)
  let page: Page
  let [ship, cube]: { file: string; source: Source }[] = []

  /** A table of amplitudes that Node computes on the CPU. */
  const solved = async (name: string, args: string[]): Promise<{ file: string; source: Source }> => {
    const [file, mesh] = [join(folder, `${name}.csv`), resolve(`samples/${name}.stl`)]
    await done`rcs ${mesh} --device cpu --second-order none --out ${file} ${args}`
    return { file, source: await openSource([file], mesh) }
  }
  const openLive = async (source: Source): Promise<Page> => {
    const fresh = await show(source, '#tab-cut')
    await fresh.getByRole('tab', { name: 'Live' }).click()
    return fresh
  }

  beforeAll(async () => {
    ship = await solved('ship-1m', words`--freq 4e9 --theta 75 --phi 0:360:30`)
    cube = await solved('cube', words`--freq 10e9 --theta 60 --phi 30 --rays-per-wavelength 5.4`)
    page = await openLive(ship.source)
  })

  it('is what Node computes, in several directions', async () => {
    for (const i of [1, 3, 8, 11]) expectLevels(await look(page, 75, 30 * i), ship.file, i)
  })

  it('sweeps a cut that is what Node computes, to the rounding of single precision, and saves it', async () => {
    await page.locator('#live-step').fill('30')
    const names = await namesOfSweep(page)
    await page.locator('#live-sweep').click()
    // The sweep may have ended by the time that the page is asked.
    await expect.poll(names).toEqual(['Stop', 'Sweep φ'])
    const file = await saved(page, '#live-csv')
    expect(file.name).toBe('ship-1m-live-4GHz-theta75.csv')
    const [node, live] = [read(ship.file), read(file.path)]
    for (const axis of ['freq_hz', 'theta_deg', 'phi_deg']) expect(live[axis].data).toEqual(node[axis].data)
    let [largest, apart] = [0, 0]
    for (const c of CHANNELS)
      (node[`f_${c}`].data as Float64Array).forEach((x, i) => {
        largest = Math.max(largest, Math.abs(x))
        apart = Math.max(apart, Math.abs(x - live[`f_${c}`].data[i]))
      })
    expect(largest).toBeGreaterThan(0.1)
    expect(apart / largest).toBeLessThan(1e-6)
    expect(await page.locator('#live-plot polyline').count()).toBe(1)
  })

  it('says when the steps are too coarse for the lobes', async () => {
    expect(await page.locator('#live-note').innerText()).toMatch(
      /^Lobes λ\/2D are 2\.\d°: take finer steps\.$/,
    )
  })

  it('takes fewer rays per wavelength for a larger target, and says so: Node gives the same', async () => {
    const other = await openLive(cube.source)
    const levels = await look(other, 60, 30)
    expect(await other.locator('#live-status').innerText()).toMatch(
      /^cpu, double precision, .* · 5\.4 rays\/λ · /,
    )
    expectLevels(levels, cube.file, 0, 2)
    await enter(other, 'frequency', '1')
    await other.locator('#live[data-at="1000000000 60 30"]').waitFor()
    expect(await other.locator('#live-status').innerText()).toContain(' · 10 rays/λ · ')
    await other.close()
  })

  it('computes a result over a ground with that ground and its material, and refuses a radar below it', async () => {
    const args = words`--freq 1e9 --theta 60 --phi 30 --material glass:4mm --ground sea-water --ground-height -0.7 --ground-roughness 0.02`
    const { file, source } = await solved('plate', args)
    const over = await openLive(source)
    expectLevels(await look(over, 60, 30), file)
    expect(await over.locator('#live-note').innerText()).toBe('')
    await enter(over, 'theta', '100')
    await over.locator('#live-note', { hasText: "theta 100 is not above the ground's horizon" }).waitFor()
    await over.close()
  })

  it('shows an image of the view direction on the target and as a figure, anew once it has been turned', async () => {
    const other = await openLive(cube.source)
    await enter(other, 'frequency', '1.5')
    await other.locator('#live-show').selectOption('image')
    await look(other, 60, 30)
    await other.locator('#live[data-image="60 30"]').waitFor()
    expect(await other.locator('#live-plot svg').innerHTML()).toContain('θ = 60.00°, φ = 30.00°')
    const painted = await other.locator('#target-view').screenshot()
    await look(other, 60, 50)
    await other.locator('#live[data-image="60 50"]').waitFor()
    await look(other, 5, 50)
    await other
      .locator('#live-note', { hasText: 'near the z axis a rotation in φ gives no cross-range' })
      .waitFor()
    await look(other, 60, 30)
    await other.locator('#live[data-image="60 30"]').waitFor()
    await other.locator('#live-show').selectOption('cut')
    await drawn(other)
    expect((await other.locator('#target-view').screenshot()).equals(painted)).toBe(false)
    await other.close()
  })

  it('follows the target as it is turned, by keys, by the figure, and about z alone where asked', async () => {
    await look(page, 75, 40)
    await page.locator('#target-view canvas').focus()
    await page.keyboard.press('ArrowRight')
    await readOut(page, 75, 48)
    await page.locator('#live-hold').check()
    await page.locator('#target-view canvas').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowRight')
    await readOut(page, 75, 56)
    await page.locator('#live-hold').uncheck()
    // What was turned through, and where the target stands.
    expect(await page.locator('#live-plot path[stroke-linecap=round]').count()).toBe(2)
    const plot = page.locator('#live-plot')
    await plot.focus()
    await page.keyboard.press('ArrowRight')
    const cursor = await page.locator('#live-cursor').innerText()
    expect(cursor).toMatch(/^φ \S+° · cut at θ 75\.00° \S+ dBsm/)
    await page.keyboard.press('Enter')
    const phi = Number(/φ (\S+)°/.exec(cursor)![1])
    await readOut(page, 75, phi)
  })

  it('has names for all controls and enough contrast, light and dark', async () => {
    await look(page, 75, 60)
    expect(await violations(page)).toEqual([])
    expectGolden(
      'live',
      await page
        .locator('#data-panel')
        .screenshot({ mask: [page.locator('#live-status')], maskColor: '#888' }),
    )
    await page.locator('#theme').click()
    await page.locator('#live-show').selectOption('polar')
    await page.locator('#live-channel').selectOption('hh')
    expect(await page.locator('#live-plot svg').innerHTML()).toContain('ship-1m, HH, live')
    expect(await violations(page)).toEqual([])
    expectGolden(
      'live-dark',
      await page.screenshot({ mask: [page.locator('#live-status')], maskColor: '#888' }),
    )
    expect((await saved(page, '#save-svg')).name).toBe('ship-1m-live-hh.svg')
    await page.locator('#theme').click()
  })

  it('refuses a frequency that is none', async () => {
    await enter(page, 'frequency', '-1')
    expect(await page.locator('#live-note').innerText()).toBe('Give a frequency above 0.')
    await enter(page, 'frequency', '4')
    await readOut(page, 75, 60)
    expect(await page.locator('#live-note').innerText()).toBe('')
  })

  it('keeps the direction when the page gets another size', async () => {
    await look(page, 75, 90)
    const drawn = (): Promise<number> => page.locator('#target-view').evaluate((e) => Number(e.dataset.drawn))
    const before = await drawn()
    await page.setViewportSize({ width: 1200, height: 640 })
    await expect.poll(drawn).toBeGreaterThan(before)
    expect(await page.locator('#live-phi').inputValue()).toBe('90.00')
    await page.setViewportSize({ width: 1280, height: 720 })
    await look(page, 75, 60)
  })

  it('is one of the tabs for the keyboard, before the first of the data', async () => {
    const chosen = page.getByRole('tab', { selected: true })
    await page.locator('#tab-live').focus()
    await page.keyboard.press('ArrowRight')
    expect(await chosen.innerText()).toBe('RCS')
    expect([await page.locator('#live').isHidden(), await page.locator('#figure').isHidden()]).toEqual([true, false]) // prettier-ignore
    await page.keyboard.press('ArrowLeft')
    expect(await chosen.innerText()).toBe('Live')
    expect([await page.locator('#live').isHidden(), await page.locator('#figure').isHidden()]).toEqual([false, true]) // prettier-ignore
    await page.locator('#live-sweep:enabled').waitFor()
  })

  it('stops a sweep', async () => {
    await page.locator('#live-step').fill('1')
    await startAndStop(page)
    await finished(page)
    expect(await page.locator('#live-progress').isHidden()).toBe(true)
    const { phi_deg } = read((await saved(page, '#live-csv')).path)
    expect(phi_deg.data.length).toBeGreaterThan(0)
    expect(phi_deg.data.length).toBeLessThan(361)
  })

  it('computes nothing while another tab is open', async () => {
    expect(page.workers().length).toBeGreaterThan(0)
    await page.getByRole('tab', { name: 'RCS' }).click()
    await expect.poll(() => page.workers().length).toBe(0)
    const before = await page.locator('#live').getAttribute('data-at')
    await page.locator('#target-view canvas').focus()
    await page.keyboard.press('ArrowRight')
    await drawn(page)
    expect(page.workers()).toHaveLength(0)
    expect(await page.locator('#live').getAttribute('data-at')).toBe(before)
  })

  it('ends with the result that it is of', async () => {
    const pair = await openLive(await openSource([ship.file, ship.file], resolve('samples/ship-1m.stl')))
    await pair.locator('#live-sweep:enabled').waitFor()
    await pair.locator('#result').selectOption('1')
    expect(await pair.getByRole('tab', { selected: true }).innerText()).toBe('RCS')
    expect(await pair.locator('#live').isHidden()).toBe(true)
    await expect.poll(() => pair.workers().length).toBe(0)
    await pair.getByRole('tab', { name: 'Live' }).click()
    await pair.locator('#live-sweep:enabled').waitFor()
    await pair.close()
  })

  it('computes on the CPU where there is no WebGPU', async () => {
    const url = page.url()
    const none = await openPage(await sharedBrowser(), url, '#tab-cut', troubles, "Object.defineProperty(navigator, 'gpu', { value: undefined })") // prettier-ignore
    await none.getByRole('tab', { name: 'Live' }).click()
    expectLevels(await look(none, 75, 30), ship.file, 1, 1)
    expect(await violations(none)).toEqual([])
    await none.close()
  })

  it('writes no error to the console and asks no other host', () => {
    expect(troubles).toEqual([])
  })
})
