import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vite'
import view from '../viewer/vite.config.js'

const here = (path: string): string => resolve(import.meta.dirname, path)

/** The rooms run in the page as they are, on threads of the browser: what they take of Node has a namesake in this folder. */
const alias = [
  { find: /^(\.\.?\/)+parallel\/worker-pool\.js$/, replacement: here('worker-pool.ts') },
  { find: /^node:(events|timers\/promises)$/, replacement: here('node.ts') },
]

/** The page of `isar site`: static files that any server can give, under any path. */
export default defineConfig({
  ...view,
  resolve: { alias },
  build: { ...view.build, outDir: '../dist/site' },
  plugins: [
    {
      // The panels of target and figures are those of `isar view`.
      name: 'panels of the viewer',
      transformIndexHtml: {
        order: 'pre',
        handler: (html) => {
          const [panels] = /<main>[^]*<\/main>/.exec(readFileSync(here('../viewer/index.html'), 'utf8'))!
          return html.replace('<!-- panels -->', () => panels)
        },
      },
    },
  ],
})
