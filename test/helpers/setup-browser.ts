import { hasBrowser } from './browser.js'

/** Unpacks Chromium before the tests: one that starts while another one's copy is being written would run half a program. */
export default async function setup(): Promise<void> {
  if (hasBrowser) await (await import('@sparticuz/chromium')).default.executablePath()
}
