import { type ChildProcess, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isar, temporaryFolder } from '../cli/cli.js'
import { fileHashes, writeConfig } from '../cli/dataset-config.js'
import { haveRedis, TestRedis } from './redis-server.js'

describe.skipIf(!haveRedis())('a dataset on the workers of a cluster', () => {
  const folder = temporaryFolder()
  let redis: TestRedis
  let worker: ChildProcess

  beforeAll(async () => {
    redis = await TestRedis.start()
    const args = ['worker', '--redis', redis.url, '--device', 'cpu', '--workers', '1', '--name', 'w']
    worker = spawn(process.execPath, [resolve('dist/src/cli/main.js'), ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise<void>((ready, fail) => {
      worker.once('exit', (code) => fail(new Error(`worker ended with ${code}`)))
      worker.stderr!.on('data', (chunk: Buffer) => chunk.toString().includes(' serves ') && ready())
    })
  })

  afterAll(async () => {
    worker.removeAllListeners('exit')
    worker.kill()
    await redis.stop()
  })

  it('has the bytes of a local one, with layers, shared aspects, materials and perturbed copies', async () => {
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
})
