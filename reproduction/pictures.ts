// Pictures of the documents that no command of isar writes (reproduction/figures/table.ts).
//   npm run build && node dist/reproduction/pictures.js NAME …, by name:
//   beside OUT.png A.png B.png …        pictures of one height side by side
//   doppler OUT.png                     spectrogram of samples/drone-motion.json; a minute on two cores
//   full-wave OUT.png [WAVELENGTHS …]   rays against full wave on a strip; prints their difference, unknowns and seconds of both
//   site FOLDER OUT.png                 the page of `isar site --out FOLDER` with an image of the drone computed in it
//   view FOLDER OUT.png [0.3,0.4]       the page of `isar view FOLDER`: its strongest peak traced, or a point of a spectrogram selected, given
//                                       as parts of the picture across and down
// Pages are drawn by the Chromium of the development dependencies, on its CPU; what they say of the run is printed.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { decode, encode } from 'fast-png'
import { chromium, type Page } from 'playwright-core'
import { loadMotion, type MotionDescription } from '../run/motion/index.js'
import { doppler, dopplerProducts, resolveProducts } from '../src/doppler/output.js'
import { rcs } from '../src/index.js'
import { dbErrors } from '../src/validate/errors.js'
import { dopplerSvg, type LineSeries, linePlot, svgToPng } from '../views/figures/node.js'
import { pageFolder, serveView } from '../views/server/http.js'
import { openSource } from '../views/server/source.js'

/** rms differences leave out what is further below the maximum [dB]: of a large strip little but the main lobe is above −30 dB. */
const FLOOR_DB = 50

