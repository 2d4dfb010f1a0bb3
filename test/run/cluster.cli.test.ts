import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from '../cli/cli.js'
import { fileHashes, writeConfig } from '../cli/dataset-config.js'
import { haveRedis, TestRedis } from './redis-server.js'
import { words } from '../helpers/words.js'

const MAIN = resolve('dist/src/cli/main.js')
const SHIP = resolve('samples/ship-0.9m.stl')

/** Arguments of a sweep over phi. */
const sweep = (phi: string, freq = '1.1e9,1.3e9'): string[] =>
  words`rcs ${SHIP} --freq ${freq} --theta 80 --second-order none --phi ${phi}`

const start = (args: string[]) =>
  spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })

/** A worker process with one thread; resolves when it serves. */
function startWorker(url: string, name: string): Promise<ChildProcess> {
  const child = start(['worker', '--redis', url, '--device', 'cpu', '--workers', '1', '--name', name])
  return new Promise((ready, fail) => {
    let text = ''
    child.once('exit', (code) => fail(new Error(`worker ended with ${code}: ${text}`)))
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes(' serves ')) ready(child)
    })
  })
}

/** Process number of a worker, as it tells it. */
async function processOf(url: string, id: string): Promise<number> {
  const { stdout } = await isar`cluster status --redis ${url} --json`
  const { workers } = JSON.parse(stdout) as { workers: { id: string; pid: number }[] }
  return workers.find((w) => w.id === id)!.pid
}

