import { describe, expect, test } from 'vitest'
import { readMat5, type MatArray } from '../../formats/index.js'
import {
  checkExchange,
  encodeExchange,
  exchangeFormat,
  type ExchangeFormat,
} from '../../formats/rcs-exchange.js'
import type { RcsTable } from '../../formats/rcs-table.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import { aspectGrid } from '../../run/rcs.js'
import { C0, InputError } from '../../scene/index.js'

const THETA = [60, 90, 120]
const PHI = [-30, 0, 30]
const FREQ = [9.2e9, 10.1e9]

/** Physical optics of a plate of 0.3 x 0.2 m in the plane x = 0, with cross-polarised fields of other phases, so that none is zero. */
function plate(rx?: { theta: number[]; phi: number[] }): RcsTable {
  const aspects = aspectGrid({ theta: THETA, phi: PHI }, rx)
  const total = aspects.map(({ tx, rx }) => {
    const q = [0, 1, 2].map((i) => tx.r[i] + rx.r[i])
    return Float64Array.from(
      FREQ.flatMap((f) => {
        const k = (2 * Math.PI * f) / C0
        const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(x) / x)
        const amplitude = (k / (2 * Math.PI)) * 0.06 * sinc((k * q[1] * 0.3) / 2) * sinc((k * q[2] * 0.2) / 2) * tx.r[0] // prettier-ignore
        return CHANNELS.flatMap((channel, c) => {
          const part = channel[0] === channel[1] ? 1 : 1e-4 * (1 + c)
          return [amplitude * part * Math.sin(c), -amplitude * part * Math.cos(c)]
        })
      }),
    )
  })
  return { freqHz: FREQ, aspects, bistatic: rx !== undefined, channels: [...CHANNELS], fields: { total } }
}

const text = (format: ExchangeFormat, table: RcsTable): string => [...(encodeExchange(format, table) as Generator<string>)].join('') // prettier-ignore
const field = (table: RcsTable, a: number, n: number, channel: Channel): [number, number] => {
  const at = 8 * n + 2 * CHANNELS.indexOf(channel)
  return [table.fields.total[a][at], table.fields.total[a][at + 1]]
}

/** Largest complex difference relative to the largest field of the plate. */
function difference(
  table: RcsTable,
  of: (a: number, n: number, channel: Channel) => [number, number],
): number {
  let [apart, peak] = [0, 0]
  for (const a of table.aspects.keys())
    for (const n of FREQ.keys())
      for (const channel of CHANNELS) {
        const [re, im] = field(table, a, n, channel)
        const [gr, gi] = of(a, n, channel)
        apart = Math.max(apart, Math.hypot(re - gr, im - gi))
        peak = Math.max(peak, Math.hypot(re, im))
      }
  return apart / peak
}

/** Reads a .ffe by its description: keys of each block, its column names in quotes, rows of as many samples as it declares. */
function readFfe(content: string) {
  const lines = content.split('\n')
  expect(lines[0]).toBe('##File Type: Far Field')
  const blocks: { key: Map<string, string>; rows: Record<string, number>[] }[] = []
  let key = new Map<string, string>()
  for (let i = 0; i < lines.length; i++) {
    const found = /^#([^#"][^:]*):\s*(.*)$/.exec(lines[i])
    if (!found) continue
    key.set(found[1], found[2])
    if (found[1] !== 'No. of Header Lines') continue
    const names = [...lines[i + Number(found[2])].matchAll(/"([^"]+)"/g)].map(([, name]) => name)
    const count = Number(key.get('No. of Theta Samples')) * Number(key.get('No. of Phi Samples'))
    const rows = lines.slice(i + 2, i + 2 + count).map((line) => {
      const values = line.trim().split(/\s+/).map(Number)
      return Object.fromEntries(names.map((name, c) => [name, values[c]]))
    })
    blocks.push({ key, rows })
    key = new Map()
  }
  return blocks
}

