import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Folder of the software Vulkan driver that the GPU tests run on. */
const swiftshaderFolder = path.join(root, 'node_modules/.cache/swiftshader')

/** Unpacks SwiftShader out of the development dependency, once. Returns its folder, or null where there is none for this platform. */
export function unpackSwiftshader(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  if (existsSync(swiftshaderFolder)) return swiftshaderFolder
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const base = entry.slice(0, entry.lastIndexOf('@sparticuz/chromium') + '@sparticuz/chromium'.length)
  const tar = brotliDecompressSync(readFileSync(path.join(base, 'bin/swiftshader.tar.br')))
  mkdirSync(path.dirname(swiftshaderFolder), { recursive: true })
  const fresh = mkdtempSync(`${swiftshaderFolder}-`)
  execFileSync('tar', ['-x', '-C', fresh], { input: tar })
  // Whole or not at all, also when two runs unpack at once.
  try {
    renameSync(fresh, swiftshaderFolder)
  } catch {
    rmSync(fresh, { recursive: true })
  }
  return swiftshaderFolder
}

/** Environment of a process that is to find SwiftShader as its Vulkan driver; the loader, and Node, read it at the process's start. */
export const swiftshaderEnv = (
  folder: string,
): Record<'VK_ICD_FILENAMES' | 'LD_LIBRARY_PATH' | 'NODE_OPTIONS', string> => ({
  VK_ICD_FILENAMES: path.join(folder, 'vk_swiftshader_icd.json'),
  LD_LIBRARY_PATH: [folder, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
  NODE_OPTIONS: [process.env.NODE_OPTIONS, `--require "${path.join(root, 'test/helpers/gpu-ticks.cjs')}"`].filter(Boolean).join(' '), // prettier-ignore
})
