/** The built library: threads load compiled modules. */
export const library = (await import(
  new URL('../../dist/src/index.js', import.meta.url).href
)) as typeof import('../../src/index.js')
