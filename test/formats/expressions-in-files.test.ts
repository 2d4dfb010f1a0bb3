import { describe, expect, it } from 'vitest'
import { WireMaterials } from '../../run/cluster/wire.js'
import { checkSpectrogramConfig, parseDatasetConfig } from '../../dataset/index.js'
import { withFactors } from '../../dataset/material-state.js'
import { FilesHash } from '../../formats/index.js'
import { openMaterials } from '../../formats/materials-file.js'
import { materialsJsonSchema } from '../../formats/materials-schema.js'
import { checkMotion, motionJsonSchema } from '../../run/motion/config.js'
import { motionOf } from '../../run/motion/target.js'
import { checkScene } from '../../propagation/scene/load-scene.js'
import { checkBands, type Material, materialNamed, slab, writtenOf } from '../../scene/materials/index.js'
import { datasetJsonSchema } from '../../dataset/variant.js'

const open = (description: object) => openMaterials(description, 'm.json', '.', new FilesHash())
const material = async (description: object, name: string): Promise<Material> =>
  materialNamed(name, await open(description), 'test')
const at = (of: Material, f: number, c = 0.6): number[] => {
  const out = new Float64Array(8)
  slab(of, f, c, out)
  return [...out]
}
const band = { f0: 2e9, df: 1e8, n: 101 }

