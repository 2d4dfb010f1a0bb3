import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDatasetConfig } from '../../dataset/config.js'
import { loadScene } from '../../propagation/scene/load-scene.js'
import { configFrequencies } from '../../dataset/variant.js'
import { parseFrequencies, parseFrequency } from '../../formats/expression.js'
import { parseBand } from '../../src/cli/quantity.js'
import { temporaryFolder } from './cli.js'
import { writeConfig } from './dataset-config.js'

describe('frequencies as people write them', () => {
  const list = (text: string): number[] => parseFrequencies(text.split(','), '--freq')

  it('are hertz, or have a unit', () => {
    expect(['9.25e9', '9.25GHz', '9.25 GHz', ' 9250MHz ', '9.25e3 MHz', '.00925THz', '9.25 gigahertz', '(37/4) GHz'].map((f) => parseFrequency(f, ''))).toEqual(Array(8).fill(9.25e9)) // prettier-ignore
    expect(['3Hz', '3e-3kHz', '1e6', '999999.9Hz'].map((f) => parseFrequency(f, ''))).toEqual([
      3, 3, 1e6, 999999.9,
    ])
    // The same double as the number of hertz, not a product's rounding.
    for (let i = 1; i < 400; i++) expect(parseFrequency(`${i / 100}GHz`, '')).toBe(Number(`${i / 100}e9`))
  })

  it('take the unit at the end of a band or list where they have none', () => {
    expect(list('9,10GHz')).toEqual([9e9, 10e9])
    expect(list('900 MHz,1.5,2GHz')).toEqual([9e8, 1.5e9, 2e9])
    expect(list('9 GHz,(37/4) GHz,2*5 GHz')).toEqual([9e9, 9.25e9, 10e9])
    expect(() => list('9,2*5 GHz')).toThrow(/^--freq: 9 has no unit/)
    expect(parseFrequency('(3 kHz)', '--freq')).toBe(3000)
    expect(list('1GHz,2e9')).toEqual([1e9, 2e9])
    expect(parseBand('9:10GHz')).toEqual({ f0: 9e9, f1: 10e9 })
    expect(parseBand('9.25:10.75 GHz:64')).toEqual({ f0: 9.25e9, f1: 10.75e9, count: 64 })
    expect(parseBand('900MHz:10GHz')).toEqual({ f0: 9e8, f1: 10e9 })
    expect(() => parseBand('9e9:10GHz')).toThrow(
      /^--band: 9e9 takes the unit of the last value and would be 9e9 GHz/,
    )
  })

  it('are refused below 1 MHz without a unit', () => {
    expect(() => parseFrequency('3', '--freq')).toThrow('--freq: 3 has no unit and would be 3 Hz; give it one, like 3GHz (3Hz if that is meant)') // prettier-ignore
    expect(() => parseFrequency('999999', '--freq')).toThrow(/has no unit/)
    expect(() => parseBand('9:10')).toThrow(/^--band: 9 has no unit/)
    expect(() => parseBand('9GHz:10')).toThrow(/^--band: 10 has no unit/)
    expect(() => list('3GHz,4')).toThrow(/^--freq: 4 has no unit/)
  })

  it('have units as in physics', () => {
    for (const text of ['3ghz', '3G', '3 parsec', '3e', '3..0GHz', 'GHz', '', '3GHz4'])
      expect(() => parseFrequency(text, '--freq'), text).toThrow(/^--freq: .* is not a frequency/)
    expect(() => list('3,4 parsec')).toThrow('--freq: "4 parsec" is not a frequency')
  })
})

it('a dataset’s frequencies follow the same rules', () => {
  const folder = temporaryFolder()
  const of = (radar: object) => {
    const path = writeConfig(folder, { radar })
    return configFrequencies(parseDatasetConfig(readFileSync(path, 'utf8'), path))
  }
  expect(of({ band: [9, '10 GHz'], apertureDeg: 5 })).toEqual({ band: [9e9, 10e9] })
  expect(of({ centreHz: 9e9, resolutionM: 0.3 })).toEqual({ centreHz: 9e9 })
  expect(() => of({ centreHz: 9, resolutionM: 0.3 })).toThrow(
    /: radar\.centreHz: 9 is not valid \(9 has no unit/,
  )
  expect(() => of({ band: [9, 10], apertureDeg: 5 })).toThrow(/: radar\.band: .*9 has no unit/)
})

it('a scene’s frequencies follow the same rules', async () => {
  const path = join(temporaryFolder(), 'room.json')
  const of = async (frequency: unknown): Promise<number[]> => {
    const geometry = [{ box: { min: [0, 0, 0], max: [4, 4, 4], inward: true }, material: 'pec' }]
    const receivers = [{ name: 'p', points: [[1, 1, 1]] }]
    const transmitter = { position: [2, 2, 2] }
    writeFileSync(path, JSON.stringify({ name: 'room', frequency, geometry, transmitter, receivers }))
    return (await loadScene(path)).scene.freqHz
  }
  expect(await of([900, 1800, '2400 MHz'])).toEqual([9e8, 1.8e9, 2.4e9])
  expect(await of(['900 MHz', 1.8e9])).toEqual([9e8, 1.8e9])
  await expect(of(5)).rejects.toThrow(/^room.json: frequency: 5 has no unit/)
})
