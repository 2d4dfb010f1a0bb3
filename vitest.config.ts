import { defineConfig } from 'vitest/config'
import { swiftshaderEnv, unpackSwiftshader } from './test/helpers/swiftshader.js'

// GPU tests run on SwiftShader unless the caller names a driver. The dynamic loader reads the variables when a process
// starts, so they have to stand here before the workers are forked.
if (!process.env.VK_ICD_FILENAMES) {
  const folder = unpackSwiftshader()
  if (folder) Object.assign(process.env, swiftshaderEnv(folder))
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: [
        'scene',
        'formats',
        'isar',
        'gpu',
        'cpu-sbr',
        'cpu-diffraction',
        'pipeline',
        'cluster',
        'src',
      ],
      exclude: ['cpu-diffraction/wasm'],
    },
  },
})
