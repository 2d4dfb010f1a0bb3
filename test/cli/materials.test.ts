import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, readCsv, readJson, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const folder = temporaryFolder()
/** A square of 2 m of two materials. */
const mesh = join(folder, 'plate.obj')
writeFileSync(
  mesh,
  'v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\no plate\nusemtl steel\nf 1 2 3\nusemtl pane\nf 1 3 4\n',
)
const library = join(folder, 'materials.json')
writeFileSync(
  library,
  JSON.stringify({
    media: { plastic: { frequency_hz: [1e9, 2e9], eps_real: [3, 2.9], loss_tangent: 0.01 } },
    materials: { window: { sheet: [{ medium: 'plastic', thickness_m: 0.005 }] } },
    groups: { pane: 'window' },
  }),
)

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
    const file = join(folder, 'layers.json')
    writeFileSync(file, JSON.stringify({ materials: { skin: { layers: [{ thickness_m: 0.003, eps_r: [4, -0.4] }] } } })) // prettier-ignore
    const run = await isar`materials plot skin --materials ${file} --freq 10GHz --out ${out}`
    expect(run.code, run.stderr).toBe(0)
    expect(readFileSync(join(out, 'material-skin.svg'), 'utf8')).toContain('|T|²')
  })

  it('prints the schema of materials files', async () => {
    const { stdout } = await isar`materials schema`
    expect(JSON.parse(stdout)).toEqual(readJson('samples/materials.schema.json'))
  })

  it('says on one line what is wrong', async () => {
    const cases: [string[], RegExp][] = [
      [[mesh, '--material', 'pan=glass:4mm'], /has no group "pan" \(did you mean pane\?\); it has plate\/steel, plate\/pane/],
      [[mesh, '--material', 'pane=glas:4mm'], /no material "glas:4mm" \(did you mean glass\?\)/],
      [[mesh, '--material', '=glass'], /write GROUP=MATERIAL/],
      [[mesh, '--materials', join(folder, 'none.json')], /none\.json/],
      [[mesh, '--units', 'parsec'], /--units.*parsec/],
      [['plot', 'window', '--materials', library, '--band', '1e9:3e9'], /medium "plastic" is given for 1 to 2 GHz, not for 2\.\d+ GHz/],
      [['plot', 'window', '--freq', '1GHz'], /there is no material "window"/],
      [['plot', 'glass'], /give --freq f or --band f0:f1/],
      [['plot', 'glass', '--freq', '1GHz', '--theta', '95'], /--theta 95: give angles from the normal, 0 to 90/],
    ] // prettier-ignore
    for (const [args, message] of cases) await expectRefusal(['materials', ...args], message, folder)
  })
})

