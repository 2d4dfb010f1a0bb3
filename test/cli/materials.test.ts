import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, rcs, readJson, temporaryFolder } from './cli.js'
import { TWO_MATERIALS, WINDOW, write } from './fixtures.js'

const folder = temporaryFolder()
const mesh = write(folder, 'plate.obj', TWO_MATERIALS)
const library = write(folder, 'materials.json', WINDOW)

describe('isar materials', () => {
  it('lists the groups of a mesh, their facets, areas and materials', async () => {
    const args = ['materials', mesh, '--units', 'mm', '--materials', library, '--material', 'cfrp']
    const run = await isar`${args} --json`
    expect(JSON.parse(run.stdout)).toEqual([
      { group: 'plate/steel', facets: 1, area_m2: expect.closeTo(2e-6, 12) as number, material: 'cfrp' },
      { group: 'plate/pane', facets: 1, area_m2: expect.closeTo(2e-6, 12) as number, material: 'window' },
    ])
    const table = await isar(args)
    expect(table.stdout).toMatch(/^group +facets +area \[m²\] +material\nplate\/steel +1 +0.000002 +cfrp\n/)
  })

  it('lists materials that are built in, with their sources, and those of a file', async () => {
    const run = await isar`materials list --materials ${library}`
    expect(run.code).toBe(0)
    for (const line of [/^conductor +metal/m, /^window +sheet/m, /^plastic +medium +1 to 2 /m, /^concrete +medium +1 to 100 +.*P\.2040/m])
      expect(run.stdout).toMatch(line) // prettier-ignore
    const names = (JSON.parse((await isar`materials list --json`).stdout) as { name: string }[]).map(
      (m) => m.name,
    )
    for (const name of ['glass', 'ptfe', 'fr4', 'brick', 'cfrp', 'magnetic-absorber'])
      expect(names).toContain(name)
  })

  it('draws R and T over angle and frequency', async () => {
    const out = join(folder, 'figures')
    const run = await isar`materials plot glass:4mm --band 8GHz:12GHz --theta 0,45 --out ${out} --json`
    expect(run.code, run.stderr).toBe(0)
    const svg = readFileSync(join(out, 'material-glass-4mm.svg'), 'utf8')
    for (const text of ['glass:4mm', '10 GHz', 'Angle of incidence [deg]', 'Frequency [GHz]', '|T|² s, 45°'])
      expect(svg).toContain(text)
    expect(existsSync(join(out, 'material-glass-4mm.png'))).toBe(true)
    expect((await isar`materials plot glass:4mm --freq 9GHz --out ${out}`).stderr).toMatch(/--force/)
  })

  it('draws a material of layers', async () => {
    const out = join(folder, 'layers')
    const skin = { layers: [{ thickness_m: 0.003, eps_r: [4, -0.4] }] }
    const file = write(folder, 'layers.json', { materials: { skin } })
    const run = await isar`materials plot skin --materials ${file} --freq 10GHz --out ${out}`
    expect(run.code, run.stderr).toBe(0)
    expect(readFileSync(join(out, 'material-skin.svg'), 'utf8')).toContain('|T|²')
  })

  it('prints the schema of materials files', async () => {
    const { stdout } = await isar`materials schema`
    expect(JSON.parse(stdout)).toEqual(readJson('samples/materials.schema.json'))
  })
})