describe.each([
  ['monostatic', plate()],
  ['bistatic', plate({ theta: [45, 80], phi: [10, 20, 30] })],
])('a %s plate', (_, table) => {
  test('fields come back from a .ffe of Feko to 1e-9, and RCS is 4 pi |F|^2', () => {
    const blocks = readFfe(text('ffe', table))
    const incidences = new Set(table.aspects.map(({ tx }) => `${tx.thetaDeg} ${tx.phiDeg}`)).size
    expect(blocks).toHaveLength(FREQ.length * 2 * incidences)
    const apart = difference(table, (a, n, channel) => {
      const { tx, rx } = table.aspects[a]
      const block = blocks.find(
        ({ key }) =>
          Number(key.get('Frequency')) === FREQ[n] &&
          key.get('Configuration Name') === channel[0].toUpperCase() &&
          key.get('Incident Wave Direction') === `(${tx.thetaDeg}, ${tx.phiDeg})`,
      )!
      const row = block.rows.find((r) => r.Theta === rx.thetaDeg && r.Phi === rx.phiDeg)!
      const [name, re, im] =
        channel[1] === 'v'
          ? ['Theta', row['Re(Etheta)'], row['Im(Etheta)']]
          : ['Phi', row['Re(Ephi)'], row['Im(Ephi)']]
      expect(row[`RCS(${name})`]).toBeCloseTo(4 * Math.PI * (Number(re) ** 2 + Number(im) ** 2), 12)
      return [Number(re), Number(im)]
    })
    expect(apart).toBeLessThan(1e-9)
  })

  test('fields come back from a far-field report of HFSS to 1e-9', () => {
    const [head, ...rows] = text('hfss', table).trim().split('\n')
    const names = [...head.matchAll(/"([^"[]+) \[/g)].map(([, name]) => name)
    const found = rows.map((row) => Object.fromEntries(row.split(',').map((x, i) => [names[i], Number(x)])))
    const apart = difference(table, (a, n, channel) => {
      const { tx, rx } = table.aspects[a]
      const row = found.find(
        (r) =>
          r.Freq * 1e9 === FREQ[n] &&
          r.EoTheta === (channel[0] === 'v' ? 1 : 0) &&
          r.IWaveTheta === tx.thetaDeg &&
          r.IWavePhi === tx.phiDeg &&
          r.Theta === rx.thetaDeg &&
          r.Phi === rx.phiDeg,
      )!
      return channel[1] === 'v'
        ? [row['re(rETheta)'], row['im(rETheta)']]
        : [row['re(rEPhi)'], row['im(rEPhi)']]
    })
    expect(apart).toBeLessThan(1e-9)
  })
})

/** The S of a pattern at an aspect, as F: V of the toolbox points against theta-hat. */
function fromPattern(table: RcsTable, array: (name: string) => MatArray) {
  const [azimuth, elevation] = [array('Azimuth').data, array('Elevation').data]
  return (a: number, n: number, channel: Channel): [number, number] => {
    const { thetaDeg, phiDeg } = table.aspects[a].tx
    // S of received, transmitted.
    const { data, shape } = array(`S${channel[1]}${channel[0]}Pattern`)
    expect(shape).toEqual([elevation.length, azimuth.length, FREQ.length])
    const cell =
      (elevation.indexOf(90 - thetaDeg) * azimuth.length + azimuth.indexOf(phiDeg)) * FREQ.length + n
    const scale = (channel[0] === channel[1] ? 1 : -1) / Math.sqrt(4 * Math.PI)
    return [scale * data[2 * cell], scale * data[2 * cell + 1]]
  }
}

test('fields come back from the table of MATLAB’s toolboxes to 1e-9, and RCS is |S|^2', () => {
  const table = plate()
  const found = readMat5(encodeExchange('pattern', table) as Uint8Array)
  const array = (name: string): MatArray => found.get(name) as MatArray
  expect(difference(table, fromPattern(table, array))).toBeLessThan(1e-9)
  expect(array('Frequency').data).toEqual(Float64Array.from(FREQ))
  const [hh, vv, rcs, level] = ['ShhPattern', 'SvvPattern', 'RCSPattern', 'Pattern'].map((n) => array(n).data)
  rcs.forEach((x, i) => {
    const mean = (hh[2 * i] ** 2 + hh[2 * i + 1] ** 2 + vv[2 * i] ** 2 + vv[2 * i + 1] ** 2) / 2
    expect(Math.abs(x / mean - 1)).toBeLessThan(1e-12)
    expect(level[i]).toBeCloseTo(10 * Math.log10(x), 9)
  })
})