describe('runs of targets that do not conduct alone', () => {
  it('record what they were told', async () => {
    const out = join(folder, 'metal')
    const rcs = ['rcs', mesh, '--freq', '1GHz', '--device', 'cpu', '--quiet', '--out', out]
    expect((await isar`${rcs} --material pane=conductor`).code).toBe(0)
    const meta = readJson<{
      options: { material: string[] }
    }>(join(out, 'meta.json'))
    expect(meta.options.material).toEqual(['pane=conductor'])
  })

  it('are the same of either form of a coating, and of pec as without materials', async () => {
    const file = join(folder, 'forms.json')
    writeFileSync(
      file,
      JSON.stringify({
        materials: {
          own: { coating: [{ eps_real: 6, eps_imag: -1.5, mu_real: 1.5, thickness_m: 0.01 }] },
          plain: {
            layers: [{ eps_r: 6, tan_delta: 0.25, mu_r: { freq_hz: [1e8, 2e9], re: [1.5, 1.5] }, thickness_m: 0.01 }],
            backing: 'pec',
          },
        },
      }),
    ) // prettier-ignore
    const out = join(folder, 'forms.csv')
    const csv = async (...more: string[]): Promise<string> => {
      const run =
        await isar`rcs ${resolve('samples/cube.stl')} --freq 0.5GHz --theta 60 --phi 20,35 --device cpu --quiet --force --out ${out} ${more}`
      expect(run.code, run.stderr).toBe(0)
      return readFileSync(out, 'utf8')
    }
    const [own, plain] = [await csv('--materials', file, '--material', 'own'), await csv('--materials', file, '--material', 'plain')] // prettier-ignore
    expect(plain).toBe(own)
    const bare = await csv()
    expect(own).not.toBe(bare)
    for (const name of ['pec', 'conductor']) expect(await csv('--material', name)).toBe(bare)
    expect(await csv('--materials', file)).toBe(bare)
    expect(await csv('--second-order', 'none')).not.toBe(bare)
  })

  it('and conductors are reciprocal: with transmitter and receiver exchanged a bistatic result is the same', async () => {
    const out = join(folder, 'bistatic.csv')
    const row = async (from: string[], to: string[], ...more: string[]): Promise<Record<string, string>> => {
      const run =
        await isar`rcs ${resolve('samples/cube.stl')} --freq 0.6GHz --theta ${from[0]} --phi ${from[1]} --rx-theta ${to[0]} --rx-phi ${to[1]} --device cpu --quiet --force --out ${out} ${more}`
      expect(run.code, run.stderr).toBe(0)
      return readCsv(out)[0]
    }
    const [a, b] = [
      ['60', '20'],
      ['85', '70'],
    ]
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
      const out = join(folder, 'opaque.csv')
      const plate = words`rcs ${resolve('samples/plate.stl')} --freq 3GHz --theta 65 --device cpu`
      expect((await isar`${plate} ${args} --force --out ${out}`).code).toBe(0)
      return readFileSync(out, 'utf8').trim().split('\n')[1].split(',').slice(3, 5).map(Number) // prettier-ignore
    }
    const conductor = await levels('--second-order', 'none')
    const rays = await levels('--diffraction', 'none')
    expect(Math.abs(rays[0] - conductor[0])).toBeGreaterThan(5)
    for (const [material, within] of [
      ['metal:1um', 0.05],
      ['metal:10um', 0.02],
      ['cfrp:1mm', 0.2],
    ] as const) {
      // prettier-ignore
      const error = (await levels('--material', material)).map((x, i) => Math.abs(x - conductor[i]))
      expect(Math.max(...error), material).toBeLessThan(within)
    }
  })

  it('are checked, with what becomes of the power', async () => {
    const out = join(folder, 'checked')
    const rcs = ['rcs', mesh, '--freq', '1GHz', '--theta', '20', '--device', 'cpu', '--check', '--out', out]
    const run = await isar`${rcs} --materials ${library}`
    expect(run.code, run.stderr).toBe(0)
    expect(run.stdout + run.stderr).toMatch(/^check +power: \d.* leaves, .*; no facet amplifies$/m)
    const { check } = readJson<{
      check: { energy: { error: number }; power: Record<string, number> }
    }>(join(out, 'meta.json'))
    expect(check.energy.error).toBeLessThan(0.02)
    const { leaves, absorbed, ended, cut_off } = check.power
    expect(leaves + absorbed + ended + cut_off).toBeCloseTo(1, 9)
    expect(absorbed).toBeGreaterThan(1e-4)
  })

  it('are refused before they begin where a material is not given for their band', async () => {
    const rcs = ['rcs', mesh, '--device', 'cpu', '--out', join(folder, 'no'), '--materials', library]
    for (const [frequencies, wrong] of [
      [['--freq', '3GHz'], '3'],
      [['--band', '1.5e9:2.5e9:2'], '2\\.\\d+'],
    ] as const)
      await expectRefusal([...rcs, '--quiet', ...frequencies], new RegExp(`medium "plastic" is given for 1 to 2 GHz, not for ${wrong} GHz; take other frequencies`), folder) // prettier-ignore
  })

  it('are drawn by gpueco in double precision, but for sheets', async () => {
    const cube = resolve('samples/cube.stl')
    const out = join(folder, 'drawn.csv')
    const line = words`rcs ${cube} --freq 1GHz --theta 70 --phi 20 --method gpueco --pixels 64 --out ${out} --force`
    const rcs = (...more: string[]) => isar`${line} ${more}`
    const sigma = (): number => Number(readCsv(out)[0].sigma_vv_dbsm)
    expect((await rcs('--device', 'cpu')).code).toBe(0)
    const bare = sigma()
    const coated = await rcs('--material', 'concrete')
    expect(coated.code).toBe(0)
    expect(coated.stderr).toMatch(/cpu, double precision/)
    expect(sigma()).toBeLessThan(bare - 3)
    for (const [more, why] of [
      [['--material', 'glass:4mm'], /--method gpueco follows no waves through sheets/],
      [
        ['--material', 'concrete', '--device', 'gpu'],
        /--method gpueco computes materials in double precision alone; take --device cpu/,
      ],
    ] as const)
      await expectRefusal([...line, '--quiet', ...more], why, folder)
  })
})
