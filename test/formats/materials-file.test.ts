import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FilesHash, type MaterialsDescription } from '../../formats/index.js'
import { openMaterials, readMaterials } from '../../formats/materials-file.js'
import { InputError } from '../../scene/index.js'
import { type MaterialLibrary, materialNamed, PERFECT_CONDUCTOR, slab } from '../../scene/materials/index.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()

const open = (description: MaterialsDescription | object): Promise<MaterialLibrary> =>
  openMaterials(description, 'materials.json', folder, new FilesHash())
const at = (library: MaterialLibrary, name: string, f = 10e9, c = 0.7, back = false): number[] => {
  const out = new Float64Array(8)
  slab(materialNamed(name, library, 'test'), f, c, out, back)
  return [...out]
}

/** Both forms of a material have the same coefficients, from both sides. */
async function expectSame(
  plain: object,
  own: object,
  frequencies = [8e9, 9.1e9, 10e9, 12e9],
  media = {},
): Promise<void> {
  const library = await open({ materials: { plain, own }, media })
  for (const f of frequencies)
    for (const c of [1, 0.7, 0.3, 0])
      for (const back of [false, true]) {
        const wanted = at(library, 'own', f, c, back)
        at(library, 'plain', f, c, back).forEach((x, k) =>
          expect(Math.abs(x - wanted[k]), `${f} Hz, c ${c}`).toBeLessThanOrEqual(1e-15),
        )
      }
}

/** A table of coefficients as a material of that name. */
async function openTable(lines: string[], more: object): Promise<MaterialLibrary> {
  await writeFile(join(folder, 'panel.csv'), lines.join('\n'))
  return open({ materials: { t: { table: 'panel.csv', ...more } } })
}

