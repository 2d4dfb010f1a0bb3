import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { writeBinaryStl } from '../../formats/index.js'
import { pipe } from '../helpers/pipe.js'
import { runScript, userFolder } from '../library/run-script.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { words } from '../helpers/words.js'

const WARNING =
  /warning: \d+ % of the power that hits the target at theta 30, phi 0 .* after bounce 5, where rays end; raise --max-bounces \(to 10/

it('a duct whose rays end inside is warned of, with the share in meta.json; by default they are followed out', async () => {
  const folder = userFolder()
  const mesh = join(folder, 'pipe.stl')
  writeFileSync(mesh, writeBinaryStl(pipe(0.5, 5)))
  const run = async (name: string, ...options: string[]) => {
    const args = ['rcs', mesh, '--freq', '1e9', '--theta', '30,150', '--device', 'cpu', ...options]
    const { code, stderr } = await isar`${args} --out ${join(folder, `${name}.csv`)}`
    const { power_cut_off } = readJson<{
      power_cut_off: Record<string, number>
    }>(join(folder, `${name}.meta.json`))
    expect(code).toBe(0)
    return { stderr, power_cut_off }
  }
  const short = await run('short', '--max-bounces', '5')
  expect(short.stderr).toMatch(WARNING)
  // Of the two aspects one sees the closed end.
  expect(short.power_cut_off).toMatchObject({ theta_deg: 30, phi_deg: 0 })
  expect(short.power_cut_off.most).toBeGreaterThan(0.1)
  expect(short.power_cut_off.mean).toBeLessThan(0.6 * short.power_cut_off.most)
  const long = await run('long')
  expect(long.stderr).not.toMatch(/after bounce/)
  expect(long.power_cut_off.most).toBe(0)
  expect((await run('po', '--max-bounces', '1')).stderr).not.toMatch(/after bounce/)
  const script = await runScript(
    folder,
    'library',
    `import { rcs } from 'isar'
    const { warnings, meta } = await rcs('pipe.stl', { freqHz: 1e9, thetaDeg: [30, 150], maxBounces: 5, device: 'cpu' })
    console.log(JSON.stringify({ warnings, meta }))`,
  )
  const { warnings, meta } = JSON.parse(script.stdout) as {
    warnings: string[]
    meta: Record<string, unknown>
  }
  expect(warnings).toContainEqual(
    expect.stringMatching(/after bounce 5, where rays end; raise maxBounces \(to 10/),
  )
  expect(meta.power_cut_off).toEqual(short.power_cut_off)
})

it('targets without cavities are not warned of', async () => {
  const args = words`rcs ${resolve('samples/trihedral-square.stl')} --freq 1e9 --theta 55 --phi 45 --device cpu`
  const { stderr } = await isar([...args, '--out', join(temporaryFolder(), 'x.csv')])
  expect(stderr).not.toMatch(/after bounce/)
})
