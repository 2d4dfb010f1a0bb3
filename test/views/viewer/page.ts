import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { pageFolder, serveView, type Source } from '../../../views/server/http.js'
import { launchBrowser, PATIENCE } from '../../helpers/browser.js'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Of a laptop. */
export const SCREEN = { width: 1280, height: 720 }

/**
 * Opens a page on the screen of a laptop. @param ready  what it has when it is whole
 * @param troubles  gains what is written to the console as an error, and addresses of other hosts that are asked for
 * @param script    run before the page's own
 */
export async function openPage(
  browser: Browser,
  url: string,
  ready: string,
  troubles: string[],
  script?: string,
): Promise<Page> {
  const page = await browser.newPage({ viewport: SCREEN, colorScheme: 'light' })
  page.setDefaultTimeout(PATIENCE)
  page.on('console', (m) => {
    // What the processor draws reads the canvases of WebGL: the driver says so, of any page.
    if (m.text().includes('GPU stall due to ReadPixels')) return
    if (m.type() === 'error' || m.type() === 'warning') troubles.push(m.text())
  })
  page.on('pageerror', (e) => troubles.push(String(e)))
  page.on('request', (r) => {
    if (!r.url().startsWith(url.replace(/#.*/, '')) && !/^(data|blob):/.test(r.url()))
      troubles.push(`asked for ${r.url()}`)
  })
  if (script) await page.addInitScript(script)
  await page.goto(url)
  await page.waitForSelector(ready)
  return page
}

/** The page of `isar view`, served and shown to a browser of its own. */
export interface OpenView {
  browser: Browser
  page: Page
  /** See `openPage`. */
  troubles: string[]
  close: () => Promise<void>
}

/** Serves a source and opens its page. @param ready  see `openPage` @param beside  a view whose browser it is opened in, and closed before */
export async function openView(source: Source, ready: string, beside?: OpenView): Promise<OpenView> {
  const server = await serveView(pageFolder(), source, 0)
  const browser = beside?.browser ?? (await launchBrowser())
  const troubles: string[] = []
  const page = await openPage(browser, server.url, ready, troubles)
  const close = async (): Promise<void> => {
    await (beside ? page : browser).close()
    await server.close()
  }
  return { browser, page, troubles, close }
}

/** Waits until the page has drawn what it was asked to: with the next frame, so that the one after finds it there. */
export const drawn = (page: Page): Promise<void> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))')

/** What axe finds wrong with a page for those who do not see it, or not well. */
export async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `${axeSource}; axe.run().then((r) => r.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
  )
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(' ')}`)
}

/** Numbers of a line for the reader. */
export const numbers = (text: string): number[] =>
  (text.replaceAll('−', '-').match(/-?\d+(\.\d+)?/g) ?? []).map(Number)
