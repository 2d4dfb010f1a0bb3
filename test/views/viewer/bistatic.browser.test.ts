import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { openSource } from '../../../views/server/source.js'
import { isar, temporaryFolder } from '../../cli/cli.js'
import { hasBrowser } from '../../helpers/browser.js'
import { drawn, openView, violations } from './page.js'
import { words } from '../../helpers/words.js'

it.skipIf(!hasBrowser)('the page of a bistatic table shows the transmitter that is picked', async () => {
  const folder = temporaryFolder()
  const table = join(folder, 'several.csv')
  const args = words`--freq 1e9 --phi 0,30 --rx-theta 90 --rx-phi 0:90:10 --pol vv,hh --device cpu`
  const run = await isar`rcs ${resolve('samples/cube.stl')} ${args} --out ${table}`
  expect(run.code, run.stderr).toBe(0)
  const { page, troubles, close } = await openView(await openSource([table]), '#plot svg')
  try {
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
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('#save-svg').click()])
    const svg = readFileSync(await saved.path(), 'utf8')
    expect(svg).not.toContain('<text')
    expect(svg).toContain('<title>HH</title><path d="M')
    expect([troubles, await violations(page)]).toEqual([[], []])
  } finally {
    await close()
    rmSync(folder, { recursive: true })
  }
})
