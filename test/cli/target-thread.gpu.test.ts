import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { loadTarget } from '../../run/loaded-target.js'
import { isar, temporaryFolder } from './cli.js'

// Threads load compiled modules: `npm test` builds them first.
const built = async <T>(module: string): Promise<T> =>
  (await import(new URL(`../../dist/${module}`, import.meta.url).href)) as T
const { endTargetThread, prepareBeside, startTargetThread, takeEarlyEdges, takeEarlyGpu } =
  await built<typeof import('../../run/target-thread.js')>('run/target-thread.js')
const { InputError } = await built<typeof import('../../scene/index.js')>('scene/index.js')
const { VK_ICD_FILENAMES, LD_LIBRARY_PATH } = process.env

// Where no driver is named there is no such thread.
describe.skipIf(!VK_ICD_FILENAMES)('a target prepared by a thread while the GPU is opened', () => {
  afterEach(endTargetThread)
  const request = {
    path: resolve('samples/drone.stl'),
    units: 'cm',
    smoothAngleDeg: 25,
    cache: null,
  } as const

  it('is the one that the calling thread would prepare', async () => {
    startTargetThread()
    const { loaded, gpu } = prepareBeside(request, true)!
    const { bvh, ...given } = await loaded
    const { bvh: own, ...inline } = await loadTarget(request.path, 'cm', 25, null)
    expect(given).toEqual(inline)
    expect(bvh).toEqual({ ...own, seconds: expect.any(Number) as number })
    // SwiftShader is no hardware.
    expect(await gpu).toBeNull()
    // The engines of one run take it.
    expect(takeEarlyGpu()).toBe(gpu)
    expect(takeEarlyGpu()).toBeNull()
    // A thread prepares one target.
    expect(prepareBeside(request, true)).toBeNull()
    await endTargetThread()
    expect(prepareBeside(request, true)).toBeNull()
  })

  it('comes with its edges, for a run with the same target and wedge angle', async () => {
    const taken = async (maxWedgeAngleDeg: number, other = false) => {
      startTargetThread()
      const { target, scene } = await prepareBeside({ ...request, maxWedgeAngleDeg: 160 }, true)!.loaded
      const edges = await takeEarlyEdges(other ? { ...target } : target, maxWedgeAngleDeg)
      expect(await takeEarlyEdges(target, maxWedgeAngleDeg)).toBeNull()
      await endTargetThread()
      return { edges, inline: buildEdgeScene(target, maxWedgeAngleDeg, scene.origin) }
    }
    const { edges, inline } = await taken(160)
    expect(edges).toEqual(inline)
    expect(edges!.count).toBeGreaterThan(100)
    expect((await taken(150)).edges).toBeNull()
    expect((await taken(160, true)).edges).toBeNull()
  })

  it('is refused with the line that the calling thread would give', async () => {
    const folder = temporaryFolder()
    const broken = join(folder, 'broken.stl')
    writeFileSync(broken, 'solid x\nfacet\n')
    for (const path of [join(folder, 'none.stl'), broken]) {
      const inline = await loadTarget(path, 'm', 20, null).catch((error: Error) => error.message)
      startTargetThread()
      const { loaded } = prepareBeside({ ...request, path, units: 'm' }, true)!
      const error = await loaded.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(InputError)
      expect((error as Error).message).toBe(inline)
      await endTargetThread()
    }
  })

  it('is not waited for where a command refuses before it has begun, or after', async () => {
    const cube = resolve('samples/cube.stl')
    const out = join(temporaryFolder(), 'x.csv')
    for (const [args, code] of [
      [['rcs', cube, '--freq'], 2],
      [['rcs', cube, '--no-such-option'], 2],
      [['rcs', '--help'], 0],
      [['rcs', cube, '--freq', '3e8', '--units', 'mile'], 2],
      [['rcs', cube, '--freq', '3e8', '--theta', '60', '--phi', '0', '--out', out], 0],
      [['rcs', cube, '--freq', '3e8', '--theta', '60', '--phi', '0', '--out', out], 2],
      [['compare', 'none.stl', '--band', '1e9:2e9'], 2],
    ] as const) {
      const run = await isar([...args], { env: { VK_ICD_FILENAMES, LD_LIBRARY_PATH } })
      expect([args, run.code]).toEqual([args, code])
    }
    expect(existsSync(out)).toBe(true)
  })
})
