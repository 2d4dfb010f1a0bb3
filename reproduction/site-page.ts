import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.stl': 'model/stl' } // prettier-ignore

/** Serves what `isar site` wrote to a folder, and starts the Chromium of the development dependencies. */
export async function openSite(
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
