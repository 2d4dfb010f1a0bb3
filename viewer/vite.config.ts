import { defineConfig } from 'vite'

/** The page of `isar view`: static files loaded only from their own server, with nothing inlined (content security policy). */
export default defineConfig({
  base: './',
  worker: { format: 'es' },
  build: {
    outDir: '../dist/viewer',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // The bundle does not contain its packages' licence notices.
    license: { fileName: 'licences.md' },
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
  },
})
