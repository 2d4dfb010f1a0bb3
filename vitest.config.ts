import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['scene', 'formats', 'isar', 'gpu', 'cpu-sbr', 'cpu-diffraction', 'pipeline', 'src'],
    },
  },
})
