import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FilesHash } from '../../formats/index.js'
import { openMaterials } from '../../formats/materials-file.js'
import { InputError } from '../../scene/index.js'
import { type MaterialLibrary, materialNamed, PERFECT_CONDUCTOR, slab } from '../../scene/materials/index.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()

const open = (materials: object, media: object = {}): Promise<MaterialLibrary> =>
  openMaterials({ materials, media }, 'materials.json', folder, new FilesHash())
const at = (library: MaterialLibrary, name: string, f: number, c: number, back = false): number[] => {
  const out = new Float64Array(8)
  slab(materialNamed(name, library, 'test'), f, c, out, back)
  return [...out]
}

const FREQUENCIES = [8e9, 9.1e9, 10e9, 12e9]
const COSINES = [1, 0.7, 0.3, 0]

/** Both forms of a material have the same coefficients, from both sides. */
async function expectSame(plain: object, own: object, frequencies = FREQUENCIES, media = {}): Promise<void> {
  const library = await open({ plain, own }, media)
  for (const f of frequencies)
    for (const c of COSINES)
      for (const back of [false, true]) {
        const wanted = at(library, 'own', f, c, back)
        at(library, 'plain', f, c, back).forEach((x, k) =>
          expect(Math.abs(x - wanted[k]), `${f} Hz, c ${c}`).toBeLessThanOrEqual(1e-15),
        )
      }
}

const refusal = (materials: object, media: object = {}): Promise<Error> =>
  open(materials, media).then(
    () => new Error('accepted'),
    (error: Error) => error,
  )

