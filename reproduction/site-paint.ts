// Start of the page of isar site, from a server on this machine with an empty cache: first contentful paint, the sample in three dimensions, its first
// live RCS [s], and what was transferred [MB].
//   isar site --out FOLDER && node dist/reproduction/site-paint.js FOLDER [RUNS]
import { cpus } from 'node:os'
import { openSite } from './site-page.js'

const [folder, runs = '5'] = process.argv.slice(2)
const { browser, url, close } = await openSite(folder)
console.log(
  `${cpus()[0].model}, ${cpus().length} processors; Chromium ${browser.version()}, WebGL and rays on the CPU`,
)
console.log('paint [s]  target [s]  live [s]  transferred [MB]')
for (let run = 0; run < Number(runs); run++) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage()
  let bytes = 0
  page.on('response', (r) => void r.body().then((b) => (bytes += b.length)).catch(() => {})) // prettier-ignore
  await page.goto(url)
  const now = (): Promise<number> => page.evaluate<number>('performance.now()')
  await page.waitForSelector('body[data-state=ready]')
  const target = await now()
  await page.locator('#live[data-at]:not([data-at=""])').waitFor()
  const live = await now()
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  )
  console.log([paint, target, live].map((ms) => (ms / 1000).toFixed(2).padEnd(9)).join('  '), (bytes / 1e6).toFixed(2)) // prettier-ignore
  await page.context().close()
}
await close()
