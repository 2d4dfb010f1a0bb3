// Times of live RCS in the page of `isar view`, in the Chromium of the development dependencies (software WebGPU) or in another
// browser: preparing the target, a single direction, directions per second of a sweep, and the page's frames while the view
// rotates, with the panel closed and open.
//   npm run build && node dist/reproduction/live.js [--targets ship-1m,aircraft] [--freq 10e9] [--seconds 5] [--browser /usr/bin/chromium]
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { openSource } from '../views/server/source.js'
import { pageFolder, serveView } from '../views/server/http.js'

const { values } = parseArgs({
  options: {
    targets: { type: 'string', default: 'ship-1m,aircraft' },
    freq: { type: 'string', default: '10e9' },
    seconds: { type: 'string', default: '5' },
    browser: { type: 'string' },
  },
})
const main = fileURLToPath(new URL('../src/cli/main.js', import.meta.url))

async function launch(): Promise<Browser> {
  if (values.browser)
    return chromium.launch({
      executablePath: values.browser,
      headless: false,
      args: ['--enable-unsafe-webgpu'],
    })
  const { default: pack } = await import('@sparticuz/chromium')
  const software = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
  return chromium.launch({
    executablePath: await pack.executablePath(),
    args: ['--no-sandbox', '--ignore-gpu-blocklist', '--enable-unsafe-webgpu', ...software],
  })
}

/** In the page: rotates the view with every frame; returns frames and results per second, and the longest frame [ms]. */
const ROTATE = `(async (milliseconds) => {
  const canvas = document.querySelector('#target-view canvas')
  const live = document.querySelector('#live')
  let [frames, results, longest, at] = [0, 0, 0, live.dataset.at]
  const start = performance.now()
  let last = start
  while (last - start < milliseconds) {
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }))
    const now = await new Promise((done) => requestAnimationFrame(done))
    longest = Math.max(longest, now - last)
    last = Math.max(last, now)
    frames++
    if (live.dataset.at !== at) results++
    at = live.dataset.at
  }
  const seconds = (last - start) / 1000
  return { frames: frames / seconds, results: results / seconds, longest }
})(${1000 * Number(values.seconds)})`

const rotate = (page: Page): Promise<{ frames: number; longest: number; results: number }> =>
  page.evaluate(ROTATE)

/** Milliseconds per direction, as the panel displays: the median of ten. */
async function oneDirection(page: Page): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 10; i++) {
    const phi = 10 + 7 * i
    await page.locator('#live-phi').fill(String(phi))
    await page.locator('#live-phi').press('Enter')
    await page.locator(`#live[data-at$=" ${phi}"]`).waitFor()
    times.push(Number(/([\d.]+) ms/.exec(await page.locator('#live-status').innerText())![1]))
  }
  return times.sort((a, b) => a - b)[5]
}

/** Directions per second of a cut in steps of 2 degrees. */
async function sweep(page: Page): Promise<number> {
  await page.locator('#live-step').fill('2')
  const start = performance.now()
  await page.locator('#live-sweep').click()
  await page.locator('#live-sweep:text-is("Sweep φ")').waitFor({ timeout: 600_000 })
  return 181_000 / (performance.now() - start)
}

const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-live-'))
const browser = await launch()
try {
  console.log(
    `${cpus()[0].model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}; ${values.freq} Hz`,
  )
  console.log(
    'target | ready [s] | direction [ms] | sweep [1/s] | closed: frames/s, longest [ms] | open: frames/s, longest [ms], results/s',
  )
  for (const name of values.targets.split(',')) {
    const mesh = resolve('samples', `${name}.stl`)
    const table = join(folder, `${name}.csv`)
    execFileSync(process.execPath, [main, 'rcs', mesh, '--freq', values.freq, '--method', 'gpueco', '--pixels', '64', '--device', 'cpu', '--quiet', '--out', table]) // prettier-ignore
    const server = await serveView(pageFolder(), await openSource([table], mesh), 0)
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } })
    await page.goto(server.url)
    await page.getByRole('tab', { name: 'RCS' }).waitFor()
    await page.locator('#target-view canvas').focus()
    const closed = await rotate(page)
    await page.getByRole('tab', { name: 'Live' }).click()
    await page.locator('#live[data-at]:not([data-at=""])').waitFor({ timeout: 120_000 })
    const device = await page.locator('#live-status').innerText()
    const ready = /[\d.]+/.exec((await page.locator('#live-status').getAttribute('title'))!)![0]
    const direction = await oneDirection(page)
    const rate = await sweep(page)
    const open = await rotate(page)
    console.log(
      [
        name,
        ready,
        direction.toFixed(1),
        rate.toFixed(1),
        `${closed.frames.toFixed(0)}, ${closed.longest.toFixed(0)}`,
        `${open.frames.toFixed(0)}, ${open.longest.toFixed(0)}, ${open.results.toFixed(1)}`,
      ].join(' | '),
    )
    console.log(`  on ${device.split('  ·  ')[0]}, load ${loadavg()[0].toFixed(1)}`)
    await page.close()
    await server.close()
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