describe('in a materials file', () => {
  const relaxing = { eps_infinity: 2, eps_static: 6, eps_relaxation_hz: 9e9, mu_infinity: 1, mu_static: 3, mu_relaxation_hz: 2e9 } // prettier-ignore
  const thick = (medium: string) => ({ coating: [{ medium, thickness_m: 2e-3 }] })

  it('media that are functions of f equal the same as a relaxation, at every frequency', async () => {
    const of = await open({
      media: {
        plain: { debye: relaxing },
        own: { eps_r: '2 + (6 - 2) / (1 + i f / (9 GHz))', mu_r: '1 + 2 / (1 + i f / 2e9)' },
      },
      materials: { plain: thick('plain'), own: thick('own') },
    })
    for (const f of [1e8, 2e9, 7.7e9, 18e9]) {
      const wanted = at(materialNamed('plain', of, 'test'), f)
      at(materialNamed('own', of, 'test'), f).forEach((x, k) => expect(x).toBeCloseTo(wanted[k], 13))
    }
  })

  it('loss tangents and conductivities may be functions too, and copies multiply them as others', async () => {
    const [plain, own] = await Promise.all(
      [
        { eps_r: [4, -0.4], sigma_s_per_m: 0.2 },
        { eps_r: 4, tan_delta: '0.1 f / f', sigma_s_per_m: '0.2 S/m * f / f' },
      ].map((layer) => material({ materials: { m: { layers: [{ thickness_m: 1e-3, ...layer }], backing: 'pec' } } }, 'm')),
    ) // prettier-ignore
    const denser = (of: Material): Material =>
      withFactors({ groupMaterials: [of] } as never, [{ name: 'm', thickness: [1.1], permittivity: [1.3] }])
        .groupMaterials![0]
    for (const f of [2e9, 12e9]) {
      at(own, f).forEach((x, k) => expect(x).toBeCloseTo(at(plain, f)[k], 13))
      at(denser(own), f).forEach((x, k) => expect(x).toBeCloseTo(at(denser(plain), f)[k], 13))
    }
  })

  it('loss tangents that are functions are losses where eps is negative, as constants are', async () => {
    const [plain, own] = await Promise.all(
      [0.1, '0.1 f / f'].map((tan_delta) =>
        material({ materials: { m: { layers: [{ thickness_m: 1e-3, eps_r: -4, tan_delta }], backing: 'pec' } } }, 'm'),
      ),
    ) // prettier-ignore
    at(own, 5e9).forEach((x, k) => expect(x).toBeCloseTo(at(plain, 5e9)[k], 13))
  })

  it('lengths, frequencies and impedances carry units, and complex numbers read as they are written', async () => {
    const description = (s: boolean) => ({
      media: {
        m: { frequency_hz: s ? ['8 GHz', '12 GHz'] : [8e9, 12e9], eps_real: 12, eps_imag: [-0.5, -0.7] },
        c: { eps_r: s ? '5 - 1.5i' : [5, -1.5] },
      },
      materials: {
        a: {
          coating: [
            { medium: 'm', thickness_m: s ? '60 mil' : 1.524e-3 },
            { resistance_ohm: s ? '0.377 kohm' : 377 },
            { medium: 'c', thickness_m: s ? '0.2 in' : 5.08e-3 },
          ],
        },
        z: { surface_impedance_ohm: s ? '(30 + 5i) ohm' : [30, 5] },
      },
    })
    for (const name of ['a', 'z'])
      expect(at(await material(description(true), name), 9e9)).toEqual(
        at(await material(description(false), name), 9e9),
      )
    const { written: _, ...plain } = await material(description(false), 'z')
    expect(_).toBeUndefined()
    expect(await material(description(true), 'z')).toEqual({
      ...plain,
      written: { 'materials.z.surface_impedance_ohm': '(30 + 5i) ohm' },
    })
    expect(writtenOf(await material(description(true), 'a'))).toEqual({
      'media.m.frequency_hz.0': '8 GHz',
      'media.m.frequency_hz.1': '12 GHz',
      'media.c.eps_r': '5 - 1.5i',
      'materials.a.coating.0.thickness_m': '60 mil',
      'materials.a.coating.1.resistance_ohm': '0.377 kohm',
      'materials.a.coating.2.thickness_m': '0.2 in',
    })
  })

  it('plain numbers give the same data as before expressions', async () => {
    const plain = {
      media: { m: { eps_real: 4, loss_tangent: 0.02 } },
      materials: { a: { coating: [{ medium: 'm', thickness_m: 1e-3 }] } },
    }
    const text = JSON.stringify(await material(plain, 'a'))
    expect(text).toBe('{"name":"a","kind":"opaque","stack":[{"medium":{"name":"m","eps":[4,-0.08],"mu":[1,0],"conductivity":0},"thickness":0.001}],"backing":"conductor","facet":"outer","sides":"both"}') // prettier-ignore
  })

  it('go through a cluster as they are, and a formula that is none does not', async () => {
    const of = await open({
      media: { m: { eps_r: '2 + 4 / (1 + i f / (9 GHz))' } },
      materials: { a: { layers: [{ sheet_impedance_ohm: '(f / GHz + 5i) ohm' }] } },
    })
    const own = ['m', 'a'].map((name) => materialNamed(name, of, 'test'))
    const sent = JSON.parse(JSON.stringify(own)) as unknown[]
    expect(WireMaterials.parse(sent)).toEqual(own)
    const text = JSON.stringify(sent).replace('["/","x"', '["constructor","x"')
    expect(WireMaterials.safeParse(JSON.parse(text)).success).toBe(false)
  })

  it.each([
    [{ eps_r: '2 + 0.1 i f / GHz' }, 'medium "m": the imaginary part of eps is 0.2, a gain at 2 GHz'],
    [{ eps_r: '1 / (f - 3 GHz) * GHz' }, /medium "m": eps is (NaN|Infinity) at 3 GHz; give a function that is finite/],
    [{ eps_r: 4, tan_delta: '-0.1 f / GHz' }, 'medium "m": the imaginary part of eps is 0.8, a gain at 2 GHz'],
    [
      { eps_r: 4, tan_delta: '0.1 i f / GHz' },
      'medium "m": eps is NaN at 2 GHz; give a function that is finite there, not 0, and real beside or as tan_delta',
    ],
    [{ eps_r: 'sqrt(1 - f / GHz)', tan_delta: 0.1 }, 'medium "m": eps is NaN at 2 GHz'],
    [{ eps_r: 3, sigma_s_per_m: '-f * 1 S/m/GHz' }, 'medium "m": the conductivity is -2 at 2 GHz'],
  ])('what a function may not be is refused before a run: %j', async (medium, message) => {
    const own = await material({ media: { m: medium } }, 'm')
    expect(() => checkBands([own], [{ ...band, df: 1e9 / 32, n: 65 }])).toThrow(message)
  }) // prettier-ignore

  it.each([
    [{ eps_r: 'import("fs")' }, 'm.json: media.m.eps_r: "import("fs")" cannot be read: "import" is not a function'],
    [{ eps_r: '3 m' }, 'm.json: media.m.eps_r: "3 m" cannot be read: it is no plain number'],
    [{ eps_r: '5 + 1.5i' }, 'm.json: media.m.eps_r: its imaginary part is 1.5, a gain'],
    [{ eps_real: '3 f/GHz' }, 'm.json: media.m.eps_real: "3 f/GHz" cannot be read: no function of f stands here'],
    [{ eps_r: '5 - 1.5i', tan_delta: '0.1 f / f' }, 'media.m: tan_delta and the imaginary part of eps_r say the same'],
    [{ eps_r: '5 - 1.5i f / f', tan_delta: 0.1 }, 'media.m: tan_delta and the imaginary part of eps_r say the same'],
    [{ eps_r: 3, tan_delta: '-1' }, 'm.json: media.m.tan_delta: -1 is negative'],
    [{ eps_r: 'f/GHz', mu_r: { freq_hz: [1e9], re: [2] } }, 'media.m.mu_r: a list stands beside a function of f'],
    [{ frequency_hz: ['-3 GHz'], eps_real: 3 }, 'media.m.frequency_hz.0: -3000000000 is not above zero'],
  ])('%j is refused with one line that says where', async (medium, message) => {
    await expect(open({ media: { m: medium } })).rejects.toThrow(message)
  }) // prettier-ignore
})

