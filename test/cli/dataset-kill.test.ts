import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { Random } from '../../math/random.js'
import { isar, temporaryFolder } from './cli.js'
import { fileHashes, writeConfig } from './dataset-config.js'

/** Moments at which a run is killed; ISAR_KILLS=50 for the whole claim (some ten minutes). */
const KILLS = Number(process.env.ISAR_KILLS ?? 3)

/** Runs the command line and kills it with SIGKILL after so many seconds; whether it was still alive. */
function killed(args: string[], seconds: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [resolve('dist/src/cli/main.js'), ...args], { stdio: 'ignore' })
    const timer = setTimeout(() => child.kill('SIGKILL'), 1000 * seconds)
    child.on('error', fail)
    child.on('close', (_, signal) => {
      clearTimeout(timer)
      done(signal === 'SIGKILL')
    })
  })
}

it(
  `a dataset killed at ${KILLS} random moments and resumed has the bytes of an undisturbed one`,
  async () => {
    const folder = temporaryFolder()
    const config = writeConfig(folder, {
      formats: ['npz', 'hdf5', 'webdataset', 'sample'],
      labels: ['layers', 'mask'],
      nuisance: { snrDb: 20 },
      trace: 'shared',
      aspects: { azimuth: { from: 0, to: 300, step: 60 }, elevation: [10] },
    })
    const args = ['dataset', config, '--image-workers', '0', '--quiet', '--out']
    const start = performance.now()
    expect((await isar`${args} ${join(folder, 'whole')}`).code).toBe(0)
    const whole = (performance.now() - start) / 1000
    const expected = fileHashes(join(folder, 'whole'))
    const random = new Random(KILLS, 1)
    let kills = 0
    for (let round = 0; kills < KILLS; round++) {
      const out = join(folder, `round-${round}`)
      while (!existsSync(join(out, 'manifest.json')) || existsSync(join(out, '.partial'))) {
        // Anywhere in the run, its very end and the last step included.
        const hit = await killed(
          [...args, out, '--resume'],
          kills < KILLS ? 1.1 * whole * random.uniform() : 1e6,
        )
        if (hit) kills++
      }
      // Killed between the manifest and the end, it says that all is there.
      expect((await isar`${args} ${out} --resume`).code).toBe(0)
      expect(fileHashes(out)).toEqual(expected)
    }
  },
  1000 * (600 + 40 * KILLS),
)
