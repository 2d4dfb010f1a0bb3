import { WHOLE } from '../../src/validate/solve.js'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from 'fast-png'
import { describe, expect, it } from 'vitest'
import { packageFolders } from '../../src/validate/meshes.js'
import { readDefinitions, type Definition, type Outcome } from '../../src/validate/definition.js'
import { caseFigure, casePng, indexedPng, markdownReport, markdownTable } from '../../src/validate/report.js'
import { dbErrors } from '../../src/validate/errors.js'
import { caseRecord, runDefinition } from '../../src/validate/run-case.js'
import { svgToPng } from '../../views/figures/node.js'

const folders = packageFolders()
const all = readDefinitions(folders.validation)
const inline = { device: 'cpu', workers: 0 } as const
const named = (name: string): Definition => structuredClone(all.find((d) => d.name === name)!)

describe('cases', () => {
  it('a cut within its limits passes; against a shifted reference it misses', async () => {
    const d = named('plate-5lam-po-phi0')
    if (d.kind !== 'cut') throw new Error('not a cut')
    d.reference.every = 5
    const outcome = await runDefinition(d, folders, inline)
    const record = caseRecord(d, outcome, [], 1, 'x')
    expect(record.verdict).toBe('met')
    expect(record.rows.map((r) => r.what)).toEqual(['VV', 'HH'])

    const folder = mkdtempSync(join(tmpdir(), 'isar-test-'))
    const [head, ...lines] = readFileSync(join(folders.validation, d.reference.file!), 'utf8')
      .trim()
      .split('\n')
    const shifted = lines.map((line) => line.split(',').map((x, c) => (c < 2 ? x : String(Number(x) + 0.5))))
    writeFileSync(join(folder, 'shifted.csv'), [head, ...shifted.map((l) => l.join())].join('\n'))
    d.reference.file = undefined
    d.reference.data = 'shifted.csv'
    const off = caseRecord(d, await runDefinition(d, packageFolders(folder), inline), [], 1, 'x')
    expect(off.verdict).toBe('missed')
    // Half a decibel, but where both curves are clipped.
    expect(off.rows[0].errors.biasDb).toBeLessThan(record.rows[0].errors.biasDb - 0.25)
  })

  it('a two-dimensional profile is scaled to its length: the flash of a strip is right to 0.2 dB', async () => {
    const d = named('strip-3lam')
    if (d.kind !== 'cut') throw new Error('not a cut')
    d.reference.where = { column: d.x.column, from: 88, to: 90 }
    const { rows } = await runDefinition(d, folders, inline)
    for (const row of rows) expect(row.errors.maxDb).toBeLessThan(0.2)
  })

  it('a bistatic cut has its own transmitter, and a part stated apart counts for its channels alone', async () => {
    const d = named('strip-3lam-bistatic-60')
    if (d.kind !== 'cut') throw new Error('not a cut')
    d.reference.every = 15
    const whole = (await runDefinition(d, folders, inline)).rows.filter((r) => r.method === WHOLE)
    expect(whole.map((r) => r.what)).toEqual(['VV', 'HH'])
    for (const { errors } of whole) expect(errors.rmsDb).toBeLessThan(0.7)
    d.apart = [{ from: 100, to: 270, mechanism: 'the flashes', channels: ['hh'] }]
    // Monostatic, the same table is something else altogether.
    d.reference.tx = undefined
    const mono = (await runDefinition(d, folders, inline)).rows.filter((r) => r.method === WHOLE)
    expect(mono.map((r) => r.what)).toEqual(['VV', 'HH, whole cut', 'HH, away from the flashes'])
    expect(mono[1].errors.points).toBe(whole[1].errors.points)
    expect(mono[2].errors.points).toBeLessThan(mono[1].errors.points)
    for (const { errors } of mono.slice(0, 2)) expect(errors.rmsDb).toBeGreaterThan(3)
  })

  it('a coated plate has its closed form, over frequency and angle, and another coating has not', async () => {
    const d = named('salisbury-screen-band')
    if (d.kind !== 'faces') throw new Error('no faces')
    const record = caseRecord(d, await runDefinition(d, folders, inline), [], 1, 'x')
    expect(record.verdict).toBe('met')
    expect(Math.max(...record.rows.map((r) => r.errors.maxDb))).toBeLessThan(1e-4)
    d.phi = 60
    const aside = await runDefinition(d, folders, inline)
    for (const { errors } of aside.rows) expect(errors.complex).toBeLessThan(0.01)
    expect(aside.rows[0].errors.correlation).not.toBe(aside.rows[1].errors.correlation)
    d.faces[0].distanceM = 0.001
    const shifted = caseRecord(d, await runDefinition(d, folders, inline), [], 1, 'x')
    expect(shifted.verdict).toBe('missed')
    expect(shifted.rows[0].errors.rmsDb).toBeLessThan(0.1)
  })

  it('a strip is compared in amplitude and phase with its own material', async () => {
    const d = named('strip-diel-thin')
    if (d.kind !== 'profile') throw new Error('no profile')
    for (const cut of d.cuts) cut.every = 10
    const errors = async (): Promise<number[]> =>
      (await runDefinition(d, folders, inline)).rows.map((r) => r.errors.complex!)
    const right = await errors()
    expect(right).toHaveLength(4)
    for (const error of right) expect(error).toBeLessThan(0.15)
    d.mesh = { ...d.mesh, material: ['conductor'] }
    for (const error of await errors()) expect(error).toBeGreaterThan(0.5)
  })

  it('edges of a material count where a profile asks for them, and its limits are theirs', async () => {
    const d = named('edges-resistive-100')
    if (d.kind !== 'profile') throw new Error('no profile')
    d.cuts = [{ ...d.cuts[0], every: 30 }]
    const { rows, panels, note } = await runDefinition(d, folders, inline)
    expect(rows.map((r) => r.method)).toEqual(['SBR', 'SBR + TW-ILDC', 'SBR', 'SBR + TW-ILDC'])
    rows.forEach(({ errors, limit }, i) => {
      if (i % 2 === 0) expect(errors.complex).toBeGreaterThan(0.04)
      else expect(errors.complex).toBeLessThan(0.01)
      expect(limit !== undefined).toBe(i % 2 === 1)
    })
    expect(panels[0].series.map((s) => s.name)).toEqual(['SBR + TW-ILDC', 'SBR', 'method of moments'])
    expect(note).toContain('50 wavelengths')
  })

  it('a target behind a sheet is seen twice through it, which a wrong thickness shows', async () => {
    const d = named('radome-half-wave-trihedral')
    if (d.kind !== 'behind-sheet') throw new Error('no sheet')
    d.theta = { from: 44.7356, to: 64.7356, step: 10 }
    d.solver.raysPerWavelength = 8
    const { rows } = await runDefinition(d, folders, inline)
    // A coarser lattice than the case's own.
    for (const { errors } of rows) expect(errors.maxDb).toBeLessThan(0.2)
    d.mesh = { ...d.mesh, material: ['radome=glass:4mm'] }
    d.sheet.surface = 'glass:4mm'
    const other = await runDefinition(d, folders, inline)
    expect(other.panels[0].series[0].y[1]).toBeLessThan(other.panels[0].series[1].y[1] - 0.3)
    for (const { errors } of other.rows.filter((r) => r.limit === undefined || r.limit.metric === 'rms'))
      expect(errors.rmsDb).toBeLessThan(0.5)
  })

  it('a layered sphere agrees with its Mie series, and one of metal does not', async () => {
    const d = named('sphere-dielectric-lossy')
    if (d.kind !== 'layered-sphere') throw new Error('no sphere')
    d.ka = { from: 20, to: 20, step: 8 }
    d.bistatic = []
    const means = async (): Promise<number> =>
      Math.abs((await runDefinition(d, folders, inline)).rows[0].errors.biasDb)
    expect(await means()).toBeLessThan(0.2)
    d.material = 'conductor'
    expect(await means()).toBeGreaterThan(5)
  })

  it('invariants: scaling and rotation are exact, and a wrong rotation is not', async () => {
    const d = named('rotation-z')
    if (d.kind !== 'invariant') throw new Error('not an invariant')
    d.phi = { from: 10, to: 30, step: 10 }
    d.freqHz = 1.5e9
    expect(caseRecord(d, await runDefinition(d, folders, inline), [], 1, 'x').verdict).toBe('met')
    d.mesh = { model: 'square-trihedral', size: [0.3] }
    d.theta = 55
    d.freqHz = 3e9
    d.check = 'rotation'
    d.values = [21, -34, 77]
    // Tubes lie otherwise on the target: close, not exact.
    const { rows } = await runDefinition(d, folders, inline)
    for (const row of rows) {
      expect(row.errors.rmsDb).toBeLessThan(0.1)
      expect(row.errors.complex).toBeLessThan(0.02)
      expect(row.errors.rmsDb).toBeGreaterThan(1e-6)
    }
  })

  it('the figure has every curve, and the PNG has the picture', async () => {
    const d = named('plate-3lam-phi30')
    if (d.kind !== 'cut') throw new Error('not a cut')
    d.reference.every = 10
    const outcome = await runDefinition(d, folders, inline)
    const figure = caseFigure(d, outcome)!
    for (const text of [WHOLE, 'SBR', 'method of moments', 'VV', 'HH', d.title])
      expect(figure).toContain(text)
    const { width, height } = decode(await casePng(figure))
    expect(width).toBeGreaterThan(800)
    expect(height).toBeGreaterThan(250)
    const record = caseRecord(d, outcome, [d.name], 1.23, 'x')
    const pages = markdownReport(
      { version: 'x', cases: [record], left: [{ name: 'other', why: 'because' }] },
      all,
    )
    expect(Object.keys(pages)).toEqual(['validation.md', 'validation/method-of-moments.md'])
    expect(pages['validation/method-of-moments.md']).toContain('../figures/validation/plate-3lam-phi30.png')
    expect(pages['validation.md']).toContain('because: other')
  })
})

