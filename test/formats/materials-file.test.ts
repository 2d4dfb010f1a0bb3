import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FilesHash, type MaterialsDescription } from '../../formats/index.js'
import { openMaterials, readMaterials } from '../../formats/materials-file.js'
import { InputError } from '../../scene/index.js'
import { type MaterialLibrary, materialNamed, slab } from '../../scene/materials/index.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()

const open = (description: MaterialsDescription | object): Promise<MaterialLibrary> =>
  openMaterials(description, 'materials.json', folder, new FilesHash())
const at = (library: MaterialLibrary, name: string, f = 10e9, c = 0.7): number[] => {
  const out = new Float64Array(8)
  slab(materialNamed(name, library, 'test'), f, c, out)
  return [...out]
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

  it('is refused with one line that says what is wrong, where, and what helps', async () => {
    const layer = { eps_real: 4, thickness_m: 0.001 }
    const cases: [object, RegExp][] = [
      [{ materials: { a: { sheet: [{ ...layer, thickness_m: -0.001 }] } } }, /materials\.a\.sheet\.0\.thickness_m: -0.001 is negative; give 0 or more/],
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
      [{ materials: { 'a:b': { sheet: [layer] } } }, /no equals sign, colon/],
      [{ materials: { a: { coating: [layer], facets: 'metal' } } }, /facets.*did you mean facet/],
      [{ matrials: {} }, /matrials.*did you mean materials/],
    ] // prettier-ignore
    for (const [description, message] of cases) {
      const refused = await open(description).then(
        () => new Error('accepted'),
        (error: Error) => error,
      )
      expect(refused, JSON.stringify(description)).toBeInstanceOf(InputError)
      expect(refused.message).toMatch(message)
      expect(refused.message).toMatch(/^materials\.json: /)
    }
    const path = join(folder, 'bad.json')
    await writeFile(path, '{"media":')
    await expect(readMaterials(path, new FilesHash())).rejects.toThrow(/bad.json is not JSON/)
    for (const bytes of [Buffer.from('\ufeff{}', 'utf16le'), Buffer.from('\ufeff{}', 'utf16le').swap16()]) {
      await writeFile(path, bytes)
      await expect(readMaterials(path, new FilesHash())).rejects.toThrow(
        /bad.json is in UTF-16; save it as UTF-8/,
      )
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
  const table = async (lines: string[], more: object = {}): Promise<MaterialLibrary> => {
    await writeFile(join(folder, 'panel.csv'), lines.join('\n'))
    return open({
      materials: {
        t: { table: 'panel.csv', transmits: true, p_convention: 'H', thickness_m: 0.004, ...more },
      },
    })
  }
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
