import { describe, expect, it } from 'vitest'
import { configJsonSchema, parseDatasetConfig } from '../../dataset/config.js'

const base = {
  name: 'a',
  targets: [{ label: 'ship', mesh: 'ship.stl' }],
  aspects: { azimuth: [0, 10], elevation: [10] },
  radar: { centreHz: '10 GHz', resolutionM: 0.3 },
}
const parse = (change: object) => parseDatasetConfig(JSON.stringify({ ...base, ...change }), 'c.json')

describe('dataset configurations', () => {
  it('fill in their defaults', () => {
    const config = parse({})
    expect(config).toMatchObject({
      seed: 0,
      trace: 'own',
      formats: ['npz'],
      channels: ['vv'],
      image: { size: [128, 128], window: 'taylor', polarFormat: true },
      targets: [{ units: 'm', scale: 1, yawDeg: 0 }],
    })
  })

  it.each([
    [{ targets: [] }, /^c\.json: targets: \[\] is not valid .* give/],
    [{ targets: [{ label: 'a b', mesh: 'x.stl' }] }, /targets\[0\]\.label: "a b" is not valid.*letters, digits/],
    [{ targets: [{ label: 'a' }] }, /targets\[0\]\.mesh: is missing; give mesh file/],
    [{ radar: { centreHz: 1e10 } }, /radar: give centreHz with resolutionM/],
    [{ radar: { band: [9e9, 10e9] } }, /radar\.apertureDeg: is missing/],
    [{ radar: { ...base.radar, apertureDeg: 3 } }, /leave it out/],
    [{ image: { window: 'kaiser' } }, /image\.window: "kaiser" is not valid.*one of hamming, hann, taylor, none/],
    [{ image: { size: [128, 4] } }, /image\.size\[1\]: 4 is not valid \(at least 8\)/],
    [{ splits: { by: 'copy' } }, /splits\.parts: is missing; give names and shares/],
    [{ splits: { by: 'copy', assign: { '../a': [0] } } }, /splits\.assign/],
    [{ nuisance: { snr: 3 } }, /nuisance: "snr" is not a setting \(did you mean snrDb\?\)$/],
    [{ colour: 1 }, /"colour" is not a setting; known settings here:/],
    [{ radar: { centerHz: 1e10, resolutionM: 1 } }, /radar: "centerHz" is not a setting.* \(did you mean centreHz\?\)/],
    [{ aspects: undefined, aspect: {} }, /"aspect" is not a setting.* \(did you mean aspects\?\)$/],
    [{ targets: [{ label: 'a', mesh: 'x.stl', unit: 'mm' }] }, /targets\[0\]: "unit" is not.* \(did you mean units\?\)/],
    [{ formats: ['cvdomes'] }, /formats: cvdomes holds whole sweeps/],
    [{ product: 'history' }, /give band and frequencies/],
    [{ trace: 'shared', jitter: { elevationDeg: 1 } }, /jitter\.elevationDeg/],
    [{ trace: 'fast' }, /trace: "fast" is not valid; give own.*: one of own, shared$/],
    [{ splits: { by: 'azimuth', parts: { train: 1 }, blockDeg: 7 } }, /do not divide 360 degrees/],
    [{ seed: -1 }, /seed: -1 is not valid/],
    [{ realisations: 1.5 }, /realisations: 1\.5 is not valid/],
  ])('name what is wrong, where, and what to give: %j', (change, message) => {
    expect(() => parse(change)).toThrow(message)
    try {
      parse(change)
    } catch (error) {
      expect((error as Error).name).toBe('InputError')
      expect((error as Error).message).not.toContain('\n')
    }
  }) // prettier-ignore

  it('name every error at once, in one line', () => {
    const wrong = { seed: -1, trace: 'fast', image: { window: 'kaiser' }, radar: { centreHz: '10 apples' } }
    for (const message of [
      /seed: -1 is not valid/,
      /; also /,
      /"kaiser" is not valid/,
      /trace: "fast" is not valid/,
      /radar\.centreHz: "10 apples" is not valid/,
    ])
      expect(() => parse(wrong)).toThrow(message)
    const many = Array.from({ length: 40 }, (_, i) => ({ label: `a ${i}`, mesh: 'x.stl' }))
    expect(() => parse({ targets: many })).toThrow(
      /^(?!.*\.\.\.).*targets\[7\]\.label: "a 7" .*\(and \d+ more\)$/,
    )
    // Rules that the schema cannot express too.
    const combined = { formats: ['cvdomes'], trace: 'shared', jitter: { elevationDeg: 1 } }
    expect(() => parse(combined)).toThrow(/formats: cvdomes holds .*; also jitter\.elevationDeg: /)
  })

  it('must be JSON', () => {
    expect(() => parseDatasetConfig('{"name": ', 'c.json')).toThrow(/^c\.json is not JSON/)
  })

  it('have a JSON Schema that describes every setting', () => {
    const missing: string[] = []
    const walk = (node: Record<string, unknown>, path: string): void => {
      for (const [key, child] of Object.entries((node.properties ?? {}) as Record<string, object>)) {
        if (!('description' in child)) missing.push(`${path}.${key}`)
        walk(child as Record<string, unknown>, `${path}.${key}`)
      }
    }
    walk(configJsonSchema(), '')
    expect(missing).toEqual([])
  })
})