describe('a material of layers', () => {
  it('on pec is a coating whose facets are its outer face', async () => {
    const plain = {
      layers: [
        { thickness_m: 0.001, eps_r: [4, -0.5], sigma_s_per_m: 0.2 },
        { thickness_m: 0.0015, eps_r: 12, tan_delta: 0.05, mu_r: [2.2, -1.6] },
      ],
      backing: 'pec',
    }
    await expectSame(plain, {
      coating: [
        { thickness_m: 0.001, eps_real: 4, eps_imag: -0.5, conductivity_s_per_m: 0.2 },
        { thickness_m: 0.0015, eps_real: 12, eps_imag: -0.6000000000000001, mu_real: 2.2, mu_imag: -1.6 },
      ],
      facet: 'outer',
      sides: 'both',
    })
    const { materials } = await open({ plain })
    expect(materials.get('plain')).toMatchObject({ kind: 'opaque', backing: 'conductor', facet: 'outer', sides: 'both' }) // prettier-ignore
  })

  it('without a backing is a sheet whose facets are its middle plane, the first layer in front', async () => {
    const layers = [{ thickness_m: 0.004, eps_r: 6 }, { thickness_m: 0.002, mu_r: 2 }] // prettier-ignore
    const own = { sheet: [{ thickness_m: 0.004, eps_real: 6 }, { thickness_m: 0.002, eps_real: 1, mu_real: 2 }] } // prettier-ignore
    await expectSame({ layers }, own)
    await expectSame({ layers, backing: 'none' }, own)
    const library = await open({ plain: { layers } })
    expect(at(library, 'plain', 1e10, 1)[0]).not.toBeCloseTo(at(library, 'plain', 1e10, 1, true)[0], 2)
    // Air is not there.
    const air = await open({ plain: { layers: [{ thickness_m: 0.01 }] } })
    at(air, 'plain', 1e10, 0.5).forEach((x, k) => expect(x).toBeCloseTo(k === 4 || k === 6 ? 1 : 0, 14))
  })

  it('has named media and sheets without thickness among them: a Salisbury screen', async () => {
    await expectSame(
      {
        layers: [{ sheet_impedance_ohm: [377, 5] }, { medium: 'foam', thickness_m: 0.0075 }],
        backing: 'pec',
      },
      {
        coating: [
          { resistance_ohm: 377, reactance_ohm: 5 },
          { medium: 'foam', thickness_m: 0.0075 },
        ],
      },
      FREQUENCIES,
      { foam: { eps_real: 1.06, loss_tangent: 0.0005 } },
    )
  })

  it('varies linearly over the frequencies that all its values are given for', async () => {
    const eps_r = { freq_hz: [8e9, 12e9], re: [12, 10], im: [-0.5, -0.7] }
    const same = { frequency_hz: [8e9, 12e9], eps_real: [12, 10], eps_imag: [-0.5, -0.7] }
    await expectSame(
      { layers: [{ thickness_m: 0.0015, eps_r, mu_r: { freq_hz: [8e9, 12e9], re: [2.4, 2] } }] },
      { sheet: [{ thickness_m: 0.0015, ...same, mu_real: [2.4, 2] }] },
    )
    const mu_r = { freq_hz: [7e9, 9e9, 11e9], re: [3, 2, 2.4], im: [-1, -2, -1] }
    const layers = [{ thickness_m: 0.0015, eps_r, mu_r, sigma_s_per_m: 0.1 }]
    await expectSame(
      { layers },
      {
        sheet: [
          {
            thickness_m: 0.0015,
            frequency_hz: [8e9, 9e9, 11e9],
            eps_real: [12, 11.5, 10.5],
            eps_imag: [-0.5, -0.55, -0.65],
            mu_real: [2.5, 2, 2.4],
            mu_imag: [-1.5, -2, -1],
            conductivity_s_per_m: 0.1,
          },
        ],
      },
      [8e9, 8.3e9, 9e9, 10.2e9, 11e9],
    )
    const library = await open({ plain: { layers } })
    expect(() => at(library, 'plain', 11.5e9, 1)).toThrow(/layers\.0" is given for 8 to 11 GHz/)
    await expectSame(
      { layers: [{ thickness_m: 0.002, eps_r: 4, tan_delta: { freq_hz: [8e9, 12e9], re: [0.1, 0.2] } }] },
      { sheet: [{ thickness_m: 0.002, frequency_hz: [8e9, 12e9], eps_real: 4, loss_tangent: [0.1, 0.2] }] },
    )
  })
})

describe('a material of one impedance', () => {
  it('is opaque as a surface, penetrable as a sheet', async () => {
    await expectSame(
      { surface_impedance_ohm: [40, 25] },
      { surface_impedance: { resistance_ohm: 40, reactance_ohm: 25 } },
    )
    await expectSame({ surface_impedance_ohm: 50 }, { surface_impedance: { resistance_ohm: 50 } })
    await expectSame({ sheet_impedance_ohm: 377 }, { sheet: [{ resistance_ohm: 377 }] })
    await expectSame(
      { sheet_impedance_ohm: [30, -80] },
      { sheet: [{ resistance_ohm: 30, reactance_ohm: -80 }] },
    )
  })

  it('may vary with frequency', async () => {
    const varying = { freq_hz: [8e9, 12e9], re: [100, 300], im: [-40, 40] }
    await expectSame({ sheet_impedance_ohm: varying }, { sheet: [{ resistance_ohm: 200 }] }, [10e9])
    await expectSame(
      { surface_impedance_ohm: varying },
      { surface_impedance: { resistance_ohm: 150, reactance_ohm: -20 } },
      [9e9],
    )
    const library = await open({ a: { sheet_impedance_ohm: varying } })
    expect(() => at(library, 'a', 7e9, 1)).toThrow(
      /materials\.a\.sheet_impedance_ohm is given for 8 to 12 GHz, not for 7 GHz; take other frequencies/,
    )
  })
})

describe('a table in plain columns', () => {
  const HEAD = 'freq_hz,theta_deg,rs_re,rs_im,rp_re,rp_im'
  const LONG = `${HEAD},ts_re,ts_im,tp_re,tp_im`
  const rowsOf = async (own: object, columns: number): Promise<string[]> => {
    const library = await open({ own })
    return [9e9, 10e9, 11e9].flatMap((f) =>
      Array.from({ length: 19 }, (_, i) => 5 * i).map((d) =>
        [f, d, ...at(library, 'own', f, Math.cos((d * Math.PI) / 180)).slice(0, columns)].join(),
      ),
    )
  }
  const table = async (lines: string[], more: object = {}): Promise<MaterialLibrary> => {
    await writeFile(join(folder, 'plain.csv'), lines.join('\n'))
    return open({ t: { table: 'plain.csv', ...more } })
  }
  const film = { sheet: [{ resistance_ohm: 200 }] }
  const paint = { coating: [{ eps_real: 4, eps_imag: -1, thickness_m: 0.001 }] }

  it('is a sheet where something passes, else opaque; R_p is the ratio of H', async () => {
    const library = await open({ film, paint })
    const sheet = await table([LONG, ...(await rowsOf(film, 8))])
    const opaque = [
      await table([HEAD, ...(await rowsOf(paint, 4))]),
      await table([LONG, ...(await rowsOf(paint, 8))]),
    ]
    expect(sheet.materials.get('t')!.kind).toBe('sheet')
    for (const f of [9e9, 10e9])
      for (const d of [0, 35, 85]) {
        const c = Math.cos((d * Math.PI) / 180)
        at(sheet, 't', f, c).forEach((x, k) => expect(x).toBeCloseTo(at(library, 'film', f, c)[k], 12))
        for (const given of opaque) {
          expect(given.materials.get('t')!.kind).toBe('opaque')
          at(given, 't', f, c).forEach((x, k) => expect(x).toBeCloseTo(at(library, 'paint', f, c)[k], 12))
        }
      }
  })

  it('is refused with what is missing', async () => {
    const rows = await rowsOf(film, 8)
    const wrong = (lines: string[], more?: object): Promise<string> =>
      table(lines, more).then(
        () => 'accepted',
        (error: Error) => error.message,
      )
    expect(await wrong([LONG.replace('tp_im', 'x'), ...rows])).toMatch(/has no column tp_im; its first line must name freq_hz,/) // prettier-ignore
    expect(await wrong([LONG.replace('rs_re', 'x'), ...rows])).toMatch(/plain\.csv has no column rs_re/)
    expect(await wrong([LONG.replace('freq_hz', 'frequency_hz'), ...rows])).toMatch(/no column freq_hz.*needs p_convention in materials\.json: materials\.t$/) // prettier-ignore
    expect(await wrong([LONG, ...rows], { p_convention: 'H' })).toMatch(/has no column frequency_hz/)
    expect(await wrong([LONG, ...rows.slice(1)])).toMatch(/53 rows for 3 frequencies and 18 angles/)
    expect(await wrong([HEAD, '1e9,0,-1,0,-1,0', '1e9,45,-1,0,-1,0'])).toMatch(/R_s and R_p differ at normal incidence; metal has R_p = \+1 here/) // prettier-ignore
  })
})

it('the names pec and conductor are metal, media that are built in are there', async () => {
  const library = await openMaterials({ default: 'pec' }, 'materials.json', folder, new FilesHash())
  for (const name of ['pec', 'conductor'])
    expect(materialNamed(name, library, 'test')).toBe(PERFECT_CONDUCTOR)
  expect(materialNamed('glass:4mm', library, 'test').kind).toBe('sheet')
})

it('what is wrong is said on one line', async () => {
  const l = { thickness_m: 0.001, eps_r: 4 }
  const cases: [object, RegExp][] = [
    [{ layers: [{ ...l, thickness_m: -0.001 }] }, /a\.layers\.0\.thickness_m: -0.001 is negative; give 0 or more/],
    [{ layers: [{ eps_r: 4 }] }, /a\.layers\.0\.thickness_m: /],
    [{ layers: [{ ...l, eps_r: [4, 0.2] }] }, /a\.layers\.0\.eps_r: its imaginary part is 0.2, a gain: losses are negative with exp\(\+jwt\); change its sign/],
    [{ layers: [l, { ...l, mu_r: { freq_hz: [1e9, 2e9], re: [1, 1], im: [0, 0.1] } }] }, /a\.layers\.1\.mu_r: its imaginary part is 0.1, a gain/],
    [{ layers: [{ ...l, tan_delta: -0.1 }] }, /a\.layers\.0\.tan_delta: -0.1 is negative/],
    [{ layers: [{ ...l, sigma_s_per_m: -1 }] }, /a\.layers\.0\.sigma_s_per_m: -1 is negative/],
    [{ layers: [{ ...l, eps_r: [4, -1], tan_delta: 0.1 }] }, /a\.layers\.0: tan_delta and the imaginary part of eps_r say the same/],
    [{ layers: [{ ...l, eps_r: [4] }] }, /a\.layers\.0\.eps_r: give a number, \[re, im\], or/],
    [{ layers: [{ ...l, eps_r: 0 }] }, /a\.layers\.0: eps and mu must not be 0/],
    [{ layers: [{ ...l, eps_r: { freq_hz: [1e9, 2e9], re: [4] } }] }, /a\.layers\.0\.eps_r: re has 1 values for 2 of freq_hz/],
    [{ layers: [{ ...l, eps_r: { freq_hz: [2e9, 1e9], re: [4, 5] } }] }, /eps_r: freq_hz must ascend; 1000000000 follows 2000000000/],
    [{ layers: [{ ...l, eps_r: { freq_hz: [1e9, 2e9], re: [4, 5] }, mu_r: { freq_hz: [3e9], re: [1] } }] }, /a\.layers\.0: freq_hz of its values do not overlap: one begins at 3000000000 Hz/],
    [{ layers: [{ ...l, eps_rr: 3 }] }, /a\.layers\.0: .*eps_rr.*did you mean eps_r/],
    [{ layers: [{ ...l, colour: 3 }] }, /a\.layers\.0: .*"colour"/],
    [{ layers: [{ ...l, medium: 'glass' }] }, /a\.layers\.0: medium gives eps and mu; leave eps_r out/],
    [{ layers: [{ medium: 'glas', thickness_m: 1 }] }, /a\.layers\.0: there is no medium "glas" \(did you mean glass\?\)/],
    [{ layers: [l], backing: 'metal' }, /a\.backing: .*"pec"\|"none"/],
    [{ layers: [] }, /a\.layers: nothing is there to reflect; give a layer, or "backing": "pec"/],
    [{ surface_impedance_ohm: -5 }, /a\.surface_impedance_ohm: the resistance is -5, a gain; give 0 or more/],
    [{ sheet_impedance_ohm: [-1, 5] }, /a\.sheet_impedance_ohm: the resistance is -1, a gain/],
    [{ sheet_impedance_ohm: 0 }, /a\.sheet_impedance_ohm: a sheet of 0 ohm is metal/],
    [{ sheet_impedance_ohm: { freq_hz: [1e9, 2e9], re: [0, 0], im: [-5, 5] } }, /a\.sheet_impedance_ohm: a sheet of 0 ohm is metal/],
    [{ sheet_impedance_ohms: 5 }, /a: .*sheet_impedance_ohms.*did you mean sheet_impedance_ohm/],
    [{ tabel: 'a.csv' }, /a: .*tabel.*did you mean table/],
  ] // prettier-ignore
  for (const [a, message] of cases) {
    const refused = await refusal({ a })
    expect(refused, JSON.stringify(a)).toBeInstanceOf(InputError)
    expect(refused.message).toMatch(message)
    expect(refused.message).toMatch(/^materials\.json: materials\.a[^\n]*$/)
  }
})
