// Screenshot of the page of isar view (Chromium of the development dependencies): a result of isar render with its strongest peak
// traced, or of isar doppler with a point of its spectrogram selected, given as parts of the picture across and down. Prints the page's
// text on it.
//   npm run build && node dist/reproduction/view-picture.js FOLDER picture.png [0.3,0.4]
import { chromium } from 'playwright-core'
import { openSource } from '../views/server/source.js'
import { pageFolder, serveView } from '../views/server/http.js'

const [folder, path, point] = process.argv.slice(2)
const { default: pack } = await import('@sparticuz/chromium')
const server = await serveView(pageFolder(), await openSource([folder]), 0)
const browser = await chromium.launch({
  executablePath: await pack.executablePath(),
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'], // prettier-ignore
})
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' })
await page.goto(server.url)
await page.waitForSelector('body[data-rays=ready]', { timeout: 600_000 })
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
  const at: [number, number] = [x + across * width, y + down * height]
  await page.mouse.click(...at)
}
await page.waitForTimeout(1000)
console.log(await page.locator('#hot-spot').innerText())
await page.screenshot({ path, animations: 'disabled' })
await browser.close()
await server.close()
process.exit(0)
