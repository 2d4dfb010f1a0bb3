// Screenshot of the page of isar site: an ISAR image of the sample drone, computed in the page, with its strongest peak traced
// (Chromium of the development dependencies, on its CPU). Prints what the page says of the run.
//   isar site --out FOLDER && node dist/reproduction/site-picture.js FOLDER image.png
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.stl': 'model/stl' } // prettier-ignore

/** Serves what `isar site` wrote to a folder, and starts the Chromium of the development dependencies. */
async function openSite(
  folder: string,
): Promise<{ browser: Browser; url: string; close: () => Promise<void> }> {
  const server = createServer(({ url = '/' }, response) => {
    response.setHeader('Content-Type', TYPES[extname(url)] ?? 'text/html')
    response.end(readFileSync(join(folder, url === '/' ? 'index.html' : url)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { default: pack } = await import('@sparticuz/chromium')
  const browser = await chromium.launch({
    executablePath: await pack.executablePath(),
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'], // prettier-ignore
  })
  return {
    browser,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      await browser.close()
      server.close()
    },
  }
}

const [folder, picture] = process.argv.slice(2)
const { browser, url, close } = await openSite(folder)
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' })
const drone = page.locator('body[data-state=ready] #status:has-text("2624 facets")')
await page.goto(url)
await page.waitForSelector('body[data-state=ready]')
await page.locator('#sample').selectOption('drone')
await drone.waitFor()
await page.locator('#what').selectOption('image')
for (const [id, value] of Object.entries({ frequency: '10', theta: '70', resolution: '0.02' }))
  await page.locator(`#${id}`).fill(value)
await page.locator('#go').click()
await page.waitForSelector('body[data-state=done]', { timeout: 600_000 })
await page.waitForSelector('body[data-rays=ready]', { timeout: 600_000 })
await page.locator('#plot').focus()
await page.keyboard.press('n')
await page.waitForTimeout(1000)
console.log(await page.locator('#status').innerText())
await page.screenshot({ path: picture, animations: 'disabled' })
await close()