test('a full turn has both of its ends in a pattern, in ascending angles', () => {
  const aspects = aspectGrid({ theta: [90], phi: [0, 90, 180, 270, 360] })
  const total = aspects.map((_, a) => new Float64Array(8).fill(a === 4 ? 1 : a + 1))
  const table: RcsTable = {
    freqHz: [1e9],
    aspects,
    bistatic: false,
    channels: [...CHANNELS],
    fields: { total },
  }
  const found = readMat5(encodeExchange('pattern', table) as Uint8Array)
  const [azimuth, s] = ['Azimuth', 'ShhPattern'].map((name) => found.get(name) as MatArray)
  expect([...azimuth.data]).toEqual([-180, -90, 0, 90, 180])
  expect(s.shape).toEqual([1, 5])
  expect([...s.data].filter((_, i) => i % 2 === 0).map((x) => x / Math.sqrt(4 * Math.PI)).map(Math.round)).toEqual([3, 4, 1, 2, 3]) // prettier-ignore
})

test('the factors of 3GPP multiply to the co-polarised RCS, and their mean is sigma_M', () => {
  const table = plate()
  const [head, ...rows] = text('3gpp', table).trim().split('\n')
  const names = head.split(',')
  const found = rows.map((row) => Object.fromEntries(row.split(',').map((x, i) => [names[i], Number(x)])))
  for (const [n, f] of FREQ.entries()) {
    const of = found.filter((r) => r.freq_hz === f)
    const sigma = table.aspects.map((_, a) =>
      (['vv', 'hh'] as const).reduce(
        (sum, c) => sum + 2 * Math.PI * Math.hypot(...field(table, a, n, c)) ** 2,
        0,
      ),
    )
    of.forEach((r, a) => expect(r.sigma_m_dbsm + r.sigma_d_db).toBeCloseTo(10 * Math.log10(sigma[a]), 6))
    const mean = sigma.reduce((a, b) => a + b, 0) / sigma.length
    expect(of[0].sigma_m_dbsm).toBeCloseTo(10 * Math.log10(mean), 6)
    const levels = sigma.map((x) => 10 * Math.log10(x))
    const middle = levels.reduce((a, b) => a + b, 0) / levels.length
    expect(of[0].sigma_s_std_db).toBeCloseTo(Math.sqrt(levels.reduce((a, x) => a + (x - middle) ** 2, 0) / levels.length), 4) // prettier-ignore
  }
})

test('what a format cannot hold is refused in a line', () => {
  const { aspects } = plate()
  const all = [...CHANNELS]
  expect(() => checkExchange('ffe', aspects, ['vv'])).toThrow(/all four channels; leave --pol out/)
  const bistatic = aspectGrid({ theta: [90], phi: [0] }, { theta: [80], phi: [10] })
  expect(() => checkExchange('pattern', bistatic, all)).toThrow(/backscatter alone/)
  expect(() => checkExchange('3gpp', bistatic, all)).toThrow(InputError)
  expect(() => checkExchange('pattern', aspectGrid({ theta: [0, 270], phi: [0] }), all)).toThrow(/theta from 0 to 180, not 270/) // prettier-ignore
})

test('formats go by the ending of the name', () => {
  const names = ['a.ffe', 'A.FFE', 'a.hfss.csv', 'a.3gpp.csv', 'a.pattern.mat', 'a.csv', 'a.mat', 'hfss.csv']
  expect(names.map(exchangeFormat)).toEqual(['ffe', 'ffe', 'hfss', '3gpp', 'pattern', undefined, undefined, undefined]) // prettier-ignore
})
