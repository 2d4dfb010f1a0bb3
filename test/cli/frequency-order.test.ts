import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { historyData } from '../../views/server/result-file.js'
import { isar, temporaryFolder } from './cli.js'

const cube = resolve('samples/cube.stl')

/** Runs `rcs` of a cube at two aspects, to `out`. */
async function rcs(freq: string, out: string, ...options: string[]): Promise<void> {
  const aspects = ['--theta', '70', '--phi', '10,20']
  const run = await isar`rcs ${cube} --freq ${freq} ${aspects} --device cpu --out ${out} ${options}`
  expect(run.stderr).not.toMatch(/isar:/)
  expect(run.code).toBe(0)
}

/** Rows of a table of these frequencies, in the file's order. */
async function rows(freq: string, out: string): Promise<string[]> {
  await rcs(freq, out, '--error-estimate')
  return readFileSync(out, 'utf8').trim().split('\n').slice(1)
}

it('a row of rcs depends on its frequency alone, whatever the order of --freq and whatever is repeated in it', async () => {
  const folder = temporaryFolder()
  // Evenly spaced when sorted (one band), and not (a band for each).
  for (const list of [
    ['6e8', '1.2e9', '1.8e9'],
    ['6e8', '1e9', '1.8e9'],
  ]) {
    const sorted = await rows(list.join(), join(folder, `${list[1]}.csv`))
    const of = (f: string): string[] => sorted.filter((row) => row.startsWith(`${Number(f)},`))
    const [a, b, c] = list
    for (const order of [
      [c, b, a],
      [b, c, a],
      [c, a, b, c],
    ]) {
      const name = join(folder, `${order.join('-')}.csv`)
      expect(await rows(order.join(), name)).toEqual(order.flatMap(of))
    }
  }
})

it('curves over frequency are drawn ascending, whatever the order of the table', async () => {
  const folder = temporaryFolder()
  const read = async (freq: string) => {
    const out = join(folder, `${freq}.npz`)
    await rcs(freq, out)
    return readNpz(readFileSync(out))
  }
  const [up, mixed] = [await read('4e8,6e8,8e8'), await read('8e8,4e8,6e8')]
  expect([...mixed.freq_hz.data]).toEqual([8e8, 4e8, 6e8])
  expect(historyData(mixed)).toEqual(historyData(up))
})
