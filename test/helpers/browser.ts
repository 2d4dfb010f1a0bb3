import { type Browser, chromium } from 'playwright-core'

/** Whether the Chromium of the development dependencies runs here. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64'

/** Chromium, headless, with WebGL on SwiftShader. */
export async function launchBrowser(): Promise<Browser> {
  const { default: pack } = await import('@sparticuz/chromium')
  // The driver that the GPU tests run on is not the browser's own.
  const { VK_ICD_FILENAMES, LD_LIBRARY_PATH, ...env } = process.env
  void [VK_ICD_FILENAMES, LD_LIBRARY_PATH]
  return chromium.launch({
    executablePath: await pack.executablePath(),
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
      '--font-render-hinting=none',
    ],
    env: env as Record<string, string>,
  })
}
