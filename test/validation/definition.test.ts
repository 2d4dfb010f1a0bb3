import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { angles, needsData, readColumns, readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'
import { chooseCases } from '../../src/validate/job.js'

const folders = packageFolders()
const all = readDefinitions(folders.validation)

describe('validation cases', () => {
  it('are whole: reference files and columns are there', () => {
    for (const d of all) {
      if ('mesh' in d && 'file' in d.mesh)
        expect(existsSync(join(folders.validation, d.mesh.file))).toBe(true)
      if ('mesh' in d && 'sample' in d.mesh)
        expect(existsSync(join(folders.samples, `${d.mesh.sample}.stl`))).toBe(true)
      const files =
        d.kind === 'profile'
          ? d.cuts.map(({ file }) => file)
          : d.kind === 'layered-sphere'
            ? [`${d.file}_mono.csv`, `${d.file}_bistatic_ka60.csv`]
            : []
      for (const file of files) expect(readColumns(join(folders.validation, file)).rows).toBeGreaterThan(5)
      if (d.kind !== 'cut' || d.reference.file === undefined) continue
      const table = readColumns(join(folders.validation, d.reference.file))
      for (const column of [d.x.column, ...Object.values(d.reference.sigma)])
        expect(table.column(column).length).toBe(table.rows)
    }
  })

  it('hold every method-of-moments cut to limits, with and without edges', () => {
    const cuts = all.filter(
      (d) => d.kind === 'cut' && d.solver.method !== 'mom' && d.reference.file?.startsWith('mom/'),
    )
    expect(cuts.length).toBe(23)
    for (const d of cuts)
      if (d.kind === 'cut')
        for (const of of ['sbr', 'total'] as const)
          for (const channel of ['vv', 'hh'] as const) expect(d.limits?.[of]?.[channel]).toBeGreaterThan(0)
  })

  it('hold strips of materials to what physical optics and endless edges have against the method of moments, and no looser', () => {
    const published = readColumns(join(folders.validation, 'materials/po_errors.csv'))
    const texts = (name: string): string[] => published.texts(name)
    const [body, width, pol, side, cut] = ['body', 'w_lambda', 'pol', 'side', 'cut'].map(texts)
    const [db, complex, edge] = ['po_db', 'po_complex', 'edge_complex'].map(published.column)
    const rowOf = (name: string, channel: string, bistatic: boolean): number =>
      body.findIndex(
        (b, i) =>
          b === name &&
          width[i] === '3' &&
          pol[i] === (channel === 'vv' ? 'TM' : 'TE') &&
          side[i] !== 'bare' &&
          cut[i] === (bistatic ? 'bistatic inc 60' : 'mono 30-90'),
      )
    let held = 0
    for (const d of all) {
      if (d.kind !== 'profile' || !d.name.startsWith('strip-')) continue
      const name = d.name.slice(6).replaceAll('-', '_')
      for (const { bistatic, limits } of d.cuts)
        for (const channel of ['vv', 'hh'] as const) {
          const row = rowOf(name, channel, bistatic)
          expect(limits[channel]!.db).toBeCloseTo(db[row] + 0.3, 2)
          expect(limits[channel]!.complex).toBeCloseTo(1.1 * complex[row], 4)
          held++
        }
    }
    expect(held).toBe(36)
    let gated = 0
    for (const d of all) {
      if (d.kind !== 'profile' || !d.name.startsWith('edges-') || d.limitsAre !== 'requirement') continue
      const name = d.name.slice(6).replaceAll('-', '_')
      expect(d.cuts.map(({ limits }) => 'vv' in limits)).toEqual([true, true])
      for (const { bistatic, limits } of d.cuts)
        for (const channel of ['vv', 'hh'] as const) {
          const limit = limits[channel]?.complex
          // The references set gates of H along the edges of sheets alone.
          expect(limit !== undefined).toBe(channel === 'vv' || !name.startsWith('coat'))
          if (limit === undefined) continue
          expect(limit).toBeCloseTo(1.2 * edge[rowOf(name, channel, bistatic)], 4)
          gated++
        }
    }
    expect(gated).toBe(14)
  })

  it('say whose their limits are, where they have any', () => {
    const guards = all.filter((d) => d.limitsAre === 'guard')
    expect(guards.length).toBe(65)
    for (const d of guards) expect(d.basis).toMatch(/measured|prototype/)
    // What the method reached anywhere, whatever is added to it, is no requirement.
    for (const d of all) if (d.limitsAre === 'requirement') expect(d.basis).not.toMatch(/measured|prototype/)
    for (const d of all) expect(d.limitsAre === undefined).toBe(d.basis.startsWith('none'))
  })

  it('are chosen by level, by name whatever the level, and by group', () => {
    const at = (names: string[], level: 'quick' | 'standard' | 'full', data = false): string[] =>
      chooseCases(all, names, { level, data }).chosen.map((d) => d.name)
    expect(at([], 'quick')).not.toContain('ship-10ghz-phi0')
    expect(at([], 'standard')).toContain('ship-10ghz-phi0')
    expect(at([], 'standard')).not.toContain('aircraft-a-100ghz')
    expect(at([], 'full')).toContain('aircraft-a-100ghz')
    expect(at(['aircraft-a-100ghz'], 'quick')).toEqual(['aircraft-a-100ghz'])
    expect(at(['paper-002'], 'quick')).toContain('trihedral-square-1m-phi45')
    expect(at([], 'full').some((n) => n.includes('austin'))).toBe(false)
    expect(at([], 'full', true).filter((n) => n.includes('austin')).length).toBe(all.filter(needsData).length)
  })

  it('are computed by full wave where asked: its own group, named cuts without limits, and nothing else', () => {
    const by = { level: 'standard', data: false, method: 'mom' } as const
    const own = chooseCases(all, [], by).chosen
    expect(own.map(({ name }) => name)).toEqual(chooseCases(all, ['full-wave'], by).chosen.map(({ name }) => name)) // prettier-ignore
    expect(own.length).toBeGreaterThan(3)
    expect(own.every((d) => 'solver' in d && d.solver.method === 'mom' && d.limitsAre === 'requirement')).toBe(true) // prettier-ignore
    const { chosen, left } = chooseCases(all, ['ogive-3lam', 'invariants'], by)
    expect(chosen).toMatchObject([{ name: 'ogive-3lam', solver: { method: 'mom' } }])
    expect('limits' in chosen[0] && chosen[0].limits).toBeUndefined()
    expect(left.length).toBeGreaterThan(3)
    expect(left.every(({ why }) => why === 'not for --method mom' || why === 'only with --full')).toBe(true)
  })

  it('are refused by a name that is none, with the groups there are', () => {
    expect(() => chooseCases(all, ['cube'], { level: 'quick', data: false })).toThrow(/"cube".*--list.*mom/)
  })

  it('are refused where a definition does not fit, by file and field', () => {
    const folder = mkdtempSync(join(tmpdir(), 'isar-test-'))
    const { source, ...without } = all[0]
    void source
    writeFileSync(join(folder, 'x.json'), JSON.stringify([without]))
    expect(() => readDefinitions(folder)).toThrow(/x\.json.*source/)
  })

  it('take angles of a range with both ends', () => {
    expect(angles({ from: 0, to: 1, step: 0.25 })).toEqual([0, 0.25, 0.5, 0.75, 1])
    expect(angles(7)).toEqual([7])
  })
})
