import { defineConfig } from 'vitest/config'
import type { TestProjectInlineConfiguration } from 'vitest/config'

/** Projects besides `unit`. What each needs: CONTRIBUTING.md, "Tests". */
const PROJECTS = ['threads', 'slow', 'gpu', 'cli', 'browser', 'reliability']

/** Those whose files share their modules: a worker loads them, and V8 compiles them, once. */
const SHARED = new Set(['unit', 'slow', 'gpu', 'cli', 'browser'])

/**
 * The project of a test is the word before its suffix (`parity.gpu.test.ts`), or else its folder (`test/gpu`), or else `unit`.
 * test/structure.test.ts checks that each file is in one of them.
 */
function project(name: string): TestProjectInlineConfiguration {
  const others = ['unit', ...PROJECTS].filter((other) => other !== name)
  return {
    extends: true,
    test: {
      name,
      include:
        name === 'unit' ? ['test/**/*.test.ts'] : [`test/${name}/**/*.test.ts`, `test/**/*.${name}.test.ts`],
      exclude: [
        `test/**/*.{${others}}.test.ts`,
        ...(name === 'unit' ? [`test/{${PROJECTS}}/**/!(*.unit).test.ts`] : []),
      ],
      isolate: !SHARED.has(name),
      globalSetup: name === 'gpu' || name === 'browser' ? `test/helpers/setup-${name}.ts` : undefined,
    },
  }
}

export default defineConfig({
  test: {
    projects: ['unit', ...PROJECTS].map(project),
    // Far beyond the slowest on a busy machine: they end what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // What is built is loaded as it is.
    server: { deps: { external: [/^(?!.*node_modules).*\/dist\//] } },
    expect: { poll: { timeout: 300_000 } },
    pool: 'forks',
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: [
        'math',
        'scene',
        'rays',
        'formats',
        'isar',
        'gpu',
        'cpu-sbr',
        'cpu-diffraction',
        'full-wave',
        'run',
        'src',
      ],
      exclude: ['rays/wasm', 'cpu-diffraction/wasm', 'full-wave/wasm'],
    },
  },
})
