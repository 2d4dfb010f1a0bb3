import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openResult } from '../../views/server/open-result.js'
import { isar, readCsv, temporaryFolder } from './cli.js'
import { words } from '../helpers/words.js'
import { expectRefusal } from './refusal.js'

const folder = temporaryFolder()
const file = (name: string): string => join(folder, name)
const RCS = words`rcs ${resolve('samples/cube.stl')} --freq 1e9 --device cpu --workers 1 --pol vv,hh --quiet`
const rcs = (name: string, ...args: string[]) => isar`${RCS} --out ${file(name)} ${args}`

describe('isar rcs', () => {
  it('turns the receiver with the transmitter, with the numbers of one run for each pair', async () => {
    expect(await rcs('fixed.csv', '--phi', '0:40:10', '--bistatic', '30')).toMatchObject({ code: 0, stderr: '' }) // prettier-ignore
    expect(await rcs('one.csv', '--phi', '20', '--rx-theta', '90', '--rx-phi', '50')).toMatchObject({
      code: 0,
    })
    const rows = readCsv(file('fixed.csv'))
    expect(rows.map((row) => [row.phi_deg, row.rx_theta_deg, row.rx_phi_deg])).toEqual([0, 10, 20, 30, 40].map((phi) => [`${phi}`, '90', `${phi + 30}`])) // prettier-ignore
    expect(rows[2]).toEqual(readCsv(file('one.csv'))[0])
    expect(await rcs('up.csv', '--phi', '0', '--bistatic', '30,-20')).toMatchObject({ code: 0 })
    const [up] = readCsv(file('up.csv'))
    expect([up.theta_deg, up.phi_deg, up.rx_theta_deg, up.rx_phi_deg]).toEqual(['90', '0', '70', '30'])
  })

  it('takes the transmitter’s theta where --rx-phi is given alone', async () => {
    expect(await rcs('alone.csv', '--theta', '70', '--rx-phi', '0:90:45')).toMatchObject({ code: 0, stderr: '' }) // prettier-ignore
    expect(readCsv(file('alone.csv')).map((row) => [row.rx_theta_deg, row.rx_phi_deg])).toEqual([['70', '0'], ['70', '45'], ['70', '90']]) // prettier-ignore
  })

  it.each([
    [
      ['--theta', '60,70', '--rx-phi', '10'],
      /the transmitter has 2 values of theta, .* give the receiver’s theta/,
    ],
    [['--bistatic', '10', '--rx-phi', '10'], /--bistatic: it turns the receiver with the transmitter/],
    [['--bistatic', '1,2,3'], /--bistatic "1,2,3": write one or two angles/],
  ])('refuses %j', (args, message) =>
    expectRefusal([...RCS, '--out', file('x.csv'), ...args], message, folder),
  )
})

describe('figures of bistatic tables', () => {
  it('show one transmitter of several, the first unless another is picked', async () => {
    expect(await rcs('several.csv', '--phi', '0,30', '--rx-theta', '90', '--rx-phi', '0:90:10')).toMatchObject({ code: 0 }) // prettier-ignore
    const rows = readCsv(file('several.csv'))
    const { history, histories } = await openResult(file('several.csv'))
    expect([history!.transmitterDeg, histories!.map((h) => h.transmitterDeg)]).toEqual([[90, 0], [[90, 0], [90, 30]]]) // prettier-ignore
    expect(Array.from(histories![1].phiDeg)).toEqual(rows.slice(10).map((row) => Number(row.rx_phi_deg)))
    const hh = histories![1].layers.find(({ name }) => name === 'hh')!
    expect(Array.from(hh.data)).toEqual(rows.slice(10).flatMap((row) => [Number(row.f_hh_re), Number(row.f_hh_im)])) // prettier-ignore
    const plot = (...args: string[]) =>
      isar`plot ${file('several.csv')} --kind cut --out ${file('plots')} --force ${args}`
    expect((await plot()).stderr).toContain('θ = 90°, φ = 0°, one of 2 transmitters')
    expect((await plot('--tx-phi', '30')).code).toBe(0)
    const svg = readFileSync(join(file('plots'), 'cut-vv.svg'), 'utf8')
    expect(svg).toContain('transmitter at θ = 90°, φ = 30°')
    expect(svg).toContain('receiver φ [deg]')
    const none = await plot('--tx-phi', '20')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('the nearest is θ = 90°, φ = 30°')])
  })

  it('are over the transmitter’s directions where the bistatic angle is fixed', async () => {
    expect(await rcs('turned.csv', '--phi', '0:90:10', '--bistatic', '30', '--plot')).toMatchObject({
      code: 0,
    })
    const drawn = readFileSync(file('turned.plot.svg'), 'utf8')
    expect(drawn).toContain('transmitter φ [deg]')
    expect(drawn).toContain('bistatic: receiver at φ + 30°')
    expect(await isar`plot ${file('turned.csv')} --kind cut --quiet --out ${file('p')}`).toMatchObject({
      code: 0,
    })
    const svg = readFileSync(join(file('p'), 'cut-vv.svg'), 'utf8')
    expect(svg).toContain('transmitter φ [deg]')
    expect(svg).toContain('receiver at φ + 30°')
    const none = await isar`plot ${file('turned.csv')} --tx-phi 20 --out ${file('q')}`
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no bistatic table with transmitters')]) // prettier-ignore
  })
})
