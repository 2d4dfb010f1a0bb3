import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { pageFolder, serveView, type Source } from '../../../views/server/http.js'
import { isar } from '../../cli/cli.js'
import { PATIENCE, sharedBrowser } from '../../helpers/browser.js'
import { scratchFolder } from '../../helpers/scratch.js'
import type { Word } from '../../helpers/words.js'

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

/** Pages of `isar view` for the tests of a `describe`, which they end with. */
interface ViewPages {
  /** A new folder. */
  folder: string
  /** See `openPage`, of all pages. */
  troubles: string[]
  /** Serves a source and opens its page. @param ready  see `openPage` */
  show: (source: Source, ready: string) => Promise<Page>
}

/** @param flags  of the browser, which other tests share */
export function viewPages(flags?: string[]): ViewPages {
  const folder = scratchFolder()
  const troubles: string[] = []
  const opened: { close: () => Promise<void> }[] = []
  afterAll(async () => {
    for (const one of opened.reverse()) await one.close()
  })
  const show = async (source: Source, ready: string): Promise<Page> => {
    const server = await serveView(pageFolder(), source, 0)
    opened.push(server)
    const page = await openPage(await sharedBrowser(flags), server.url, ready, troubles)
    opened.push(page)
    return page
  }
  return { folder, troubles, show }
}

/** Runs a command that is to end well. */
export async function done(line: TemplateStringsArray, ...values: Word[]): Promise<void> {
  const { code, stderr } = await isar(line, ...values)
  expect(code, stderr).toBe(0)
}

/** What a button of the page saves. */
export async function saved(page: Page, button: string): Promise<{ name: string; path: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator(button).click()])
  return { name: file.suggestedFilename(), path: await file.path() }
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