describe('a materials file', () => {
  it('names media and materials of every kind', async () => {
    const path = join(folder, 'good.json')
    const description: MaterialsDescription = {
      media: {
        foam: { eps_real: 1.06, loss_tangent: 0.0005 },
        ram: {
          frequency_hz: [8e9, 12e9],
          eps_real: 12,
          eps_imag: [-0.5, -0.7],
          mu_real: [2.4, 2],
          mu_imag: -1.6,
        },
        relaxing: { debye: { eps_infinity: 2, eps_static: 6, eps_relaxation_hz: 10e9 } },
      },
      materials: {
        coated: { coating: [{ medium: 'ram', thickness_m: 0.0015 }], facet: 'metal', sides: 'front' },
        screen: { coating: [{ resistance_ohm: 377 }, { eps_real: 1, thickness_m: 0.0075 }] },
        canopy: {
          sheet: [
            { medium: 'glass', thickness_m: 0.004 },
            { resistance_ohm: 30, reactance_ohm: 5 },
          ],
        },
        wall: { half_space: 'concrete', coating: [{ medium: 'foam', thickness_m: 0.01 }] },
        ground: { half_space: { eps_real: 15, conductivity_s_per_m: 0.1 } },
        lossy: { surface_impedance: { resistance_ohm: 40, reactance_ohm: 25 } },
        soft: { sheet: [{ medium: 'relaxing', thickness_m: 0.001 }] },
      },
      groups: { roof: 'wall' },
      default: 'coated',
    }
    await writeFile(path, JSON.stringify(description))
    const files = new FilesHash()
    const library = await readMaterials(path, files)
    expect(files.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect([...library.materials.keys()]).toEqual(Object.keys(description.materials!))
    expect([...library.groups]).toEqual([['roof', 'wall']])
    expect(library.standard).toBe('coated')
    expect(library.materials.get('coated')).toMatchObject({
      kind: 'opaque',
      facet: 'metal',
      sides: 'front',
      backing: 'conductor',
      stack: [{ medium: { name: 'ram' }, thickness: 0.0015 }],
    })
    expect(library.materials.get('screen')).toMatchObject({ facet: 'outer', sides: 'both' })
    for (const name of library.materials.keys())
      for (const x of at(library, name)) expect(x).toBeLessThanOrEqual(1)
    // Tables are linear in frequency: in the middle they are the mean.
    const mean = await open({
      materials: {
        coated: {
          coating: [{ eps_real: 12, eps_imag: -0.6, mu_real: 2.2, mu_imag: -1.6, thickness_m: 0.0015 }],
          facet: 'metal',
        },
        soft: { sheet: [{ eps_real: 4, eps_imag: -2, thickness_m: 0.001 }] },
      },
    })
    for (const name of ['coated', 'soft'])
      at(library, name).forEach((x, k) => expect(x).toBeCloseTo(at(mean, name)[k], 14))
  })

  const l = { thickness_m: 0.001, eps_r: 4 }
  const plain = { eps_real: 4, thickness_m: 0.001 }
  const refused = async (description: object, says: RegExp): Promise<void> => {
    const opening = open(description)
    await expect(opening).rejects.toThrow(InputError)
    await expect(opening).rejects.toThrow(says)
    await expect(opening).rejects.toThrow(/^materials\.json: [^\n]*$/)
  }

  it.each<[object, RegExp]>([
    [{ materials: { a: { sheet: [{ ...plain, thickness_m: -0.001 }] } } }, /materials\.a\.sheet\.0\.thickness_m: -0.001 is negative; give 0 or more/],
    [{ media: { m: { eps_real: 4, eps_imag: 0.2 } } }, /media\.m: eps_imag is 0.2, a gain: losses are negative with exp\(\+jwt\); change its sign, or give "active": true/],
    [{ media: { m: { eps_real: 4, mu_imag: 0.2 } } }, /mu_imag is 0.2, a gain/],
    [{ media: { m: { eps_real: 4, loss_tangent: -0.2 } } }, /eps_imag is 0.8, a gain/],
    [{ media: { m: { eps_real: 4, conductivity_s_per_m: -1 } } }, /conductivity_s_per_m is -1, a gain: losses are positive/],
    [{ materials: { a: { sheet: [{ resistance_ohm: -5 }] } } }, /a\.sheet\.0: resistance_ohm is -5, a gain/],
    [{ materials: { a: { sheet: [{}] } } }, /a\.sheet\.0: .*0 ohm is metal/],
    [{ materials: { a: { sheet: [{ medium: 'glas', thickness_m: 0.001 }] } } }, /a\.sheet\.0: there is no medium "glas" \(did you mean glass\?\)/],
    [{ media: { m: { eps_reel: 4 } } }, /media\.m: .*eps_reel.*did you mean eps_real/],
    [{ media: { m: { loss_tangent: 0.1 } } }, /media\.m: eps_real is missing/],
    [{ media: { m: { eps_real: [4, 5] } } }, /eps_real is a list; give frequency_hz/],
    [{ media: { m: { frequency_hz: [1e9, 2e9, 3e9], eps_real: [4, 5] } } }, /eps_real has 2 values for 3 of frequency_hz/],
    [{ media: { m: { frequency_hz: [2e9, 1e9], eps_real: [4, 5] } } }, /frequency_hz must ascend; 1000000000 follows 2000000000/],
    [{ media: { m: { eps_real: 4, eps_imag: -1, loss_tangent: 0.1 } } }, /eps_imag and loss_tangent say the same/],
    [{ media: { m: { eps_real: 0 } } }, /must not be 0/],
    [{ media: { m: { eps_real: 1e308 } } }, /media\.m\.eps_real: .*beyond/],
    [{ media: { m: { debye: { eps_infinity: -1, eps_static: 0, eps_relaxation_hz: 1e9 } } } }, /eps_static and mu_static must not be 0/],
    [{ media: { m: { eps_real: 2, debye: { eps_infinity: 2, eps_static: 6, eps_relaxation_hz: 1e9 } } } }, /debye gives eps and mu; leave eps_real out/],
    [{ media: { m: { debye: { eps_infinity: 6, eps_static: 2, eps_relaxation_hz: 1e9 } } } }, /static is less than infinity, a gain/],
    [{ materials: { 'a:b': { sheet: [plain] } } }, /no equals sign, colon/],
    [{ materials: { a: { coating: [plain], facets: 'metal' } } }, /facets.*did you mean facet/],
    [{ matrials: {} }, /matrials.*did you mean materials/],
  ])('%j is refused with one line that says what is wrong, where, and what helps', refused) // prettier-ignore

  it.each<[object, RegExp]>([
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
    [{ layers: [{ ...l, eps_r: { freq_hz: [2e9, 1e9], re: [4, 5] } }] }, /a\.layers\.0\.eps_r: freq_hz must ascend; 1000000000 follows 2000000000/],
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
  ])('a material %j is refused so too', (a, says) => refused({ materials: { a } }, new RegExp(`: materials\\.${says.source}`))) // prettier-ignore

  it('that is no JSON, or in UTF-16, is refused', async () => {
    const path = join(folder, 'bad.json')
    const wide = Buffer.from('\ufeff{}', 'utf16le')
    for (const [bytes, says] of [
      ['{"media":', 'bad.json is not JSON'],
      [wide, 'bad.json is in UTF-16; save it as UTF-8'],
      [Buffer.from(wide).swap16(), 'bad.json is in UTF-16; save it as UTF-8'],
    ] as const) {
      await writeFile(path, bytes)
      await expect(readMaterials(path, new FilesHash())).rejects.toThrow(says)
    }
  })

  it('takes gain where it is meant', async () => {
    const library = await open({
      materials: { a: { sheet: [{ eps_real: 2, eps_imag: 0.5, thickness_m: 0.01, active: true }] } },
    })
    const [re, im] = at(library, 'a', 10e9, 1).slice(4)
    expect(Math.hypot(re, im)).toBeGreaterThan(1.2)
  })

  it('does not evaluate a table outside its band', async () => {
    const library = await open({
      media: { m: { frequency_hz: [8e9, 12e9], eps_real: [4, 5] } },
    })
    // An end that was computed, with its rounding.
    expect(at(library, 'm:3mm', 12e9 * (1 + 1e-12))[0]).toBeCloseTo(at(library, 'm:3mm', 12e9)[0], 9)
    expect(() => at(library, 'm:3mm', 12.1e9)).toThrow(
      /medium "m" is given for 8 to 12 GHz, not for 12.1 GHz; take other frequencies/,
    )
  })
})

describe('a table of coefficients', () => {
  const SHEET = { sheet: [{ medium: 'glass', thickness_m: 0.004 }] }
  const HEAD =
    'frequency_hz,theta_deg,r_s_real,r_s_imag,r_p_real,r_p_imag,t_s_real,t_s_imag,t_p_real,t_p_imag'
  /** Rows of a sheet's coefficients at its faces, in the convention asked for. */
  const rowsOf = async (
    frequencies: number[],
    degrees: number[],
    sign = 1,
    conjugate = 1,
  ): Promise<string[]> => {
    const library = await open({ materials: { SHEET } })
    return frequencies.flatMap((f) =>
      degrees.map((d) => {
        const c = Math.cos((d * Math.PI) / 180)
        const v = at(library, 'SHEET', f, c)
        const angle = (-2 * Math.PI * f * c * 0.004) / 299_792_458
        const face = [0, 2, 4, 6].flatMap((k) => {
          const [x, y] = [Math.cos(angle), Math.sin(angle)]
          const s = k === 2 ? sign : 1
          return [s * (v[k] * x - v[k + 1] * y), conjugate * s * (v[k] * y + v[k + 1] * x)]
        })
        return [f, d, ...face].join()
      }),
    )
  }
  const table = (lines: string[], more: object = {}): Promise<MaterialLibrary> =>
    openTable(lines, { transmits: true, p_convention: 'H', thickness_m: 0.004, ...more })
  const frequencies = Array.from({ length: 9 }, (_, i) => 9e9 + 0.25e9 * i)
  const degrees = Array.from({ length: 36 }, (_, i) => 2.5 * i)

  it('is interpolated to 5e-4 of the sheet that it is of, at any angle and frequency within, in either convention', async () => {
    const exact = await open({ materials: { SHEET } })
    for (const [sign, conjugate, more] of [
      [1, 1, {}],
      [-1, 1, { p_convention: 'E' }],
      [1, -1, { time_factor: 'exp(-iwt)' }],
    ] as const) {
      const given = await table(
        [HEAD, ...(await rowsOf(frequencies, degrees, sign, conjugate)).reverse()],
        more,
      )
      for (const f of [9e9, 9.37e9, 10.9e9, 11e9])
        for (const d of [0, 7, 33, 61, 84]) {
          const c = Math.cos((d * Math.PI) / 180)
          const [is, wanted] = [at(given, 't', f, c), at(exact, 'SHEET', f, c)]
          is.forEach((x, k) => expect(Math.abs(x - wanted[k])).toBeLessThan(5e-4))
        }
      // From the last angle to grazing.
      const grazing = at(given, 't', 10e9, 0)
      ;[-1, 0, -1, 0, 0, 0, 0, 0].forEach((x, k) => expect(grazing[k]).toBeCloseTo(x, 12))
    }
  })

  it('is refused where rows are missing or twice, where more comes back than goes in, or the sign of R_p is not said', async () => {
    const rows = await rowsOf(frequencies, degrees)
    await expect(table([HEAD, ...rows.slice(1)])).rejects.toThrow(/323 rows for 9 frequencies and 36 angles/)
    await expect(table([HEAD, ...rows.slice(1), rows[1]])).rejects.toThrow(/twice/)
    await expect(table([HEAD, ...rows], { p_convention: 'E' })).rejects.toThrow(
      /R_s and R_p differ at normal incidence; p_convention says/,
    )
    const more = rows.map((row, i) => (i === 20 ? row.replace(/^([^,]+,[^,]+),[^,]+/, '$1,1.2') : row))
    await expect(table([HEAD, ...more])).rejects.toThrow(/\|R_s\|\^2 \+ \|T_s\|\^2 is .*, more than comes in/)
    await expect(table([HEAD, ...(await rowsOf([10e9], [0, 90]))])).rejects.toThrow(/from 0 to less than 90/)
    await expect(table(rows)).rejects.toThrow(/has no column frequency_hz/)
    await expect(open({ materials: { t: { table: 'none.csv', p_convention: 'H' } } })).rejects.toThrow(
      /none.csv/,
    )
  })

  it('is not evaluated outside its frequencies', async () => {
    const given = await table([HEAD, ...(await rowsOf(frequencies, degrees))])
    expect(() => at(given, 't', 8e9)).toThrow(/table "t" goes from 9 to 11 GHz, not to 8 GHz/)
  })
})

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
    const { materials } = await open({ materials: { plain } })
    expect(materials.get('plain')).toMatchObject({ kind: 'opaque', backing: 'conductor', facet: 'outer', sides: 'both' }) // prettier-ignore
  })

  it('without a backing is a sheet whose facets are its middle plane, the first layer in front', async () => {
    const layers = [{ thickness_m: 0.004, eps_r: 6 }, { thickness_m: 0.002, mu_r: 2 }] // prettier-ignore
    const own = { sheet: [{ thickness_m: 0.004, eps_real: 6 }, { thickness_m: 0.002, eps_real: 1, mu_real: 2 }] } // prettier-ignore
    await expectSame({ layers }, own)
    await expectSame({ layers, backing: 'none' }, own)
    const library = await open({ materials: { plain: { layers } } })
    expect(at(library, 'plain', 1e10, 1)[0]).not.toBeCloseTo(at(library, 'plain', 1e10, 1, true)[0], 2)
    // Air is not there.
    const air = await open({ materials: { plain: { layers: [{ thickness_m: 0.01 }] } } })
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
      undefined,
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
    const library = await open({ materials: { plain: { layers } } })
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
    const library = await open({ materials: { a: { sheet_impedance_ohm: varying } } })
    expect(() => at(library, 'a', 7e9, 1)).toThrow(
      /materials\.a\.sheet_impedance_ohm is given for 8 to 12 GHz, not for 7 GHz; take other frequencies/,
    )
  })
})

