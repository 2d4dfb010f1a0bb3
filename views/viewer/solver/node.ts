// What engines, runs and readers take of Node, in a browser.
import { InputError } from '../../../scene/errors.js'

/** Files that the visitor gave, by their names without folders: the readers get them instead of a disk's (vite.config.ts). */
let given = new Map<string, Uint8Array>()

export function giveFiles(files: Iterable<{ name: string; bytes: Uint8Array }>): void {
  given = new Map(Array.from(files, ({ name, bytes }) => [name, bytes]))
}

/** Namesake of `readRegularFile` (formats). @throws InputError for a file that was not given */
export function readRegularFile(path: string, what: string): Promise<Uint8Array> {
  const bytes = given.get(path)
  if (!bytes)
    return Promise.reject(new InputError(`${path}: not among the files given; choose ${what} together with the file that names it`)) // prettier-ignore
  // As a Buffer of Node, whose text is that of the file.
  return Promise.resolve(Object.assign(bytes.slice(), { toString: () => new TextDecoder().decode(bytes) }))
}

/** A browser does not warn of many listeners. */
export const setMaxListeners = (): void => {}

/** The next turn of the event loop; a timer would wait for milliseconds. */
export const setImmediate = (): Promise<void> =>
  new Promise((done) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      done()
    })
    port1.start()
    port2.postMessage(null)
  })

/** What is loaded by name is not in a page: mathjs, which reads units and expressions (formats/expression.ts). */
export const createRequire = () => (): never => {
  throw new InputError('a page reads no units and expressions; give a plain number')
}

// Paths: files are given without folders (files.ts).
export const sep = '/'
export const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const extname = (path: string): string => /\.[^./]*$/.exec(path)?.[0] ?? ''
export const dirname = (): string => ''
export const isAbsolute = (): boolean => false
export const relative = (_from: string, to: string): string => to
export const resolve = (...parts: string[]): string => basename(parts[parts.length - 1])
export const realpath = (path: string): Promise<string> => Promise.resolve(path)

/** The browser's `navigator`, which Node's types do not know. */
export const machine = (): { hardwareConcurrency?: number; deviceMemory?: number; gpu?: GPU } =>
  (globalThis as unknown as { navigator: ReturnType<typeof machine> }).navigator

// Memory (run/estimate.ts): half of the machine's, of which a browser tells a power of two, and some nothing.
export const platform = (): string => 'browser'
export const totalmem = (): number => 2 ** 29 * (machine().deviceMemory ?? 4)
export const freemem = (): number => totalmem()
export const readFileSync = (path: string): never => {
  throw new Error(`${path}: a page has no disk`)
}

/** Hashes are keys of results on disk: a page has none. */
export const createHash = () => ({
  update() {
    return this
  },
  digest: (): string => '',
})
