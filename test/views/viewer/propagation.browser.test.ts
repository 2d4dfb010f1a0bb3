import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { C0 } from '../../../scene/index.js'
import type { PathsData } from '../../../views/figures/index.js'
import type { ArrayRef, Manifest, SceneData, Sent } from '../../../views/server/manifest.js'
import { PathsFile } from '../../../views/server/open-result.js'
import { openSource } from '../../../views/server/source.js'
import type { Source } from '../../../views/server/http.js'
import { hasBrowser } from '../../helpers/browser.js'
import { expectGolden } from '../../helpers/golden.js'
import { done, drawn, numbers, viewPages, violations } from './page.js'

const SCENE = {
  name: 'courtyard',
  frequency: '2 GHz',
  geometry: [
    { polygon: [[-20, -20, 0], [40, -20, 0], [40, 30, 0], [-20, 30, 0]], material: 'concrete' },
    { box: { min: [5, 5, 0], max: [15, 12, 8], without: ['-z'] }, material: 'brick' },
    { box: { min: [20, -10, 0], max: [28, 2, 6], without: ['-z'] }, material: 'brick' },
  ],
  transmitter: { position: [0, 0, 3], polarisation: 'v' },
  receivers: [
    { name: 'street', line: [[-10, -12, 1.5], [35, -12, 1.5]], step: 5 },
    { name: 'floor', grid: { x: [-18, 38], y: [-18, 28], z: 1.5 }, step: 4 },
  ],
  rays: 20000,
  maxReflections: 3,
  diffraction: 'utd',
  paths: ['street'],
} // prettier-ignore

const SUMMIT = 2 // A receiver of the line in sight of the transmitter, at (0, -12, 1.5).