describe('runs of targets that do not conduct alone', () => {
  const cube = 'samples/cube.stl'

  it('record what they were told', async () => {
    const { meta } = await rcs`${mesh} --freq 0.5GHz --device cpu --quiet --material pane=conductor`
    expect(meta.options.material).toEqual(['pane=conductor'])
  })

  it('are the same of either form of a coating, and of pec as without materials', async () => {
    const mu_r = { freq_hz: [1e8, 2e9], re: [1.5, 1.5] }
    const file = write(folder, 'forms.json', {
      materials: {
        own: { coating: [{ eps_real: 6, eps_imag: -1.5, mu_real: 1.5, thickness_m: 0.01 }] },
        plain: { layers: [{ eps_r: 6, tan_delta: 0.25, mu_r, thickness_m: 0.01 }], backing: 'pec' },
      },
    })
    const csv = async (...more: string[]): Promise<string> =>
      (await rcs`${cube} --freq 0.3GHz --theta 60 --phi 20,35 --device cpu --quiet ${more}`).text
    const [own, plain] = [await csv('--materials', file, '--material', 'own'), await csv('--materials', file, '--material', 'plain')] // prettier-ignore
    expect(plain).toBe(own)
    const bare = await csv()
    expect(own).not.toBe(bare)
    for (const name of ['pec', 'conductor']) expect(await csv('--material', name)).toBe(bare)
    expect(await csv('--materials', file)).toBe(bare)
    expect(await csv('--second-order', 'none')).not.toBe(bare)
  })

  it('and conductors are reciprocal: with transmitter and receiver exchanged a bistatic result is the same', async () => {
    const row = async (from: string[], to: string[], ...more: string[]): Promise<Record<string, string>> =>
      (await rcs`${cube} --freq 0.4GHz --theta ${from[0]} --phi ${from[1]} --rx-theta ${to[0]} --rx-phi ${to[1]} --device cpu --quiet ${more}`).rows[0] // prettier-ignore
    const [a, b] = [['60', '20'], ['85', '70']] // prettier-ignore
    for (const of of [['--material', 'magnetic-absorber'], []]) {
      const [there, back] = [await row(a, b, ...of), await row(b, a, ...of, '--schedule', 'serial')]
      for (const part of ['re', 'im']) {
        for (const channel of ['vv', 'hh']) expect(back[`f_${channel}_${part}`]).toBe(there[`f_${channel}_${part}`]) // prettier-ignore
        expect(back[`f_hv_${part}`]).toBe(there[`f_vh_${part}`])
        expect(back[`f_vh_${part}`]).toBe(there[`f_hv_${part}`])
      }
    }
    const alone = ['--diffraction', 'none']
    expect((await row(a, b, ...alone)).f_vv_re).not.toBe((await row(b, a, ...alone)).f_vv_re)
  })

  it('of sheets that no wave passes are those of a conductor, edges too', async () => {
    const levels = async (...args: string[]): Promise<number[]> => {
      const { rows } = await rcs`samples/plate.stl --freq 3GHz --theta 65 --device cpu ${args}`
      return [Number(rows[0].sigma_vv_dbsm), Number(rows[0].sigma_hh_dbsm)]
    }
    const conductor = await levels('--second-order', 'none')
    const rays = await levels('--diffraction', 'none')
    expect(Math.abs(rays[0] - conductor[0])).toBeGreaterThan(5)
    for (const [material, within] of Object.entries({
      'metal:1um': 0.05,
      'metal:10um': 0.02,
      'cfrp:1mm': 0.2,
    })) {
      const found = await levels('--material', material)
      const error = found.map((x, i) => Math.abs(x - conductor[i]))
      expect(Math.max(...error), material).toBeLessThan(within)
    }
  })

  it('are checked, with what becomes of the power', async () => {
    const run = await rcs<{
      check: { energy: { error: number }; power: Record<string, number> }
    }>`${mesh} --freq 1GHz --theta 20 --device cpu --check --materials ${library}`
    expect(run.stdout + run.stderr).toMatch(/^check +power: \d.* leaves, .*; no facet amplifies$/m)
    expect(run.meta.check.energy.error).toBeLessThan(0.02)
    const { leaves, absorbed, ended, cut_off } = run.meta.check.power
    expect(leaves + absorbed + ended + cut_off).toBeCloseTo(1, 9)
    expect(absorbed).toBeGreaterThan(1e-4)
  })

  it('are drawn by gpueco in double precision', async () => {
    const args = `${cube} --freq 1GHz --theta 70 --phi 20 --method gpueco --pixels 64`.split(' ')
    const bare = await rcs`${args} --device cpu`
    const coated = await rcs`${args} --material concrete`
    expect(coated.stderr).toMatch(/cpu, double precision/)
    const sigma = ({ rows }: typeof bare): number => Number(rows[0].sigma_vv_dbsm)
    expect(sigma(coated)).toBeLessThan(sigma(bare) - 3)
  })

  it('with a thickness and permittivity as functions have the RCS of the same relaxation, and meta.json keeps the text', async () => {
    const coat = (name: string, medium: object, thickness_m: number | string): string =>
      write(folder, name, {
        media: { m: medium },
        materials: { coat: { coating: [{ medium: 'm', thickness_m }] } },
        default: 'coat',
      })
    const plain = coat('plain.json', { debye: { eps_infinity: 2, eps_static: 6, eps_relaxation_hz: 2e9 } }, 0.0254) // prettier-ignore
    const own = coat('own.json', { eps_r: '2 + 4 / (1 + i f / (2 GHz))' }, '1 in')
    const [a, b] = await Promise.all([plain, own].map((materials) =>
      rcs<{ mesh: object }>`${cube} --band 0.4:0.6GHz:3 --phi 20,40 --materials ${materials} --device cpu --rays-per-wavelength 4`)) // prettier-ignore
    const numbers = ({ text }: { text: string }): number[] => text.trim().split(/[\n,]/).map(Number)
    const wanted = numbers(a)
    expect(wanted.length).toBeGreaterThan(60)
    // Cross-polar levels are those of rounding.
    numbers(b).forEach((x, i) => Number.isFinite(wanted[i]) && expect(Math.max(x, -250)).toBeCloseTo(Math.max(wanted[i], -250), 5)) // prettier-ignore
    expect(b.meta.mesh).toHaveProperty('expressions', {
      'media.m.eps_r': '2 + 4 / (1 + i f / (2 GHz))',
      'materials.coat.coating.0.thickness_m': '1 in',
    })
    expect(a.meta.mesh).not.toHaveProperty('expressions')
  })
})

it('mathjs is loaded for texts with units alone', async () => {
  const env = { NODE_DEBUG: 'module' }
  for (const line of ['--help', 'rcs --help', 'materials list --materials samples/materials.json'])
    expect((await isar(line.split(' '), { env })).stderr).not.toContain('mathjs')
  const path = write(folder, 'inch.json', {
    materials: { a: { sheet: [{ medium: 'glass', thickness_m: '1 in' }] } },
  })
  expect((await isar(['materials', 'list', '--materials', path], { env })).stderr).toContain('mathjs')
})
