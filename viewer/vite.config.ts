import { defineConfig } from 'vite'

/** The page of `isar view`: static files that load from their own server alone, with nothing inlined (its content policy). */
export default defineConfig({
  base: './',
  worker: { format: 'es' },
  build: {
    outDir: '../dist/viewer',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    // The bundle holds none of its packages' notices.
    license: { fileName: 'licences.md' },
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
  },
})
