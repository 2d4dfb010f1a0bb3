import { type Browser, chromium } from 'playwright-core'
import { leftOut } from './left-out.js'

/** Whether the Chromium of the development dependencies runs here. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64'
if (!hasBrowser) leftOut('Chromium is packed for Linux on x64 alone')

/** Longest wait for a page, which computes on the machine's own processor [ms]. */
export const PATIENCE = 300_000

/** WebGPU on SwiftShader, which a browser gives to no page by itself. */
export const WEBGPU = ['--enable-unsafe-webgpu']

/** Chromium, headless, with WebGL on SwiftShader. @param extra  further flags */
export async function launchBrowser(extra: string[] = []): Promise<Browser> {
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
      '--ignore-gpu-blocklist',
      '--font-render-hinting=none',
      ...extra,
    ],
    env: env as Record<string, string>,
  })
}