describe('a table in plain columns', () => {
  const HEAD = 'freq_hz,theta_deg,rs_re,rs_im,rp_re,rp_im'
  const LONG = `${HEAD},ts_re,ts_im,tp_re,tp_im`
  const rowsOf = async (own: object, columns: number): Promise<string[]> => {
    const library = await open({ materials: { own } })
    return [9e9, 10e9, 11e9].flatMap((f) =>
      Array.from({ length: 19 }, (_, i) => 5 * i).map((d) =>
        [f, d, ...at(library, 'own', f, Math.cos((d * Math.PI) / 180)).slice(0, columns)].join(),
      ),
    )
  }
  const film = { sheet: [{ resistance_ohm: 200 }] }
  const paint = { coating: [{ eps_real: 4, eps_imag: -1, thickness_m: 0.001 }] }

  it('is a sheet where something passes, else opaque; R_p is the ratio of H', async () => {
    const library = await open({ materials: { film, paint } })
    const sheet = await openTable([LONG, ...(await rowsOf(film, 8))], {})
    const opaque = [
      await openTable([HEAD, ...(await rowsOf(paint, 4))], {}),
      await openTable([LONG, ...(await rowsOf(paint, 8))], {}),
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
    for (const [lines, says, more] of [
      [[LONG.replace('tp_im', 'x'), ...rows], /has no column tp_im; its first line must name freq_hz,/],
      [[LONG.replace('rs_re', 'x'), ...rows], /panel\.csv has no column rs_re/],
      [
        [LONG.replace('freq_hz', 'frequency_hz'), ...rows],
        /no column freq_hz.*needs p_convention in materials\.json: materials\.t$/,
      ],
      [[LONG, ...rows], /has no column frequency_hz/, { p_convention: 'H' }],
      [[LONG, ...rows.slice(1)], /53 rows for 3 frequencies and 18 angles/],
      [
        [HEAD, '1e9,0,-1,0,-1,0', '1e9,45,-1,0,-1,0'],
        /R_s and R_p differ at normal incidence; metal has R_p = \+1 here/,
      ],
    ] as [string[], RegExp, object?][])
      // prettier-ignore
      await expect(openTable(lines, more ?? {})).rejects.toThrow(says)
  })
})

it('the names pec and conductor are metal, media that are built in are there', async () => {
  const library = await openMaterials({ default: 'pec' }, 'materials.json', folder, new FilesHash())
  for (const name of ['pec', 'conductor'])
    expect(materialNamed(name, library, 'test')).toBe(PERFECT_CONDUCTOR)
  expect(materialNamed('glass:4mm', library, 'test').kind).toBe('sheet')
})