describe('in a motion file', () => {
  const radar = { freq_hz: '10 GHz', prf_hz: '1 kHz', pulses: 1001 }
  const read = (motion: object, parts: object[] = []) =>
    checkMotion({ mesh: 'a.stl', radar, motion, parts }, 'a.json')

  it('every length, angle and rate may carry a unit, which the record keeps', () => {
    const config = read(
      { velocity_m_s: ['36 km/h', 0, 0], rates_deg_s: [0, 0, '6 rpm'], roll: { amplitude_deg: '0.1 rad', period_s: '2 min' } },
      [{ group: 'rotor', pivot_m: ['10 cm', 0, '2 in'], rate_rev_s: '3000 rpm', phase_deg: '(pi/2) rad' }],
    ) // prettier-ignore
    expect(config.motion.velocity_m_s).toEqual([10, 0, 0])
    expect(config.motion.rates_deg_s).toEqual([0, 0, 36])
    expect(config.motion.roll).toEqual({ amplitude_deg: 5.72957795130823, period_s: 120, phase_deg: 0 })
    expect(config.parts[0]).toMatchObject({ pivot: [0.1, 0, 0.0508], rate: 50, phaseDeg: 90 })
    expect(config.radar.prfHz).toBe(1000)
    expect(config.expressions).toMatchObject({
      'motion.velocity_m_s.0': '36 km/h',
      'parts.0.pivot_m.2': '2 in',
    })
    expect(read({ velocity_m_s: [1, 0, 0] }).expressions).toEqual({ 'radar.prf_hz': '1 kHz' })
    expect(checkMotion({ mesh: 'a.stl', radar: { ...radar, prf_hz: 1000 } }, 'a')).not.toHaveProperty(
      'expressions',
    )
  })

  it('poses as functions of t are those of the same formulas', () => {
    const table = {
      x_m: '20 m/s * t + 0.5 * 3 m/s^2 * t^2',
      y_m: 0.25,
      roll_deg: '5 deg * sin(2 pi t / (0.8 s))',
      yaw_deg: '30 t',
    }
    const config = read({ table })
    const own = motionOf(config)
    const wanted = motionOf(
      read({ velocity_m_s: [20, 0, 0], acceleration_m_s2: [3, 0, 0], rates_deg_s: [0, 0, 30], roll: { amplitude_deg: 5, period_s: 0.8 } }),
    ) // prettier-ignore
    for (const t of [0, 1e-4, 0.123456, 0.5, 0.9999, 1]) {
      const [a, b] = [own.at(t), wanted.at(t)]
      a.rotation.forEach((x, i) => expect(x).toBeCloseTo(b.rotation[i], 10))
      a.shift.forEach((x, i) => expect(x).toBeCloseTo(b.shift[i] + [0, 0.25, 0][i], 10))
    }
    expect(config.expressions).toMatchObject({ 'motion.table.yaw_deg': '30 t' })
  })

  it('poses as fast functions of t, long after the start, are exact', () => {
    const { at } = motionOf(
      read({ table: { x_m: '3 mm * sin(2 pi 7 kHz t)', yaw_deg: '2 sin(2 pi 200 t)' } }),
    )
    for (const t of [0.12345678, 99.98765432]) {
      const yaw = 2 * Math.sin(2 * Math.PI * 200 * t)
      expect(at(t).shift[0]).toBeCloseTo(0.003 * Math.sin(2 * Math.PI * 7000 * t), 11)
      expect(at(t).rotation[3]).toBeCloseTo(Math.sin((yaw * Math.PI) / 180), 11)
    }
  })

  it.each([
    [
      { velocity_m_s: ['3 m', 0, 0] },
      'a.json: motion.velocity_m_s.0: "3 m" cannot be read: it is no velocity',
    ],
    [{ table: { x_m: 'f' } }, 'motion.table.x_m: "f" cannot be read: no function of f stands here'],
    [{ roll: { amplitude_deg: '2 rad', period_s: 1 } }, 'a.json: motion.roll.amplitude_deg: Too big'],
    [{ table: { x_m: '3 t' }, velocity_m_s: [1, 0, 0] }, 'motion.table: is instead of'],
  ])('%j is refused with one line that says where', (motion, message) => {
    expect(() => read(motion)).toThrow(message)
  })

  it('a function without a value at a time is refused', () => {
    for (const x_m of ['1 / t', 'sqrt(t - 2)'])
      expect(() => motionOf(read({ table: { x_m } })).at(0)).toThrow(
        /^motion\.table\.x_m is (Infinity|complex) at t = .* s; give a real function/,
      )
  })
})

