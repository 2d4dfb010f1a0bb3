import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isar, temporaryFolder, readJson } from './cli.js'

interface Written {
  cases: { name: string; verdict: string; rows: { passed: boolean | null }[] }[]
  left: { name: string }[]
}

const read = (folder: string): Written => readJson<Written>(join(folder, 'validation.json'))

describe('isar validate', () => {
  it('writes report, figures and summary; does not overwrite; updates', async () => {
    const out = join(temporaryFolder(), 'v')
    const args = ['validate', '--device', 'cpu', '--out', out]
    const first = await isar`${args} plate-5lam-po-phi0 disc-ka5 --json`
    expect(first.stderr).toContain('met       plate-5lam-po-phi0')
    expect(first.stderr).toContain('unchanged disc-ka5')
    expect(first.code).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({
      cases: 2,
      met: ['plate-5lam-po-phi0'],
      unchanged: ['disc-ka5'],
      missed: [],
      changed: [],
    })
    const { cases } = read(out)
    expect(cases[0].rows.map((r) => r.passed)).toEqual([true, true])
    for (const ending of ['svg', 'png'])
      expect(existsSync(join(out, 'figures', 'validation', `disc-ka5.${ending}`))).toBe(true)
    expect(readFileSync(join(out, 'validation.md'), 'utf8')).toContain('(validation/plates-and-profiles.md)')
    expect(readFileSync(join(out, 'validation/plates-and-profiles.md'), 'utf8')).toContain(
      '### plate-5lam-po-phi0',
    )

    const again = await isar`${args} plate-2x1lam-phi90`
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/validation\.md exists; give --force/)

    // As an interrupted run with --force leaves it, over a finished one.
    mkdirSync(join(out, '.partial'))
    copyFileSync(join(out, 'validation.json'), join(out, '.partial', 'validation.json'))
    const resumed = await isar`${args} plate-5lam-po-phi0 disc-ka5 --figures none --resume --json`
    expect(resumed.code).toBe(0)
    expect(JSON.parse(resumed.stdout)).toMatchObject({ cases: 2 })
    expect(existsSync(join(out, '.partial'))).toBe(false)

    // And over none: what is kept is not dropped unasked.
    const interrupted = join(temporaryFolder(), 'v')
    mkdirSync(join(interrupted, '.partial'), { recursive: true })
    copyFileSync(join(out, 'validation.json'), join(interrupted, '.partial', 'validation.json'))
    const anew = await isar`validate disc-ka5 --device cpu --out ${interrupted}`
    expect(anew.code).toBe(2)
    expect(anew.stderr).toMatch(/holds an interrupted run; give --resume to continue it or --force/)
    expect(existsSync(join(interrupted, '.partial', 'validation.json'))).toBe(true)

    const update = await isar`${args} plate-2x1lam-phi90 --update --figures none`
    expect(update.code).toBe(0)
    expect(read(out).cases.map((c) => c.name)).toEqual([
      'plate-2x1lam-phi90',
      'plate-5lam-po-phi0',
      'disc-ka5',
    ])
  })

  it('exits 1 and names the case where one misses its limit', async () => {
    // Data of the same name as that of a case, and another curve.
    const folder = temporaryFolder()
    const file = 'IIA_pec_plate_zero_thickness_sx1_f10_5120MHz_ref.csv'
    const rows = [0, 45, 90].map((a) => `${a},90,5.12e9,30,30`)
    writeFileSync(
      join(folder, file),
      ['angle_deg,theta_deg,freq_hz,sigma_vv_dbsm,sigma_hh_dbsm', ...rows].join('\n'),
    )
    const plate = readFileSync('test/validation/mom/plate_3lam.stl')
    writeFileSync(join(folder, 'plate_IIA_sx1_6in_zyplane.stl'), plate)
    const out = join(folder, 'v')
    const run = await isar`validate austin-plate-5ghz --data ${folder} --device cpu --out ${out}`
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/1 of 1 cases missed their requirement or changed: austin-plate-5ghz/)
    expect(read(out).cases[0].verdict).toBe('missed')
  })

  it('leaves out what needs data with a line', async () => {
    const out = join(temporaryFolder(), 'v')
    const without =
      await isar`validate austin-plate-5ghz plate-3lam-phi30 --device cpu --figures none --out ${out}`
    expect(without.code).toBe(0)
    expect(without.stderr).toContain(
      'skipped   1 case: needs the UT Austin RCS suite, --data DIR: 1 of austin',
    )
    expect(read(out).left.map((l) => l.name)).toEqual(['austin-plate-5ghz'])
  })

  it('lists its cases', async () => {
    const { stdout, code } = await isar`validate --list`
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ship-10ghz-phi0 +standard .*paper-003/m)
  })
})