describe('a propagation result', () => {
  const { folder, troubles, show } = viewPages()
  const result = join(folder, 'court')
  let source: Source
  let scene: Sent<SceneData>

  beforeAll(async () => {
    writeFileSync(join(folder, 'scene.json'), JSON.stringify(SCENE))
    await done`propagate ${join(folder, 'scene.json')} --device cpu --no-plot --out ${result}`
    source = await openSource([result])
    const manifest = JSON.parse(String(source('/result/manifest.json'))) as Manifest
    scene = manifest.results[0].scene!
  })

  const pathsOf = (receiver: number): PathsData =>
    JSON.parse(String(source(`/result/${scene.pathsAt}${receiver}.json`))) as PathsData

  it('keeps its walls and gives the paths of listed receivers', () => {
    expect(scene.transmitterM).toEqual([0, 0, 3])
    // A ground of two triangles, two boxes of ten each.
    const array = ({ path }: ArrayRef): Uint32Array =>
      new Uint32Array(Uint8Array.from(source(`/result/${path}`) as Uint8Array).buffer)
    expect(array(scene.triangles)).toHaveLength(3 * 22)
    expect(array(scene.listed)).toHaveLength(10)
    const { positionM, list, count } = pathsOf(SUMMIT)
    expect(positionM).toEqual([0, -12, 1.5])
    expect(list).toHaveLength(count)
    const direct = list.find((p) => p.kind === 'direct')!
    expect(direct.lengthM).toBeCloseTo(Math.hypot(12, 1.5), 5)
    expect(direct.delayS).toBeCloseTo(direct.lengthM / C0, 14)
    // Friis, between isotropic antennas that stand across the line of sight but for 7 degrees.
    const friis = 20 * Math.log10(C0 / 2e9 / (4 * Math.PI * direct.lengthM))
    expect(direct.gainDb.vv).toBeCloseTo(friis, 1)
    // Every path is as long as its legs.
    for (const { lengthM, pointsM } of list) {
      const points = [scene.transmitterM, ...pointsM, positionM]
      const legs = points.slice(1).map((p, i) => Math.hypot(...p.map((x, c) => x - points[i][c])))
      expect(legs.reduce((a, b) => a + b)).toBeCloseTo(lengthM, 2)
    }
    const levels = list.map((p) => p.gainDb.vv)
    expect(levels).toEqual([...levels].sort((a, b) => b - a))
  })

  it('has no paths where none are listed', () => {
    for (const path of ['0/paths-20.json', '0/paths-99999.json', '1/paths-0.json', '0/paths-0', '0/paths--1.json'])
      expect(source(`/result/${path}`), path).toBeUndefined() // prettier-ignore
  })

  it('says what is wrong with a list of paths', () => {
    const file = join(folder, 'paths.csv')
    const lines = readFileSync(join(result, 'paths.csv'), 'utf8').trim().split('\n')
    const refused = (...text: string[]): string => {
      writeFileSync(file, text.join('\n') + '\n')
      try {
        const paths = new PathsFile(file)
        for (const r of paths.receivers) paths.paths(r, [0, 0, 0])
      } catch (error) {
        return (error as Error).message
      }
      return 'read'
    }
    expect(refused(...lines)).toBe('read')
    expect(refused()).toContain('is no list of paths')
    expect(refused('a,b,c', lines[1])).toContain('is no list of paths')
    expect(refused(lines[0], 'street')).toContain('names no receiver')
    expect(refused(lines[0], lines[1], lines[1].replace(/,0,/, ',77,'), lines[1])).toContain('are apart')
    expect(refused(lines[0], lines[1].replace(/,direct,\d+,[^,]*/, ',direct,0,x'))).toContain('is no number')
  })

  describe.skipIf(!hasBrowser)('on the page', () => {
    let page: Page

    beforeAll(async () => {
      page = await show(source, 'body[data-rays=ready]')
    })

    it('shows the paths of a receiver that is chosen in its figure', async () => {
      await page.locator('#plot').focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Shift+ArrowLeft')
      for (let i = 0; i < SUMMIT; i++) await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#hot-spot table')
      const { list, count } = pathsOf(SUMMIT)
      const text = await page.locator('#hot-spot').innerText()
      expect(text).toContain(`Receiver ${SUMMIT} of street at 0.00, −12.00, 1.50 m. ${count} path`)
      const rows = await page.locator('#hot-spot tr').allInnerTexts()
      const [, bounces, gain, delay, length] = numbers(rows[1])
      expect(bounces).toBe(list[0].pointsM.length)
      expect(gain).toBeCloseTo(list[0].gainDb.vv, 1)
      expect(delay).toBeCloseTo(1e9 * list[0].delayS, 1)
      expect(length).toBeCloseTo(list[0].lengthM, 1)
      const drawn = (): Promise<string | null> => page.locator('#target-view').getAttribute('data-paths')
      expect(await drawn()).toBe(String(Math.min(20, count)))
      await page.locator('#hot-spot button').first().click()
      expect(await drawn()).toBe('1')
      await page.locator('#hot-spot button').first().click()
      expect(await drawn()).toBe(String(Math.min(20, count)))
    })

    it('draws path gain over the logarithm of the distance from the transmitter', async () => {
      const { log, x } = await page.evaluate<{ log: string; x: string }>("(() => { const titles = () => [...document.querySelectorAll('#plot text')].map((t) => t.textContent).join('|'); document.querySelector('#tab-set-0').click(); const x = titles(); document.querySelector('#log-distance').click(); const log = titles(); document.querySelector('#log-distance').click(); return { log, x } })()") // prettier-ignore
      expect(x).toContain('Distance along the receivers [m]')
      expect(log).toContain('Distance from the transmitter [m]')
      await page.getByRole('tab', { name: 'Delays' }).click()
    })

    it('draws their power over delay', async () => {
      await page.getByRole('tab', { name: 'Delays' }).click()
      const { list } = pathsOf(SUMMIT)
      const top = Math.max(...list.map((p) => p.gainDb.vv))
      const high = 5 * Math.ceil(top / 5 + 0.5)
      const within = list.filter((p) => p.gainDb.vv > high - 100).length
      expect(await page.locator('#plot circle').count()).toBe(within)
      await page.locator('#plot').focus()
      await page.keyboard.press('Shift+ArrowLeft')
      const first = Math.min(...list.map((p) => p.delayS))
      const read = await page.locator('#readout').innerText()
      expect(read).toContain('direct')
      expect(read).not.toContain('reflected')
      expect(numbers(read)[0]).toBeCloseTo(1e9 * first, 1)
      expectGolden('paths', await page.screenshot())
    })

    it('lets a receiver be chosen in the scene, and says where its paths are not listed', async () => {
      await page.locator('[data-view=top]').click()
      await drawn(page)
      const box = (await page.locator('#target-view canvas').boundingBox())!
      // Somewhere near the middle stands a receiver of the floor.
      let text = ''
      for (let i = 0; i < 12 && !/of floor.*not listed/.test(text); i++) {
        await page.mouse.click(box.x + box.width / 2 - 7 * i, box.y + box.height / 2 + 5 * i)
        await drawn(page)
        text = await page.locator('#hot-spot').innerText()
      }
      expect(text).toMatch(/Receiver \d+ of floor at .* Its paths are not listed/)
      expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('floor')
    })

    it('has names for all controls, enough contrast in both colours, and no errors', async () => {
      expect(await violations(page)).toEqual([])
      await page.locator('#theme').click()
      expect(await violations(page)).toEqual([])
      expect(troubles).toEqual([])
    })
  })
})