it('in a scene of radio propagation lengths carry units', () => {
  const scene = (m: (x: number) => number | string) => ({
    name: 'hall',
    frequency: '2.4 GHz',
    geometry: [
      { box: { min: [0, 0, 0], max: [m(12), 9, 4] }, material: { epsilonR: 5, sigma: 0.01 } },
      { polygon: [[0, 0, 1], [m(1), 0, 1], [0, m(1), 1]], material: 'pec' },
    ],
    transmitter: { position: [m(2), 3, 1] },
    receivers: [{ name: 'a', grid: { x: [m(1), 2], y: [1, 2], z: m(1) }, step: m(0.5) }],
  }) // prettier-ignore
  const { expressions, ...own } = checkScene(scene((x) => `${100 * x} cm`), 'a') // prettier-ignore
  expect(own).toEqual(checkScene(scene((x) => x), 'a')) // prettier-ignore
  expect(expressions).toMatchObject({ 'receivers.0.step': '50 cm', 'geometry.1.polygon.1.0': '100 cm' })
  expect(() =>
    checkScene(
      scene(() => '1 s'),
      'a',
    ),
  ).toThrow(/"1 s" cannot be read: it is no length/)
})

it('in configurations of datasets lengths, angles and rates carry units', () => {
  const config = (s: boolean) => ({
    name: 'a',
    targets: [{ label: 'a', mesh: 'a.stl', yawDeg: s ? '(pi/2) rad' : 90 }],
    aspects: { azimuth: { from: 0, to: s ? '0.5 rev' : 180, step: s ? '30 arcmin' : 0.5 }, elevation: [s ? '15 deg' : 15] },
    radar: { centreHz: 1e10, resolutionM: s ? '1 ft' : 0.3048 },
    jitter: { offsetM: s ? '20 cm' : 0.2 },
    ground: { surface: { model: 'soil', epsReal: 4, rmsHeightM: s ? '3 mm' : 0.003 } },
  }) // prettier-ignore
  const { expressions, ...own } = parseDatasetConfig(JSON.stringify(config(true)), 'c')
  expect(own).toEqual(parseDatasetConfig(JSON.stringify(config(false)), 'c'))
  expect(expressions).toMatchObject({ 'radar.resolutionM': '1 ft', 'aspects.azimuth.step': '30 arcmin' })
  expect(() =>
    parseDatasetConfig(JSON.stringify({ ...config(true), jitter: { offsetM: '3 s' } }), 'c'),
  ).toThrow(
    'c: jitter.offsetM: "3 s" is not valid ("3 s" cannot be read: it is no length; give it in m, or with a unit)',
  )
  const spectrograms = checkSpectrogramConfig(
    {
      name: 'a',
      product: 'spectrograms',
      targets: [{ label: 'a', motion: 'a.json' }],
      aspects: { azimuth: [0], elevation: [0] },
      radar: { freqHz: '10 GHz', prfHz: ['4 kHz', '5 kHz'] },
      start: [0, '500 ms'],
    },
    'c',
  )
  expect(spectrograms).toMatchObject({ start: [0, 0.5], radar: { prfHz: [4000, 5000] } })
})

it('the JSON Schemas that editors take accept the texts, and keep limits and defaults of numbers', () => {
  interface Node {
    type?: string | string[]
    anyOf?: Node[]
    properties?: Record<string, Node>
    items?: Node
    default?: unknown
    maximum?: number
  }
  const takesText = (node: Node): boolean =>
    [node.type].flat().includes('string') || (node.anyOf ?? []).some(takesText)
  const motion = (motionJsonSchema() as Node).properties!
  expect(takesText(motion.radar.properties!.prf_hz)).toBe(true)
  expect(motion.radar.properties!.theta_deg).toMatchObject({ type: ['number', 'string'], default: 90 })
  const dataset = (datasetJsonSchema() as Node).properties!
  expect(takesText(dataset.radar.properties!.apertureDeg)).toBe(true)
  expect(dataset.radar.properties!.apertureDeg.anyOf![0].maximum).toBe(90)
  expect(takesText(dataset.image.properties!.size)).toBe(false)
  expect(JSON.stringify(materialsJsonSchema())).toContain('functions of f')
})
