import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { decode } from 'fast-png'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { readNpz } from '../../../formats/index.js'
import { openSource } from '../../../views/server/source.js'
import { hasBrowser } from '../../helpers/browser.js'
import { expectGolden } from '../../helpers/golden.js'
import { done, drawn, numbers, saved, viewPages, violations } from './page.js'
import { words } from '../../helpers/words.js'

interface Pixel {
  /** Its number. */
  at: number
  rangeM: number
  crossRangeM: number
  dbsm: number
}

const arraysOf = (folder: string) => readNpz(readFileSync(join(folder, 'image.npz')))

/** The brightest pixel of a result. */
function brightest(folder: string): Pixel {
  const { image_vv: image, range_m: range, cross_range_m: cross } = arraysOf(folder)
  let at = 0
  const power = (i: number): number => image.data[2 * i] ** 2 + image.data[2 * i + 1] ** 2
  for (let i = 0; 2 * i < image.data.length; i++) if (power(i) > power(at)) at = i
  const columns = image.shape[1]
  return {
    at,
    rangeM: range.data[Math.floor(at / columns)],
    crossRangeM: cross.data[at % columns],
    dbsm: 10 * Math.log10(power(at)),
  }
}

/** Of a pixel of a result's image [dBsm]. */
function levelOf(folder: string, at: number): number {
  const { data } = arraysOf(folder).image_vv
  return 10 * Math.log10(data[2 * at] ** 2 + data[2 * at + 1] ** 2)
}

/** Where a point of the image lies on the page. */
async function placeOf(
  page: Page,
  folder: string,
  { rangeM, crossRangeM }: Pixel,
): Promise<[number, number]> {
  const arrays = arraysOf(folder)
  const part = (axis: ArrayLike<number>, value: number): number =>
    (value - axis[0] + (axis[1] - axis[0]) / 2) / (axis.length * (axis[1] - axis[0]))
  const box = (await page.locator('#plot image').first().boundingBox())!
  return [
    box.x + box.width * part(arrays.cross_range_m.data, crossRangeM),
    box.y + box.height * (1 - part(arrays.range_m.data, rangeM)),
  ]
}

/** Pixels of the target's picture in the colour of marked facets. */
async function markedPixels(page: Page): Promise<number> {
  await drawn(page)
  const { data, channels, width, height } = decode(await page.locator('#target-view').screenshot())
  let count = 0
  for (let i = 0; i < width * height; i++) {
    const [r, g, b] = [data[channels * i], data[channels * i + 1], data[channels * i + 2]]
    if (b > 90 && g > 0.75 * b && g < 0.9 * b && r > 0.15 * b && r < 0.35 * b) count++
  }
  return count
}

