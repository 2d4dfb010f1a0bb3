import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { SECOND_ORDER } from '../../cpu-diffraction/index.js'
import { createProgram } from '../../src/cli/program.js'
import { solverOptions } from '../../src/cli/options.js'
import { optionsTable } from '../../src/cli/shell/describe.js'
import type { RcsOptions } from '../../src/index.js'
import { FAST } from '../../run/sweep-job.js'
import { openMesh } from '../../run/mesh-source.js'
import { parsed } from '../helpers/help.js'
import { leftOut, withSecondOrder } from '../../run/solver.js'
import {
  resolveSettings,
  type ResolvedSettings,
  type SolverSettings,
  strip,
  stripForDataset,
} from '../../run/settings/settings.js'

/** A plate of two groups. */
const plate = {
  positions: Float64Array.of(0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0),
  indices: Uint32Array.of(0, 1, 2, 0, 2, 3),
  groups: Uint32Array.of(0, 1),
  groupNames: ['hull', 'nose'],
}

const ofPlate = async (settings: ResolvedSettings) =>
  withSecondOrder(settings, (await openMesh(plate, settings, 1)).target)

/** What a run of these options records, in the order of its key. */
const recorded = async (options: string): Promise<string> => {
  const program = await createProgram((name) => name === 'rcs')
  let given: ResolvedSettings
  program.commands
    .find((c) => c.name() === 'rcs')!
    .action((_, raw: Record<string, unknown>) => {
      given = solverOptions(raw)
    })
  await program.parseAsync(['rcs', 'x.stl', ...options.split(' ').filter(Boolean)], { from: 'user' })
  return JSON.stringify(strip({ ...(await ofPlate(given!)) }))
}

describe('records of runs', () => {
  // The key that --resume checks is made of these bytes: older runs could not be resumed if they changed.
  it.each([
    [
      '',
      '{"device":"auto","method":"sbr","sbr":{"raysPerWavelength":10,"maxBounces":50,"subdivisions":2,"formulation":"all-bounces","sumTolerance":0.00001},"units":"m","smoothAngleDeg":20,"diffraction":"tw-ildc","maxWedgeAngleDeg":160,"secondOrder":["reflected","wall","double","edge-wave","corner","travelling","creeping"],"mechanisms":false,"traversal":"auto","channels":["vv","hh","vh","hv"],"phaseCentre":[0,0,0]}',
    ],
    [
      '--method gpueco --pixels 64 --pol hh,VV --units mm --workers 2 --schedule serial --sub-grid 64 --no-cache --out x --quiet',
      '{"device":"auto","method":"gpueco","pixels":64,"sbr":{"raysPerWavelength":10,"maxBounces":1,"subdivisions":2,"formulation":"all-bounces","sumTolerance":0.00001},"units":"mm","smoothAngleDeg":20,"diffraction":"eec","maxWedgeAngleDeg":160,"secondOrder":[],"mechanisms":false,"traversal":"auto","channels":["vv","hh"],"phaseCentre":[0,0,0]}',
    ],
    [
      '--curved --smooth-angle 15 --second-order wall,reflected --mechanisms --frequency-tolerance 0 --phase-centre 1,2,-3.5 --check',
      '{"device":"auto","method":"sbr","sbr":{"raysPerWavelength":10,"maxBounces":50,"subdivisions":2,"formulation":"all-bounces","frequencySum":"direct"},"units":"m","smoothAngleDeg":15,"curvedDeg":15,"diffraction":"tw-ildc","maxWedgeAngleDeg":160,"secondOrder":["reflected","wall"],"mechanisms":true,"traversal":"auto","channels":["vv","hh","vh","hv"],"phaseCentre":[1,2,-3.5]}',
    ],
  ])('keep their bytes: %s', async (options, bytes) => {
    expect(await recorded(options)).toBe(bytes)
  })

  it('keep their bytes in datasets', () => {
    expect(
      JSON.stringify(
        stripForDataset(resolveSettings({ curvedDeg: 30, device: 'cpu', workers: 3, secondOrder: [] })),
      ),
    ).toBe(
      '{"method":"sbr","sbr":{"raysPerWavelength":10,"maxBounces":50,"subdivisions":2,"formulation":"all-bounces","sumTolerance":0.00001},"smoothAngleDeg":20,"curvedDeg":30,"diffraction":"tw-ildc","maxWedgeAngleDeg":160,"secondOrder":[]}',
    )
  })
})

