import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSource } from '../../../views/server/source.js'
import { isar, temporaryFolder } from '../../cli/cli.js'
import { hasBrowser } from '../../helpers/browser.js'
import { drawn, type OpenView, openView, violations } from './page.js'

describe.skipIf(!hasBrowser)('the page of a result of full wave', () => {
  const folder = temporaryFolder()
  const open: OpenView[] = []

  const solved = async (name: string, args: string[]): Promise<OpenView> => {
    const out = join(folder, name)
    const plate = resolve('test/validation/mom/plate_2x1lam.stl')
    const run =
      await isar`rcs ${plate} --freq 1.5GHz --theta 0:60:30 --phi 0 ${args} --out ${join(out, 'rcs.csv')}`
    expect(run.code, run.stderr).toBe(0)
    open.push(await openView(await openSource([join(out, 'rcs.csv')]), '#target-view canvas', open[0]))
    return open[open.length - 1]
  }
  let shown: OpenView
  beforeAll(async () => {
    shown = await solved('mom', ['--method', 'mom', '--workers', '1'])
  })
  afterAll(async () => {
    for (const view of open.reverse()) await view.close()
    rmSync(folder, { recursive: true })
  })

  it('draws the mesh for currents in place of the facets, coloured by the shape of its triangles', async () => {
    const { page } = shown
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
    const facts = await shown.page.locator('#facts dl').innerHTML()
    expect(facts).toMatch(/Unknowns<\/dt><dd>\d{3}</)
    expect(facts).toMatch(/Their quality 2r\/R<\/dt><dd>least 0\.\d+, median 0\.\d+</)
  })

  it('offers no such mesh for a result of rays', async () => {
    const { page } = await solved('sbr', ['--device', 'cpu', '--rays-per-wavelength', '5'])
    expect(await page.locator('#currents-choice').isHidden()).toBe(true)
  })

  it('writes no error to the console', () => {
    expect(open.flatMap(({ troubles }) => troubles)).toEqual([])
  })
})