describe.skipIf(!hasBrowser)('the page of isar view', () => {
  const { folder, troubles, show } = viewPages()
  const result = join(folder, 'ship')
  const other = join(folder, 'ship-none')
  const ready = 'body[data-rays=ready]'
  let page: Page

  beforeAll(async () => {
    const args = words`render ${resolve('samples/ship-1m.stl')} --freq 4GHz --resolution 0.12 --theta 75 --phi 35 --pol vv --second-order none --device cpu`
    await Promise.all([done`${args} --out ${result}`, done`${args} --diffraction none --out ${other}`])
    page = await show(await openSource([result]), ready)
  })

  it('shows the image and the target', async () => {
    expect(await page.title()).toBe('ship-1m – isar view')
    expect(await page.getByRole('tab').allTextContents()).toEqual([
      'Image',
      'Range profile',
      'Sinogram',
      'Frequency–aspect',
      'RCS',
      'Live',
    ])
    // The image on the target, with the scale of its figure.
    expect(await page.locator('#target-colour').inputValue()).toBe('image')
    const [low, high] = numbers(await page.locator('#target-view .colour-scale').innerText())
    expect(Math.abs(high - brightest(result).dbsm)).toBeLessThan(0.5)
    expect(high - low).toBe(parseInt(await page.locator('#depth-value').innerText()))
    expectGolden('open', await page.screenshot())
  })

  it('turns the target with the keyboard and the mouse', async () => {
    const target = page.locator('#target-view canvas')
    const before = await target.screenshot()
    await target.focus()
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight')
    await drawn(page)
    const turned = await target.screenshot()
    expect(turned.equals(before)).toBe(false)
    const box = (await target.boundingBox())!
    await page.mouse.move(box.x + 200, box.y + 150)
    await page.mouse.down()
    await page.mouse.move(box.x + 260, box.y + 170, { steps: 4 })
    await page.mouse.up()
    await drawn(page)
    expect((await target.screenshot()).equals(turned)).toBe(false)
    await target.focus()
    await page.keyboard.press('h')
    await drawn(page)
    expect((await target.screenshot()).equals(before)).toBe(true)
  })

  it('traces a hot spot that is clicked to facets, rays and edges', async () => {
    // An edge of the radar's arrow may come close.
    const before = await markedPixels(page)
    expect(before).toBeLessThan(20)
    const peak = brightest(result)
    await page.mouse.click(...(await placeOf(page, result, peak)))
    const text = (await page.locator('#hot-spot').innerText()).replaceAll('−', '-')
    const [, range, cross, level] = /range (\S+) m, cross-range (\S+) m: (\S+) dBsm/.exec(text)!.map(Number)
    expect(range).toBeCloseTo(peak.rangeM, 3)
    expect(cross).toBeCloseTo(peak.crossRangeM, 3)
    expect(level).toBeCloseTo(peak.dbsm, 1)
    // Rays and edges together make the pixel; rays alone what the image has there without edges.
    const [, all, rays] = /add up to (\S+) dBsm \(rays (\S+) dBsm, edges \S+ dBsm\)/.exec(text)!.map(Number)
    expect(Math.abs(all - peak.dbsm)).toBeLessThan(0.5)
    // Nor is there much that they leave of its complex value.
    const [, rest] = /rest of the pixel, (\S+) dBsm/.exec(text)!.map(Number)
    expect(rest).toBeLessThan(peak.dbsm - 30)
    expect(Math.abs(rays - levelOf(other, peak.at))).toBeLessThan(1)
    expect(await markedPixels(page)).toBeGreaterThan(before + 100)
    expectGolden('hot-spot', await page.screenshot())
    // One mechanism alone marks no more than all of them.
    const marked = async (): Promise<number> =>
      Number(await page.locator('#target-view').getAttribute('data-marked'))
    const many = await marked()
    await page.locator('#hot-spot button').first().click()
    expect(await marked()).toBeGreaterThan(0)
    expect(await marked()).toBeLessThanOrEqual(many)
  })

  it('marks an edge that a hot spot comes from', async () => {
    const button = page.locator('#hot-spot button', { hasText: /^edge \d+$/ }).first()
    const edge = (await button.innerText()).replace('edge ', '')
    await button.click()
    expect(await page.locator('#target-view').getAttribute('data-marked-edges')).toBe(edge)
    expect(await page.locator('#target-view').getAttribute('data-marked')).toBe('0')
    // Its facets no longer are; the edge itself is a line.
    const pixels = await markedPixels(page)
    expect(pixels).toBeGreaterThan(3)
    expect(pixels).toBeLessThan(600)
    await button.click()
    expect(await markedPixels(page)).toBeGreaterThan(pixels)
  })

  it('reads off and chooses with the keyboard', async () => {
    await page.locator('#plot').focus()
    const before = await page.locator('#readout').innerText()
    await page.keyboard.press('ArrowUp')
    const after = await page.locator('#readout').innerText()
    expect(after).not.toBe(before)
    expect(after).toMatch(/range \S+ m · cross-range \S+ m · \S+ dBsm/)
    await page.keyboard.press('n')
    expect(await page.locator('#hot-spot').innerText()).toContain('Hot spot')
  })

  it('zooms into the image, moves it, and goes back', async () => {
    const picture = page.locator('#plot image').first()
    const whole = (await picture.boundingBox())!
    await page.locator('#plot').focus()
    await page.keyboard.press('z')
    await page.keyboard.press('z')
    const zoomed = (await picture.boundingBox())!
    expect(zoomed.width / whole.width).toBeCloseTo(1.25 ** 2, 2)
    const at: [number, number] = [whole.x + whole.width / 2, whole.y + whole.height / 2]
    await page.mouse.move(...at)
    await page.mouse.down()
    await page.mouse.move(at[0] + 30, at[1] + 10, { steps: 3 })
    await page.mouse.up()
    const moved = (await picture.boundingBox())!
    expect(moved.x - zoomed.x).toBeCloseTo(30, 0)
    expect(moved.y - zoomed.y).toBeCloseTo(10, 0)
    await page.locator('#whole').click()
    expect((await picture.boundingBox())!.width).toBeCloseTo(whole.width, 1)
  })

  it('draws the target’s outline over the image, or leaves it out', async () => {
    const lines = page.locator('#plot path[stroke="#d6e4ea"]')
    expect(await lines.count()).toBe(2)
    await page.locator('#show-outline').uncheck()
    expect(await lines.count()).toBe(0)
    await page.locator('#show-outline').check()
  })

  it('changes the range of levels', async () => {
    const picture = page.locator('#plot image').first()
    const before = await picture.getAttribute('href')
    await page.locator('#depth').fill('20')
    expect(await page.locator('#depth-value').innerText()).toBe('20 dB')
    expect(await picture.getAttribute('href')).not.toBe(before)
    await page.locator('#depth').fill('50')
  })

  it('saves the figure as SVG and PNG', async () => {
    const svg = await saved(page, '#save-svg')
    expect(svg.name).toBe('ship-1m-image-vv.svg')
    expect(readFileSync(svg.path, 'utf8')).toMatch(/^<svg [^>]*>[^]*Cross-range \[m\][^]*dBsm[^]*<\/svg>$/)
    const [png, target] = [await saved(page, '#save-png'), await saved(page, '#target-png')].map(({ path }) => readFileSync(path)) // prettier-ignore
    expect(decode(png).width).toBeGreaterThanOrEqual(1280)
    expectGolden('saved', png)
    expect(decode(target).width).toBeGreaterThan(300)
  })

  it('has names for all controls, enough contrast, and dark colours', async () => {
    expect(await violations(page)).toEqual([])
    await page.locator('#theme').click()
    await page.getByRole('tab', { name: 'Image' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Range profile')
    expect(await violations(page)).toEqual([])
    for (const tab of ['Sinogram', 'Frequency–aspect', 'RCS']) {
      await page.getByRole('tab', { name: tab }).click()
      expect(await page.locator('#plot > svg').count()).toBe(1)
    }
    await page.locator('#polar').check()
    expect(await violations(page)).toEqual([])
    await page.getByRole('tab', { name: 'Sinogram' }).click()
    expectGolden('dark', await page.screenshot())
  })

  it('folds the weaker parts of a hot spot, and says of a dark pixel that nothing is there', async () => {
    await page.getByRole('tab', { name: 'Image' }).click()
    await page.locator('#plot').focus()
    await page.keyboard.press('n')
    const fold = page.locator('#hot-spot button[aria-expanded]')
    const rows = page.locator('#hot-spot tr:visible')
    const few = await rows.count()
    expect(await fold.innerText()).toMatch(/^\d+ weaker parts?, together −\d+\.\d dBsm/)
    await fold.click()
    expect(await rows.count()).toBeGreaterThan(few)
    await fold.click()
    expect(await rows.count()).toBe(few)
    await page.locator('#depth').fill('20')
    const frame = (await page.locator('#plot image').first().boundingBox())!
    await page.mouse.click(frame.x + 4, frame.y + 4)
    expect(await page.locator('#hot-spot').innerText()).toMatch(/^Nothing here at range .*: −\d+\.\d dBsm, \d+ dB below the brightest pixel/) // prettier-ignore
    expect(await page.locator('#target-view').getAttribute('data-marked')).toBe('0')
    await page.locator('#depth').fill('50')
  })

  it('shows Live without the picture and the radar of the opened result, which come back after it', async () => {
    const scale = page.locator('#target-view .colour-scale')
    const target = page.locator('#target-view canvas')
    const before = await target.screenshot()
    await page.getByRole('tab', { name: 'Live' }).click()
    await drawn(page)
    expect(await scale.isVisible()).toBe(false)
    expect(await page.locator('#hot-spot').isVisible()).toBe(false)
    const live = await target.screenshot()
    expect(live.equals(before)).toBe(false)
    await page.getByRole('tab', { name: 'Image' }).click()
    await drawn(page)
    expect(await scale.isVisible()).toBe(true)
  })

  it('compares two results', async () => {
    const pair = await show(await openSource([result, other]), ready)
    await pair.locator('#compare').selectOption('difference')
    expect(await pair.locator('#plot > svg').innerHTML()).toContain('(ship) − ship-1m (ship-none)')
    expectGolden('compare', await pair.locator('#figure').screenshot())
    await pair.getByRole('tab', { name: 'Range profile' }).click()
    expect(await pair.locator('#plot polyline').count()).toBe(2)
    await pair.getByRole('tab', { name: 'Image' }).click()
    await pair.locator('#compare').selectOption('beside')
    // The cursor of one figure is that of the other, and the scales of both are one.
    const cursors = pair.locator('.plot .cursor line')
    const left = (await pair.locator('#plot image').first().boundingBox())!
    const right = (await pair.locator('#plot-other image').first().boundingBox())!
    await pair.mouse.move(left.x + 0.4 * left.width, left.y + 0.7 * left.height)
    expect(await cursors.count()).toBe(4)
    const xs = await cursors.evaluateAll((lines) => lines.map((l) => Number(l.getAttribute('x1'))))
    expect(xs[2]).toBeCloseTo(xs[0], 3)
    expect(right.width).toBeCloseTo(left.width, 3)
    const [own, others] = (await pair.locator('#readout').innerText()).split('|').map(numbers)
    expect(own).toHaveLength(3)
    expect(others).toHaveLength(1)
    const labels = (id: string): Promise<string[]> => pair.locator(`${id} > svg > text`).allTextContents()
    expect((await labels('#plot')).slice(2)).toEqual((await labels('#plot-other')).slice(2))
    await pair.mouse.wheel(0, -100)
    const wider = (await pair.locator('#plot-other image').first().boundingBox())!
    expect(wider.width / right.width).toBeCloseTo(1.25, 2)
    expectGolden('beside', await pair.locator('#figure').screenshot())
    const svg = readFileSync((await saved(pair, '#save-svg')).path, 'utf8')
    for (const name of ['ship-1m (ship), VV', 'ship-1m (ship-none), VV']) expect(svg).toContain(name)
    expect(await violations(pair)).toEqual([])
  })

  it('writes no error to the console and asks no other host', () => {
    expect(troubles).toEqual([])
  })
})