describe('second order where nothing is said', () => {
  const materials = { materials: { glass: { sheet_impedance_ohm: 300 } } }
  const grounds = { materials: { wet: { surface_impedance_ohm: 100 } } }
  const of = async (given: SolverSettings): Promise<string[]> =>
    (await ofPlate(resolveSettings(given))).secondOrder

  it.each<SolverSettings>([
    {},
    { diffraction: 'tw-ildc', method: 'sbr', maxBounces: 2 },
    { material: ['pec', 'nose=conductor'] },
    { materials },
    { materials, material: ['nose=pec'] },
    { materials: { ...materials, groups: { hull: 'conductor' } } },
    { material: ['glass:4mm', 'hull=pec', 'nose=pec'] },
    // At conductors alone.
    { material: ['pec', 'nose=glass:4mm'] },
    { materials: { ...materials, groups: { hull: 'glass' } } },
    { ground: 'pec', groundHeight: -1 },
    { materials: grounds, ground: 'conductor', groundHeight: -1 },
  ])('is on with %j', async (given) => {
    expect(await of(given)).toEqual(SECOND_ORDER)
  })

  it('is switched off by an empty list', async () => {
    expect(await of({ secondOrder: [] })).toEqual([])
    expect(await of(FAST)).toEqual([])
  })

  it.each<SolverSettings>([
    { method: 'gpueco' },
    { method: 'gpueco', diffraction: 'tw-ildc' },
    { formulation: 'exit' },
    { diffraction: 'tw-ildc-j' },
    { diffraction: 'eec' },
    { diffraction: 'none' },
    { material: ['glass:4mm'] },
    { materials, material: ['glass'] },
    { ground: 'pec', groundHeight: -1, groundRoughness: 0.01 },
    { materials: grounds, ground: 'wet', groundHeight: -1 },
  ])('is off with %j', async (given) => {
    expect(await of(given)).toEqual([])
  })

  it('says what is left out, and why', async () => {
    const omitted = async (given: SolverSettings) => {
      const { target } = await openMesh(plate, resolveSettings(given), 1)
      return leftOut(withSecondOrder(resolveSettings(given), target), target)
    }
    expect(await omitted({ material: ['pec', 'nose=conductor'] })).toBeUndefined()
    expect(await omitted({ material: ['nose=glass:4mm'] })).toMatchObject({
      mechanisms: [],
      materials: ['glass:4mm'],
    })
    expect(await omitted({ material: ['glass:4mm'] })).toEqual({
      mechanisms: SECOND_ORDER,
      why: 'no facet is a perfect conductor',
    })
    expect((await omitted({ formulation: 'exit' }))?.why).toBe('formulation exit')
    expect(await omitted({ secondOrder: ['wall'] })).toBeUndefined()
  })

  it('is off on the command line with "none"', async () => {
    expect(JSON.parse(await recorded('--second-order None'))).toMatchObject({ secondOrder: [] })
    expect(await recorded('--second-order travelling,wall')).toContain('"secondOrder":["wall","travelling"]')
  })
})

it('the library’s type has the values of the declarations, all optional', () => {
  expectTypeOf<SolverSettings['device']>().toEqualTypeOf<'auto' | 'gpu' | 'cpu' | undefined>()
  expectTypeOf<SolverSettings['phaseCentre']>().toEqualTypeOf<readonly [number, number, number] | undefined>()
  expectTypeOf<{ freqHz: number; channels: readonly ['vv'] }>().toExtend<RcsOptions>()
  expectTypeOf<{ freqHz: number; channels: ['vx'] }>().not.toExtend<RcsOptions>()
})

it('docs/options.md is the table that the declarations make (npm run docs)', () => {
  expect(readFileSync('docs/options.md', 'utf8')).toBe(optionsTable())
})

describe('help', () => {
  const help = async (command: string, option: string): Promise<string> =>
    (await parsed([command, option])).text
  const headings = (text: string): string[] =>
    [...text.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, name]) => name)
  const linesOfOptions = (text: string): string[] =>
    text
      .slice(text.indexOf('Sweep:'))
      .split('\n')
      .filter((line) => line.startsWith('  '))

  it.each(['render', 'rcs'])(
    'of %s shows the basic options in groups, on at most 20 lines',
    async (command) => {
      const text = await help(command, '--help')
      expect(headings(text)).toEqual(['Arguments', 'Sweep', 'Accuracy', 'Output', 'Run'])
      expect(linesOfOptions(text).length).toBeLessThanOrEqual(20)
      for (const option of ['--theta', '--rays-per-wavelength', '--pol', '--out', '--device', '--help-all'])
        expect(text).toContain(` ${option}`)
    },
  )

  it.each(['render', 'rcs', 'dataset'])(
    'of %s shows every option under --help-all, paper variants and the cluster last',
    async (command) => {
      const text = await help(command, '--help-all')
      expect(
        headings(text)
          .filter((name) => name !== 'Commands')
          .slice(-4),
      ).toEqual(['Output', 'Run', 'Paper variants', 'Cluster'])
      const program = await createProgram((name) => name === command)
      const { options } = program.commands.find((c) => c.name() === command)!
      for (const { long, hidden } of options)
        if (!hidden) expect(text).toMatch(new RegExp(`^ .*${long}\\b`, 'm'))
      expect(text).toMatch(
        /Paper variants:\n(.+\n)*? {2}--formulation(.+\n)*? {2}--traversal(.+\n)*\nCluster:\n {2}--cluster/,
      )
    },
  )

  it('of dataset also lists its commands', async () => {
    expect(await help('dataset', '--help')).toMatch(/\nCommands:\n {2}verify (.*\n)+ {2}schema /)
  })
})
