// Screenshot of the page of isar view: a result of isar render with its strongest peak traced (Chromium of the development
// dependencies). Prints the page's text on the peak.
//   npm run build && node dist/bench/view-picture.js FOLDER picture.png
import { chromium } from 'playwright-core'
import { openSource } from '../src/view/source.js'
import { pageFolder, serveView } from '../src/view-server.js'

const [folder, path] = process.argv.slice(2)
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
await page.keyboard.press('n')
await page.waitForTimeout(1000)
console.log(await page.locator('#hot-spot').innerText())
await page.screenshot({ path, animations: 'disabled' })
await browser.close()
await server.close()
process.exit(0)
