import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../views/server/manifest.js'
import { isar, temporaryFolder } from '../../cli/cli.js'
import { expectRefusal } from '../../cli/refusal.js'

const HEAD = 'freq_hz,theta_deg,phi_deg,sigma_vv_dbsm,sigma_hh_dbsm,sigma_vh_dbsm,sigma_hv_dbsm,f_vv_re,f_vv_im,f_hh_re,f_hh_im,f_vh_re,f_vh_im,f_hv_re,f_hv_im' // prettier-ignore
const row = (phi: number, f = '0.5,0.25'): string => `1000000000,90,${phi},0,,,,${f},,,,,,`

describe('isar view', () => {
  const folder = temporaryFolder()
  const table = (name: string, ...rows: string[]): string => {
    const path = join(folder, name)
    writeFileSync(path, [HEAD, ...rows, ''].join('\n'))
    return path
  }

  it('serves a table until Ctrl-C, and then ends well', async () => {
    let seen: Promise<[Manifest, Float64Array]> | undefined
    const run = await isar(['view', table('cut.csv', row(0), row(10), row(20)), '--no-open'], {
      onStderr: (text, kill) => {
        const url = /open\s+(http\S+)/.exec(text)?.[1]
        if (!url || seen) return
        seen = (async () => {
          const manifest = (await (await fetch(`${url}result/manifest.json`)).json()) as Manifest
          const { path } = manifest.results[0].history!.layers[0].data
          const data = new Float64Array(await (await fetch(`${url}result/${path}`)).arrayBuffer())
          return [manifest, data]
        })()
        void seen.finally(() => kill('SIGINT'))
      },
    })
    expect(run.code).toBe(0)
    const [{ results }, data] = await seen!
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({ name: 'cut', place: 'cut.csv', aspects: [] })
    expect(results[0].targetNote).toContain('--mesh')
    expect(results[0].history!.layers.map((l) => l.name)).toEqual(['vv'])
    expect(Array.from(data)).toEqual([0.5, 0.25, 0.5, 0.25, 0.5, 0.25])
  })

  it('says in one line what is wrong with a table', async () => {
    const refused = (path: string, says: RegExp, ...more: string[]): Promise<void> =>
      expectRefusal(['view', path, '--no-open', ...more], says, folder)
    await refused(table('cells.csv', row(0), '1,2'), /cells\.csv, line 3: 2 cells of 15/)
    await refused(table('word.csv', row(0, 'x,0')), /line 2: "x" under f_vv_re is no number/)
    await refused(table('none.csv'), /no rows/)
    const other = '2000000000,90,0,0,,,,1,0,,,,,,'
    await refused(table('ragged.csv', row(0), row(10), other), /no whole number of frequencies/)
    writeFileSync(join(folder, 'cut.meta.json'), '{"mesh":{"sha256":"00"}}')
    await refused(join(folder, 'cut.csv'), /SHA-256 is another/, '--mesh', 'samples/cube.stl')
    writeFileSync(join(folder, 'cut.meta.json'), '{')
    await refused(join(folder, 'cut.csv'), /is not JSON/)
    await refused(folder, /give a folder that isar render, rcs, doppler or propagate wrote/)
  })
})