describe.skipIf(!haveRedis())('a ship sweep on three workers of one host', () => {
  const folder = temporaryFolder()
  const bytes = (name: string): string => readFileSync(join(folder, name), 'utf8')
  let redis: TestRedis
  let workers: ChildProcess[] = []

  /** Runs on the cluster, and kills a process, where one is given, after a quarter of 24 aspects. */
  const clusterRun = (phi: string, name: string, extra: string[], pid?: number) =>
    isar([...sweep(phi), '--cluster', redis.url, '--out', join(folder, name), ...extra], {
      at: pid ? { message: /^([6-9]|[12]\d) of 24 aspects/, signal: 'SIGKILL', pid } : undefined,
    })

  beforeAll(async () => {
    redis = await TestRedis.start('se-cret')
    const local = (phi: string, name: string) =>
      isar`${sweep(phi)} --device cpu --workers 2 --out ${join(folder, name)}`
    const [started, ...runs] = await Promise.all([
      Promise.all([1, 2, 3].map((i) => startWorker(redis.url, `w${i}`))),
      local('0:20:4', 'short.csv'),
      local('0:46:2', 'long.csv'),
    ])
    workers = started
    expect(runs.map(({ code }) => code)).toEqual([0, 0])
  })

  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL')
    await redis.stop()
  })

  it('has the bytes of a local run, however it is distributed', async () => {
    for (const how of ['auto', 'cyclic', 'aperture']) {
      const { code, stderr } = await clusterRun('0:20:4', `${how}.csv`, ['--distribute', how])
      expect(stderr).toContain('cluster of 3')
      expect(code).toBe(0)
      expect(bytes(`${how}.csv`)).toBe(bytes('short.csv'))
      // The password is nobody's business.
      expect(stderr + bytes(`${how}.meta.json`)).not.toContain('se-cret')
    }
    const { per_angle: angles } = JSON.parse(bytes('aperture.timing.json')) as {
      per_angle: { sub_grid_seconds: number[] }[]
    }
    expect(angles.map((a) => a.sub_grid_seconds.length)).toEqual(Array.from({ length: 6 }, () => 3))
  })

  it.each([
    ['waves through sheets', 'trihedral-square --freq 6e8,7e8 --material magnetic-absorber:2mm'],
    ['mechanisms apart', 'trihedral-square --freq 6e8,7e8 --mechanisms'],
    [
      'meshes of two half octaves',
      'missile --freq 1e9,2e9 --curved --second-order none --rays-per-wavelength 5',
    ],
  ])('has them with %s too', async (name, line) => {
    const [mesh, ...more] = line.split(' ')
    const made = words`rcs ${resolve(`samples/${mesh}.stl`)} --theta 60 --phi 30:60:10 ${more}`
    const local = await isar`${made} --device cpu --out ${join(folder, `${name}.csv`)}`
    expect(local.code).toBe(0)
    for (const how of ['auto', 'aperture']) {
      const args = words`${made} --cluster ${redis.url} --distribute ${how} --out ${join(folder, `${name}-${how}.csv`)}`
      expect((await isar(args)).code).toBe(0)
      expect(bytes(`${name}-${how}.csv`)).toBe(bytes(`${name}.csv`))
    }
  })

  it('makes a dataset with the bytes of a local one, with layers, shared aspects, materials and perturbed copies', async () => {
    const cube = { label: 'cube', mesh: resolve('samples/cube.stl') }
    const config = writeConfig(folder, {
      targets: [
        { ...cube, material: ['concrete'] },
        { ...cube, name: 'window', material: ['glass:6mm'] },
      ],
      aspects: { azimuth: [0, 40], elevation: [10] },
      copies: { count: 2, permittivity: 0.05 },
      labels: ['layers', 'mask'],
      trace: 'shared',
    })
    const [local, shared] = ['local', 'cluster'].map((name) => join(folder, name))
    expect((await isar`dataset ${config} --image-workers 0 --out ${local} --quiet`).code).toBe(0)
    const run = await isar`dataset ${config} --image-workers 0 --out ${shared} --cluster ${redis.url}`
    expect(run.stderr).toContain('8 images')
    expect(run.code).toBe(0)
    expect(fileHashes(shared)).toEqual(fileHashes(local))
  })

  it('is seen, and drawn', async () => {
    const status = await isar`cluster status --redis ${redis.url} --json`
    const seen = JSON.parse(status.stdout) as { workers: { id: string; done: number }[]; runs: unknown[] }
    expect(seen.workers.map((w) => w.id)).toEqual(['w1', 'w2', 'w3'])
    expect(seen.workers.every((w) => w.done > 0)).toBe(true)
    expect(seen.runs).toEqual([])
    const out = join(folder, 'plots')
    const plot = await isar`cluster plot ${join(folder, 'aperture.timing.json')} --out ${out}`
    expect(plot.code).toBe(0)
    expect(readFileSync(join(out, 'cluster.md'), 'utf8')).toMatch(
      /ship-0\.9m \| 3 \| aperture \| 6 \| .*\d+ % \|\n$/,
    )
    expect(readFileSync(join(out, 'times-ship-0.9m-3-aperture.svg'), 'utf8')).toContain('longest')
    const other = await isar`cluster plot ${join(folder, 'short.timing.json')} --out ${out}`
    expect(other.code).toBe(2)
    expect(other.stderr).toContain('not the timing.json of a run with --cluster')
  })

  it('says what a password is missing from, and writes none', async () => {
    const { hostname, port } = new URL(redis.url)
    for (const [secret, what] of [
      ['', 'a password'],
      [':wr-ong@', 'another password'],
    ]) {
      const url = `redis://${secret}${hostname}:${port}`
      const { code, stderr } = await isar`cluster status --redis ${url}`
      expect(code).toBe(2)
      expect(stderr).toContain(`it asks for ${what}: write redis://:PASSWORD@${hostname}:${port}`)
      expect(stderr).not.toMatch(/wr-ong|se-cret/)
    }
  })

  it('is given workers that are started again when they end', async () => {
    const keeper = start(['workers', '--redis', redis.url, '--cpus', '1', '--workers', '1'])
    let text = ''
    const served: string[] = []
    await new Promise<void>((resolve) => {
      keeper.stderr.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        const names = [...text.matchAll(/worker +(\S+-cpu0-\S+) serves/g)].map((m) => m[1])
        if (names.length === served.length) return
        served.push(names[names.length - 1])
        if (names.length === 2) resolve()
        else void processOf(redis.url, names[0]).then((pid) => process.kill(pid, 'SIGKILL'))
      })
    })
    expect(served[1]).toBe(`${served[0]}-1`)
    keeper.kill('SIGTERM')
    expect(await new Promise((resolve) => keeper.once('exit', resolve))).toBe(0)
    const status = await isar`cluster status --redis ${redis.url}`
    expect(status.stdout).not.toContain(served[1])
  })

  it('goes on without a worker that is killed in the middle', async () => {
    const { code, stderr } = await clusterRun('0:46:2', 'killed.csv', ['--distribute', 'aperture'], workers[0].pid) // prettier-ignore
    expect(code).toBe(0)
    expect(stderr).toContain('worker w1 is lost')
    expect(bytes('killed.csv')).toBe(bytes('long.csv'))
  })

  it('resumes after its coordinator was killed', async () => {
    const args = [...sweep('0:46:2'), '--cluster', redis.url, '--out', join(folder, 'resumed.csv')]
    const killed = await isar(args, { at: { message: /^([6-9]|1\d) of 24 aspects/, signal: 'SIGKILL' } })
    expect(killed.code).toBe(null)
    const { code, stderr } = await clusterRun('0:46:2', 'resumed.csv', ['--resume'])
    expect(stderr).toMatch(/resuming +\d+ of 24 aspects already computed/)
    expect(code).toBe(0)
    expect(bytes('resumed.csv')).toBe(bytes('long.csv'))
  })

  it('outlives a restart of Redis that loses all it had', async () => {
    const running = clusterRun('0:46:2', 'restart.csv', [], redis.pid)
    await Promise.race([redis.ended(), running])
    await redis.start()
    const { code, stderr } = await running
    expect(code).toBe(0)
    expect(stderr).toMatch(/is unreachable.*\n[^]*is available again/)
    expect(stderr).not.toContain('se-cret')
    expect(bytes('restart.csv')).toBe(bytes('long.csv'))
  })
})

describe.skipIf(!haveRedis())('a cluster run that cannot be', () => {
  it('says so in one line', async () => {
    const { code, stderr } = await isar`${sweep('0', '1e9')} --cluster redis://127.0.0.1:1`
    expect(code).toBe(2)
    expect(stderr).toMatch(/^isar: cannot use the Redis server redis:\/\/127\.0\.0\.1:1: .*\n$/)
    const wrong = await isar`${sweep('0', '1e9')} --cluster http://x`
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('redis://HOST')
  })
})
