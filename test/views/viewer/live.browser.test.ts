import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRcsCsv } from '../../../views/server/result-file.js'
import { openSource } from '../../../views/server/source.js'
import { pageFolder, serveView, type ViewServer } from '../../../views/server/http.js'
import { isar, temporaryFolder } from '../../cli/cli.js'
import { hasBrowser, launchBrowser, PATIENCE, WEBGPU } from '../../helpers/browser.js'
import { expectGolden } from '../../helpers/golden.js'
import { drawn, openPage, violations } from './page.js'
import { words } from '../../helpers/words.js'

const CHANNELS = ['vv', 'hh', 'hv', 'vh']

/** A table of amplitudes that Node computed on the CPU, and the page of it. */
async function solved(
  folder: string,
  name: string,
  args: string[],
): Promise<{ file: string; server: ViewServer }> {
  const file = join(folder, `${name}.csv`)
  const mesh = resolve(`samples/${name}.stl`)
  const run = await isar`rcs ${mesh} --device cpu --second-order none --out ${file} ${args}`
  expect(run.code, run.stderr).toBe(0)
  return { file, server: await serveView(pageFolder(), await openSource([file], mesh), 0) }
}

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
  await page.locator('#live-phi').fill(String(phi))
  await page.locator('#live-phi').press('Enter')
  return readOut(page, theta, phi)
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
  const folder = temporaryFolder()
  const servers: ViewServer[] = []
  let browser: Browser
  let page: Page
  let [table, cubeTable] = ['', '']
  const troubles: string[] = []

  const openLive = async (of: Browser, url: string): Promise<Page> => {
    const fresh = await openPage(of, url, '#tab-cut', troubles)
    await fresh.getByRole('tab', { name: 'Live' }).click()
    return fresh
  }

  beforeAll(async () => {
    const ship = await solved(folder, 'ship-1m', ['--freq', '4e9', '--theta', '75', '--phi', '0:360:30'])
    const cube = await solved(
      folder,
      'cube',
      words`--freq 10e9 --theta 60 --phi 30 --rays-per-wavelength 5.4`,
    )
    servers.push(ship.server, cube.server)
    ;[table, cubeTable] = [ship.file, cube.file]
    browser = await launchBrowser(WEBGPU)
    page = await openLive(browser, ship.server.url)
  })
  afterAll(async () => {
    await browser?.close()
    for (const server of servers) await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is what Node computes, in several directions', async () => {
    const { f_vv, f_hh, f_hv } = read(table)
    const worst: number[] = []
    for (const i of [1, 3, 8, 11]) {
      const levels = await look(page, 75, 30 * i)
      ;[f_vv, f_hh, f_hv].forEach(({ data }, c) => {
        const power = 4 * Math.PI * (data[2 * i] ** 2 + data[2 * i + 1] ** 2)
        worst.push(Math.abs(levels[c] - 10 * Math.log10(power)))
      })
    }
    // To the last digit shown.
    expect(worst).toHaveLength(12)
    expect(Math.max(...worst)).toBeLessThan(0.0051)
  })

  it('sweeps a cut that is what Node computes, to the rounding of single precision, and saves it', async () => {
    await page.locator('#live-step').fill('30')
    const names = await namesOfSweep(page)
    await page.locator('#live-sweep').click()
    // The sweep may have ended by the time that the page is asked.
    await expect.poll(names).toEqual(['Stop', 'Sweep φ'])
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('#live-csv').click()])
    expect(file.suggestedFilename()).toBe('ship-1m-live-4GHz-theta75.csv')
    const [node, live] = [read(table), read(await file.path())]
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
    const cube = await openLive(browser, servers[1].url)
    const levels = await look(cube, 60, 30)
    expect(await cube.locator('#live-status').innerText()).toMatch(
      /^cpu, double precision, .* · 5\.4 rays\/λ · /,
    )
    const { f_vv, f_hh } = read(cubeTable)
    for (const [i, { data }] of [f_vv, f_hh].entries())
      expect(Math.abs(levels[i] - 10 * Math.log10(4 * Math.PI * (data[0] ** 2 + data[1] ** 2)))).toBeLessThan(
        0.0051,
      )
    await cube.locator('#live-frequency').fill('1')
    await cube.locator('#live-frequency').press('Enter')
    await cube.locator('#live[data-at="1000000000 60 30"]').waitFor()
    expect(await cube.locator('#live-status').innerText()).toContain(' · 10 rays/λ · ')
    await cube.close()
  })

  it('computes a result over a ground with that ground and its material, and refuses a radar below it', async () => {
    const args = words`--freq 1e9 --theta 60 --phi 30 --material glass:4mm --ground sea-water --ground-height -0.7 --ground-roughness 0.02`
    const { file, server } = await solved(folder, 'plate', args)
    servers.push(server)
    const over = await openLive(browser, server.url)
    const levels = await look(over, 60, 30)
    const { f_vv, f_hh, f_hv } = read(file)
    for (const [i, { data }] of [f_vv, f_hh, f_hv].entries())
      expect(Math.abs(levels[i] - 10 * Math.log10(4 * Math.PI * (data[0] ** 2 + data[1] ** 2)))).toBeLessThan(
        0.0051,
      )
    expect(await over.locator('#live-note').innerText()).toBe('')
    await over.locator('#live-theta').fill('100')
    await over.locator('#live-theta').press('Enter')
    await over.locator('#live-note', { hasText: "theta 100 is not above the ground's horizon" }).waitFor()
    await over.close()
  })

  it('shows an image of the view direction on the target and as a figure, anew once it has been turned', async () => {
    const cube = await openLive(browser, servers[1].url)
    await cube.locator('#live-frequency').fill('1.5')
    await cube.locator('#live-frequency').press('Enter')
    await cube.locator('#live-show').selectOption('image')
    await look(cube, 60, 30)
    await cube.locator('#live[data-image="60 30"]').waitFor()
    expect(await cube.locator('#live-plot svg').innerHTML()).toContain('θ = 60.00°, φ = 30.00°')
    const painted = await cube.locator('#target-view').screenshot()
    await look(cube, 60, 50)
    await cube.locator('#live[data-image="60 50"]').waitFor()
    await look(cube, 5, 50)
    await cube
      .locator('#live-note', { hasText: 'near the z axis a rotation in φ gives no cross-range' })
      .waitFor()
    await look(cube, 60, 30)
    await cube.locator('#live[data-image="60 30"]').waitFor()
    await cube.locator('#live-show').selectOption('cut')
    await drawn(cube)
    expect((await cube.locator('#target-view').screenshot()).equals(painted)).toBe(false)
    await cube.close()
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
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('#save-svg').click()])
    expect(file.suggestedFilename()).toBe('ship-1m-live-hh.svg')
    await page.locator('#theme').click()
  })

  it('refuses a frequency that is none', async () => {
    await page.locator('#live-frequency').fill('-1')
    await page.locator('#live-frequency').press('Enter')
    expect(await page.locator('#live-note').innerText()).toBe('Give a frequency above 0.')
    await page.locator('#live-frequency').fill('4')
    await page.locator('#live-frequency').press('Enter')
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
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('#live-csv').click()])
    const { phi_deg } = read(await file.path())
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
    const both = await serveView(
      pageFolder(),
      await openSource([table, table], resolve('samples/ship-1m.stl')),
      0,
    )
    try {
      const pair = await openLive(browser, both.url)
      await pair.locator('#live-sweep:enabled').waitFor()
      await pair.locator('#result').selectOption('1')
      expect(await pair.getByRole('tab', { selected: true }).innerText()).toBe('RCS')
      expect(await pair.locator('#live').isHidden()).toBe(true)
      await expect.poll(() => pair.workers().length).toBe(0)
      await pair.getByRole('tab', { name: 'Live' }).click()
      await pair.locator('#live-sweep:enabled').waitFor()
      await pair.close()
    } finally {
      await both.close()
    }
  })

  it('computes on the CPU where there is no WebGPU', async () => {
    const bare = await launchBrowser()
    try {
      const context = await bare.newContext()
      await context.addInitScript("Object.defineProperty(navigator, 'gpu', { value: undefined })")
      context.setDefaultTimeout(PATIENCE)
      const none = await context.newPage()
      await none.goto(servers[0].url)
      await none.getByRole('tab', { name: 'Live' }).click()
      const { f_vv } = read(table)
      const levels = await look(none, 75, 30)
      expect(
        Math.abs(levels[0] - 10 * Math.log10(4 * Math.PI * (f_vv.data[2] ** 2 + f_vv.data[3] ** 2))),
      ).toBeLessThan(0.0051)
      expect(await violations(none)).toEqual([])
    } finally {
      await bare.close()
    }
  })

  it('writes no error to the console and asks no other host', () => {
    expect(troubles).toEqual([])
  })
})
