// Screenshot of the page of isar site: an ISAR image of the sample drone, computed in the page, with its strongest peak traced (Chromium of the development
// dependencies, on its CPU). Prints what the page says of the run.
//   isar site --out FOLDER && node dist/bench/site-picture.js FOLDER picture.png
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { chromium } from 'playwright-core'

const [folder, path] = process.argv.slice(2)
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.stl': 'model/stl' } // prettier-ignore
const server = createServer(({ url = '/' }, response) => {
  response.setHeader('Content-Type', types[extname(url)] ?? 'text/html')
  response.end(readFileSync(join(folder, url === '/' ? 'index.html' : url)))
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const { default: pack } = await import('@sparticuz/chromium')
const browser = await chromium.launch({
  executablePath: await pack.executablePath(),
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'], // prettier-ignore
})
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' })
await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
await page.waitForSelector('body[data-state=ready]')
await page.locator('#sample').selectOption('drone')
await page.locator('#status:has-text("2624 facets")').waitFor()
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
await page.screenshot({ path, animations: 'disabled' })
await browser.close()
server.close()
