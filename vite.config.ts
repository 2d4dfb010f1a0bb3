import { appendFileSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const here = (path: string): string => resolve(import.meta.dirname, path)

/** The engines run in the page as they are, on threads of the browser: what they and the readers of files take of Node has a namesake in views/viewer/solver. */
const alias = [
  { find: /^(\.\.?\/)+parallel\/worker-pool\.js$/, replacement: here('views/viewer/solver/worker-pool.ts') },
  { find: /^\.\/regular-file\.js$/, replacement: here('views/viewer/solver/node.ts') },
  {
    find: /^node:(events|timers\/promises|path|crypto|fs|fs\/promises|os|module)$/,
    replacement: here('views/viewer/solver/node.ts'),
  },
]

/** The page of `isar site` has the viewer's panels of target and figures. */
const panels: Plugin = {
  name: 'panels of the viewer',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) => {
      const [main] = /<main>[^]*<\/main>/.exec(readFileSync(here('views/viewer/index.html'), 'utf8'))!
      return html.replace('<!-- panels -->', () => main)
    },
  },
}

/** Notices of packages that the pages' workers alone contain: Vite's list is of the pages. */
const OF_WORKERS = ['@gltf-transform/core/LICENSE.md', 'property-graph/LICENSE', 'zod/LICENSE']

const licences: Plugin = {
  name: 'licences of the workers',
  writeBundle: () => {
    for (const path of OF_WORKERS) {
      const notice = readFileSync(here(`node_modules/${path}`), 'utf8').trim()
      appendFileSync(here('dist/pages/licences.md'), `\n## ${dirname(path)}\n\n${notice}\n`)
    }
  },
}

/** The pages of `isar view` and `isar site`, which share most of their files: static, with nothing inlined (content security policy). */
export default defineConfig({
  root: here('views'),
  base: './',
  publicDir: false,
  resolve: { alias },
  worker: { format: 'es' },
  plugins: [panels, licences],
  build: {
    outDir: here('dist/pages'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // The bundle does not contain its packages' licence notices.
    license: { fileName: 'licences.md' },
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [here('views/viewer/index.html'), here('views/site/index.html')] },
  },
})