const PICTURES: Record<string, (...args: string[]) => void | Promise<void>> = {
  beside(out, ...files) {
    const pictures = files.map((file) => decode(readFileSync(file)))
    const { height, channels, depth } = pictures[0]
    const width = pictures.reduce((sum, p) => sum + p.width, 0)
    const data = new Uint8Array(width * height * channels)
    let left = 0
    for (const picture of pictures) {
      if (picture.height !== height || picture.channels !== channels)
        throw new Error('pictures of different heights')
      const row = picture.width * channels
      for (let y = 0; y < height; y++)
        data.set(picture.data.subarray(y * row, (y + 1) * row) as Uint8Array, (y * width + left) * channels)
      left += picture.width
    }
    writeFileSync(out, encode({ width, height, data, channels, depth }))
  },

  async doppler(out) {
    // Two turns of the rotors, without noise, which would make the picture's file large.
    const drone = JSON.parse(readFileSync('samples/drone-motion.json', 'utf8')) as MotionDescription
    const motion = { ...drone, noise: undefined, radar: { ...drone.radar, pulses: 500 } }
    const flying = await doppler(motion, { folder: 'samples', channels: ['vv'] })
    const loaded = await loadMotion(motion, {}, 'samples')
    const settings = resolveProducts(loaded, { window: 'hamming', overlap: 0.9 }, (x) => x)
    const { spectrogram } = dopplerProducts(flying.computed, 'vv', settings)
    const svg = dopplerSvg({
      levels: Float32Array.from(spectrogram.power, (p) => 10 * Math.log10(Math.max(p, 1e-30))),
      x: spectrogram.timeS,
      y: spectrogram.dopplerHz,
      xTitle: 'Time [s]',
      yTitle: 'Doppler [Hz], positive: approaching',
      title: 'A drone with four rotors, VV',
      subtitle: `10 GHz  ·  ${settings.stft} pulses of 50 µs`,
      dynamicRangeDb: 35,
    })
    writeFileSync(out, await svgToPng(svg))
  },

  async 'full-wave'(out, ...sizes) {
    /** 1 m by 0.1 m. */
    const strip = {
      positions: Float64Array.of(-0.5, -0.05, 0, 0.5, -0.05, 0, 0.5, 0.05, 0, -0.5, 0.05, 0),
      indices: Uint32Array.of(0, 1, 2, 0, 2, 3),
    }
    const thetaDeg = Array.from({ length: 86 }, (_, i) => i)
    const lengths = sizes.length > 0 ? sizes.map(Number) : [2, 3, 4, 6, 8, 10, 12]
    const channels = ['vv', 'hh'] as const
    const series = channels.map((c): LineSeries & { y: number[] } => ({
      name: c.toUpperCase(),
      x: lengths,
      y: [],
    }))
    console.log('length/λ  unknowns  rms VV  rms HH [dB]  rays s  full wave s')
    for (const length of lengths) {
      const solve = async (method: 'sbr' | 'mom') => {
        const start = performance.now()
        const result = await rcs(strip, { freqHz: [299792458 * length], thetaDeg, phiDeg: 0, method })
        return { ...result, seconds: (performance.now() - start) / 1000 }
      }
      const [rays, wave] = [await solve('sbr'), await solve('mom')]
      const rms = channels.map(
        (c) => dbErrors(rays.sigmaDbsm[c], wave.sigmaDbsm[c], { floorDb: FLOOR_DB }).rmsDb,
      )
      rms.forEach((x, i) => series[i].y.push(x))
      const [{ unknowns }] = wave.meta.full_wave as { unknowns: number }[]
      const seconds = [rays, wave].map((run) => run.seconds.toFixed(1))
      console.log([length, unknowns, ...rms.map((x) => x.toFixed(2)), ...seconds].join('  '))
    }
    const svg = linePlot({
      title: 'Rays against full wave',
      subtitle: 'Strip of 10 : 1, cut along its length, θ 0 to 85°',
      xTitle: 'length [wavelengths]',
      yTitle: `rms difference [dB], floor −${FLOOR_DB} dB`,
      series,
    })
    writeFileSync(out, await svgToPng(svg))
  },

  async site(folder, out) {
    const types: Record<string, string> = {
      '.js': 'text/javascript',
      '.css': 'text/css',
      '.svg': 'image/svg+xml',
      '.stl': 'model/stl',
    }
    const server = createServer(({ url = '/' }, response) => {
      response.setHeader('Content-Type', types[extname(url)] ?? 'text/html')
      response.end(readFileSync(join(folder, url === '/' ? 'index.html' : url)))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    await screenshot(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, out, async (page) => {
      const drone = page.locator('body[data-state=ready] #status:has-text("2624 facets")')
      await page.waitForSelector('body[data-state=ready]')
      await page.locator('#sample').selectOption('drone')
      await drone.waitFor()
      await page.locator('#what').selectOption('image')
      for (const [id, value] of Object.entries({ frequency: '10', theta: '70', resolution: '0.02' }))
        await page.locator(`#${id}`).fill(value)
      await page.locator('#go').click()
      await page.waitForSelector('body[data-state=done]', LONG)
      await page.waitForSelector('body[data-rays=ready]', LONG)
      await page.locator('#plot').focus()
      await page.keyboard.press('n')
      return '#status'
    })
    server.close()
  },

  async view(folder, out, point) {
    const server = await serveView(pageFolder(), await openSource([folder]), 0)
    await screenshot(server.url, out, async (page) => {
      await page.waitForSelector('body[data-rays=ready]', LONG)
      await page.locator('#plot').focus()
      if (point === undefined) await page.keyboard.press('n')
      else {
        const [across, down] = point.split(',').map(Number)
        // The map's frame: its picture may reach far beyond, as a spectrogram opens at a few turns.
        const [x, y, width, height] = await page.evaluate<number[]>(`{
          const svg = document.querySelector('#plot svg').getBoundingClientRect()
          const of = (name) => Number(document.querySelector('#plot clipPath rect').getAttribute(name));
          [svg.x + of('x'), svg.y + of('y'), of('width'), of('height')]
        }`)
        await page.mouse.click(x + across * width, y + down * height)
      }
      return '#hot-spot'
    })
    await server.close()
  },
}

const LONG = { timeout: 600_000 }

/** Opens a page, brings it where the picture shows it, and prints the text of what that returns. */
async function screenshot(url: string, out: string, show: (page: Page) => Promise<string>): Promise<void> {
  const { default: pack } = await import('@sparticuz/chromium')
  const browser = await chromium.launch({
    executablePath: await pack.executablePath(),
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'], // prettier-ignore
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' })
  await page.goto(url)
  const text = await show(page)
  await page.waitForTimeout(1000)
  console.log(await page.locator(text).innerText())
  await page.screenshot({ path: out, animations: 'disabled' })
  await browser.close()
}

const [name, ...args] = process.argv.slice(2)
if (!Object.hasOwn(PICTURES, name ?? '') || args.length === 0)
  throw new Error(`give one of ${Object.keys(PICTURES).join(', ')}, and what the head of this file says`)
await PICTURES[name](...args)
process.exit(0)
