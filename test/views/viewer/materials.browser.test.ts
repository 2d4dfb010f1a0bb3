import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slab } from '../../../scene/materials/index.js'
import { ITU_MEDIA } from '../../../scene/materials/library.js'
import { openSource } from '../../../views/server/source.js'
import { isar, temporaryFolder } from '../../cli/cli.js'
import { hasBrowser } from '../../helpers/browser.js'
import { numbers, type OpenView, openView, violations } from './page.js'

describe.skipIf(!hasBrowser)('the page of a result with materials', () => {
  const folder = temporaryFolder()
  const result = join(folder, 'cube')
  let shown: OpenView

  beforeAll(async () => {
    const run =
      await isar`render ${resolve('samples/cube.stl')} --band 1.9e9:2.1e9 --theta 70 --phi 20 --aperture 6 --material concrete --out ${result}`
    expect(run.code, run.stderr).toBe(0)
    shown = await openView(await openSource([result]), 'body[data-rays=ready]')
  })
  afterAll(async () => {
    await shown?.close()
    rmSync(folder, { recursive: true })
  })

  it('shows materials by colour with a legend, and |R| of the facet under the pointer', async () => {
    const { page } = shown
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
    const { page } = shown
    const box = (await page.locator('#plot image').first().boundingBox())!
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
    await page.locator('#hot-spot table').waitFor()
    expect(await page.locator('#hot-spot').innerText()).toContain('surface')
  })

  it('has no troubles, and nothing that screen readers stumble over', async () => {
    expect(await violations(shown.page)).toEqual([])
    expect(shown.troubles).toEqual([])
  })
})
