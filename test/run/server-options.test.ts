import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { compute } from '../../run/cluster/worker.js'
import { serverName, serverOptions } from '../../run/cluster/redis.js'
import { temporaryFolder } from '../cli/cli.js'

afterEach(() => vi.unstubAllEnvs())

it('a password with any characters is taken apart here, and quoted nowhere', () => {
  expect(serverOptions('redis://:p@ss:w%40rd@host:7000/2')).toEqual({
    host: 'host',
    port: 7000,
    password: 'p@ss:w@rd',
    db: 2,
  })
  expect(serverName('redis://:p@ss@host')).toBe('redis://host:6379')
  expect(serverOptions('rediss://me:100%@[::1]')).toEqual({
    host: '::1',
    port: 6379,
    username: 'me',
    password: '100%',
    tls: {},
  })
  // What follows a slash is no part of the password: it would be taken for a host.
  for (const url of ['redis://:qz/wk@host', 'redis://:qz@wk/vj@host', 'redis://:qz@wk?vj@host'])
    expect(() => serverOptions(url)).toThrow(/^(?!.*(qz|wk|vj)).*ISAR_REDIS_PASSWORD/)
})

it('a password comes from the environment or a file where the address has none', () => {
  const file = join(temporaryFolder(), 'secret')
  writeFileSync(file, 'from a file\n')
  vi.stubEnv('ISAR_REDIS_PASSWORD_FILE', file)
  expect(serverOptions('redis://host').password).toBe('from a file')
  vi.stubEnv('ISAR_REDIS_PASSWORD', 'from the environment')
  expect(serverOptions('redis://host').password).toBe('from the environment')
  expect(serverOptions('redis://:own@host').password).toBe('own')
  vi.unstubAllEnvs()
  vi.stubEnv('ISAR_REDIS_PASSWORD_FILE', `${file}-gone`)
  expect(() => serverOptions('redis://host')).toThrow(/^ISAR_REDIS_PASSWORD_FILE: cannot read/)
})

it('a job of more edge segments than an honest one has is refused before any is computed', async () => {
  const unit = {
    what: 'edges',
    unit: 'u',
    tx: [90, 0],
    rx: [90, 0],
    band: { f0: 1e9, df: 0, n: 1 },
    options: { diffraction: 'tw-ildc' },
    share: [0, 1],
  }
  const edges = { segments: () => 2e9, prepare: vi.fn() }
  await expect(compute(unit as never, { edges } as never, 'w')).rejects.toThrow(
    'a job of 2000000000 edge segments is refused',
  )
  expect(edges.prepare).not.toHaveBeenCalled()
})

it('the compose file offers the server to its own host alone', () => {
  const text = readFileSync('docs/docker-compose.yml', 'utf8')
  expect(text).toMatch(/ports: \['127\.0\.0\.1:6379:6379'\]/)
  expect(text).not.toMatch(/redis:\/\/:/)
})
