import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { InputError } from '../../../scene/index.js'
import { serveView, type ViewServer } from '../../../views/server/http.js'
import { scratchFolder } from '../../helpers/scratch.js'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Asks for a path exactly as written: `fetch` would tidy it. */
const ask = (url: string, path: string, options: { method?: string; host?: string } = {}): Promise<Answer> =>
  new Promise((done, fail) => {
    const { hostname, port, host } = new URL(url)
    const asked = request(
      { hostname, port, path, method: options.method ?? 'GET', headers: { host: options.host ?? host } },
      (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () => done({ status: response.statusCode!, headers: response.headers, body }))
      },
    )
    asked.on('error', fail)
    asked.end()
  })

describe('the server of isar view', () => {
  const folder = scratchFolder()
  let server: ViewServer

  beforeAll(async () => {
    mkdirSync(join(folder, 'page/assets'), { recursive: true })
    mkdirSync(join(folder, 'page/viewer'))
    writeFileSync(join(folder, 'page/viewer/index.html'), 'page')
    writeFileSync(join(folder, 'page/assets/a.js'), 'script')
    writeFileSync(join(folder, 'secret'), 'secret')
    const source = (path: string): string | undefined => (path === '/result/manifest.json' ? '{}' : undefined)
    server = await serveView(join(folder, 'page'), source, 0)
  })
  afterAll(() => server.close())

  it('answers on the loopback interface with the page and the result', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    expect((await ask(server.url, '/')).body).toBe('page')
    expect((await ask(server.url, '/assets/a.js')).headers['content-type']).toContain('javascript')
    expect((await ask(server.url, '/result/manifest.json')).body).toBe('{}')
    expect(await ask(server.url, '/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
  })

  it('lets the page load nothing from elsewhere', async () => {
    const { headers } = await ask(server.url, '/')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'/)
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it.each(['/../secret', '/assets/../../secret', '/%2e%2e/secret', '/..%2fsecret', '//etc/passwd', '/assets/', '/result/../secret', '/result/x\\..\\secret'])(
    'has nothing at %s',
    async (path) => {
      expect(await ask(server.url, path)).toMatchObject({ status: 404, body: 'not found\n' })
    },
  ) // prettier-ignore

  it('refuses other hosts and methods', async () => {
    expect((await ask(server.url, '/', { host: 'evil.example' })).status).toBe(403)
    expect((await ask(server.url, '/', { method: 'POST' })).status).toBe(405)
  })

  it('says when a port is taken', async () => {
    const port = Number(new URL(server.url).port)
    await expect(serveView(join(folder, 'page'), () => undefined, port)).rejects.toThrow(InputError)
  })
})
