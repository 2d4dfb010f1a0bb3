import { type Browser, chromium } from 'playwright-core'
import { leftOut } from './left-out.js'

/** Whether the Chromium of the development dependencies runs here. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64'
if (!hasBrowser) leftOut('Chromium is packed for Linux on x64 alone')

/** Longest wait for a page, which computes on the machine's own processor [ms]. */
export const PATIENCE = 300_000

// The processor draws the pages themselves: SwiftShader would add half to the time of a test.
const WEBGL = ['--disable-gpu']
/** WebGPU on SwiftShader, which a browser gives to no page by itself. */
export const WEBGPU = ['--enable-unsafe-webgpu', '--ignore-gpu-blocklist', '--disable-gpu-compositing']

/** Chromium, headless, with WebGL on SwiftShader. */
export async function launchBrowser(flags = WEBGL): Promise<Browser> {
  const { default: pack } = await import('@sparticuz/chromium')
  // The driver that the GPU tests run on is not the browser's own.
  const { VK_ICD_FILENAMES, LD_LIBRARY_PATH, ...env } = process.env
  void [VK_ICD_FILENAMES, LD_LIBRARY_PATH]
  return chromium.launch({
    timeout: PATIENCE,
    executablePath: await pack.executablePath(),
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--font-render-hinting=none',
      ...flags,
    ],
    env: env as Record<string, string>,
  })
}

const shared = new Map<string, Promise<Browser>>()

/** The browser that all tests of this process share, which ends with it: a start takes a second or two. */
export function sharedBrowser(flags = WEBGL): Promise<Browser> {
  const key = flags.join()
  const browser = shared.get(key) ?? launchBrowser(flags)
  shared.set(key, browser)
  return browser
}
