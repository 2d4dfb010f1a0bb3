import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '../../scene/index.js'

/** Data that the server sends besides the page: bytes by path, computed on request. */
export type Source = (path: string) => Uint8Array | string | undefined

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
}

/** The page loads from this server only; pictures that it draws itself are data: and blob:. */
const POLICY = [
  "default-src 'none'",
  // Edges diffract in WebAssembly.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export interface ViewServer {
  /** Address of the page. */
  url: string
  close(): Promise<void>
}

/**
 * Serves the built page and one source of data on the loopback interface only. Only known paths are
 * answered: the path of a request is never joined to a folder. Requests under another host name (DNS rebinding) are refused.
 * @param port  0: any that is free
 * @throws InputError for a port that is taken
 */
export async function serveView(page: string, source: Source, port: number): Promise<ViewServer> {
  const files = pageFiles(page)
  const server = createServer((request, response) => answer(request, response, files, source))
  await listen(server, port)
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${taken}/`,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** The built pages, from the sources as well as from the build (dist). @throws InputError where they are not built */
export function pageFolder(): string {
  const here = new URL('.', import.meta.url)
  const up = here.pathname.endsWith('/dist/views/server/') ? '../../pages/' : '../../dist/pages/'
  const folder = fileURLToPath(new URL(up, here))
  if (existsSync(join(folder, 'viewer/index.html'))) return folder
  throw new InputError(`the page is not built (${folder}); run npm run build`)
}

function pageFiles(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((f) => f.isFile())
  const paths = files.map((f) => join(f.parentPath, f.name))
  return new Map(paths.map((path) => [`/${relative(folder, path).split(sep).join('/')}`, path]))
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      fail(
        error.code === 'EADDRINUSE'
          ? new InputError(`--port ${port} is taken; give another, or 0 for any that is free`)
          : error,
      ),
    )
    server.listen(port, '127.0.0.1', done)
  })
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  files: Map<string, string>,
  source: Source,
): void {
  const send = (status: number, type: string, body: Uint8Array | string): void => {
    response.writeHead(status, {
      'Content-Type': type,
      'Content-Length': Buffer.byteLength(body),
      'Content-Security-Policy': POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
      'Cache-Control': 'no-store',
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
  const refuse = (status: number, why: string): void => send(status, 'text/plain; charset=utf-8', `${why}\n`)
  const { port } = request.socket.address() as AddressInfo
  if (request.headers.host !== `127.0.0.1:${port}` && request.headers.host !== `localhost:${port}`)
    return refuse(403, 'wrong host')
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'only GET')
  const path = (request.url ?? '/').split('?')[0]
  try {
    const file = files.get(path === '/' ? '/viewer/index.html' : path)
    if (file) return send(200, TYPES[extname(file)] ?? 'application/octet-stream', readFileSync(file))
    const body = source(path)
    if (body === undefined) return refuse(404, 'not found')
    return send(200, typeof body === 'string' ? TYPES['.json'] : 'application/octet-stream', body)
  } catch (error) {
    return refuse(500, (error as Error).message)
  }
}