describe('verdicts', () => {
  const outcome = (maxDb: number): Outcome => ({
    rows: [{ what: 'VV', method: 'SBR', errors: dbErrors([0, maxDb - 20], [0, -20]), limit: { metric: 'max', db: 0.5 } }], // prettier-ignore
    panels: [],
    device: 'none',
  })
  const verdict = (limitsAre: Definition['limitsAre'], maxDb: number): string =>
    caseRecord({ ...named('disc-ka5'), limitsAre }, outcome(maxDb), [], 1, 'x').verdict

  it('tell requirements set from outside from guards of a version’s own figures', () => {
    expect([verdict('requirement', 0.4), verdict('requirement', 0.6)]).toEqual(['met', 'missed'])
    expect([verdict('guard', 0.4), verdict('guard', 0.6)]).toEqual(['unchanged', 'changed'])
    expect(() => verdict(undefined, 0.4)).toThrow(/disc-ka5.*limitsAre/)
    const of = (limitsAre: Definition['limitsAre'], maxDb: number) =>
      caseRecord({ ...named('disc-ka5'), limitsAre }, outcome(maxDb), [], 1, 'x')
    const cases = [of('requirement', 0.4), of('guard', 0.4), of('guard', 0.6)]
    const pages = markdownReport({ version: 'x', cases, left: [] }, all)
    const [page, text] = [pages['validation.md'], pages['validation/bodies-of-revolution.md']]
    expect(page).toMatch(/requirement met 1, missed 0\.\n- Guards.*unchanged 1, changed 1\./)
    expect(page).toContain('- [disc-ka5](validation/bodies-of-revolution.md#disc-ka5): **changed**')
    expect(page).toMatch(/\| 1 requirement met, 1 unchanged, 1 \*\*changed\*\* +\|/)
    expect(text).toMatch(/\| requirement met +\|/)
    expect(text).toMatch(/\| \*\*changed\*\* +\|/)
  })

  it('every table has the rms at three floors and, with amplitudes, the complex error', async () => {
    const d = named('plate-3lam-phi30')
    if (d.kind !== 'cut') throw new Error('not a cut')
    d.reference.every = 10
    const record = caseRecord(d, await runDefinition(d, folders, inline), [], 1, 'x')
    for (const { errors } of record.rows) {
      expect(errors.rmsAtFloors).toHaveLength(3)
      expect(errors.rmsAtFloors[0]).toBeCloseTo(errors.rmsDb, 12)
      expect(errors.complex).toBeGreaterThan(0)
    }
    const text = markdownReport({ version: 'x', cases: [record], left: [] }, all)[
      'validation/method-of-moments.md'
    ]
    expect(text).toMatch(/\| rms −30 \| rms −45 \| rms −60 \| correlation \| +‖ΔF‖ \|/)
  })
})

describe('report', () => {
  it('pads its columns', () => {
    expect(
      markdownTable(
        ['a', 'bb'],
        [
          ['θ', '1'],
          ['long', '22'],
        ],
        [1],
      ),
    ).toBe(['| a    |  bb |', '| ---- | --: |', '| θ    |   1 |', '| long |  22 |'].join('\n'))
  })

  it('keeps the picture when it cuts the colours', async () => {
    const png = await svgToPng(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="20" height="20" fill="#0072b2"/></svg>',
      1,
    )
    const small = decode(indexedPng(png))
    expect([small.width, small.height, small.palette?.length]).toEqual([40, 20, 2])
    const colour = (x: number): number[] => Array.from(small.palette![small.data[x]])
    expect(colour(30)).toEqual([255, 255, 255])
    colour(10).forEach((v, c) => expect(Math.abs(v - [0, 0x72, 0xb2][c])).toBeLessThanOrEqual(9))
  })
})
