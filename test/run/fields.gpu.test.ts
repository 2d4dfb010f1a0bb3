import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Hooks } from '../../run/job.js'
import { computeRcs } from '../../run/rcs.js'
import { memoryStore } from '../../run/results.js'
import { resolveSettings, type SolverSettings } from '../../run/settings/settings.js'
import { C0 } from '../../scene/index.js'

/*
 * Fields of small cases as the version before computed them. A change that is meant to leave results as they are moves none of them by more
 * than TOLERANCE of its case's peak. ISAR_FIELDS=1 writes them anew: the changelog says why then.
 */
const FILE = 'test/run/fields.json'
const TOLERANCE = 1e-9

interface Case {
  name: string
  mesh: string
  /** Wavelengths in a metre. */
  perMetre: number
  settings?: SolverSettings
  bistatic?: boolean
}

const MESHES: [mesh: string, perMetre: number][] = [
  ['cube', 2],
  ['dihedral', 3],
  ['plate', 3],
  ['trihedral-square', 2.5],
  ['trihedral-triangular', 3],
  ['sphere', 1],
  ['missile', 4],
  ['drone', 8],
  ['vehicle', 2],
]
const MATERIALS = ['painted', 'muddy', 'salisbury', 'radome', 'canopy', 'gold-film', 'tyre']
const library = { materials: 'samples/materials.json' }
const of = (name: string): SolverSettings => ({ ...library, material: [name] })

/** Variants of one target, by name. */
const CUBE: Record<string, SolverSettings> = {
  johansen: { diffraction: 'tw-ildc-j' },
  untruncated: { diffraction: 'eec', secondOrder: [] },
  'without edges': { diffraction: 'none' },
  'first order': { secondOrder: [] },
  'exit polygon': { formulation: 'exit' },
  'physical optics': { maxBounces: 1 },
  'phase centre': { phaseCentre: [0.3, -0.2, 0.5] },
  'fine tubes': { raysPerWavelength: 17, subdivisions: 0 },
  'direct summation': { frequencyTolerance: 0 },
  'narrow wedges': { maxWedgeAngleDeg: 60 },
  gpueco: { method: 'gpueco', pixels: 64 },
  mom: { method: 'mom' },
}
const GROUND: Record<string, SolverSettings> = {
  'over a conductor': { ground: 'pec', groundHeight: -0.5 },
  'over wet ground': { ground: 'wet-ground', groundHeight: -0.6 },
  'over rough concrete': { ground: 'concrete', groundHeight: -0.7, groundRoughness: 0.02 },
}

const CASES: Case[] = [
  ...MESHES.flatMap(([mesh, perMetre]) => [
    { name: mesh, mesh, perMetre },
    { name: `${mesh}, bistatic`, mesh, perMetre, bistatic: true },
  ]),
  ...MATERIALS.flatMap((material) => [
    { name: `plate of ${material}`, mesh: 'plate', perMetre: 3, settings: of(material) },
    { name: `dihedral of ${material}`, mesh: 'dihedral', perMetre: 2, settings: of(material) },
  ]),
  ...Object.entries(CUBE).map(([name, settings]) => ({ name: `cube, ${name}`, mesh: 'cube', perMetre: name === 'mom' ? 0.5 : 2, settings })), // prettier-ignore
  ...Object.entries(GROUND).flatMap(([name, settings]) => [
    { name: `vehicle ${name}`, mesh: 'vehicle', perMetre: 3.5, settings },
    { name: `dihedral ${name}`, mesh: 'dihedral', perMetre: 3.5, settings },
  ]),
  { name: 'sphere, curved patches', mesh: 'sphere', perMetre: 1, settings: { curvedDeg: 20 } },
  ...[
    ['cube', {}],
    ['dihedral', {}],
    ['trihedral-square', { formulation: 'exit' as const }],
    ['plate', of('radome')],
    ['dihedral', { ground: 'pec', groundHeight: -0.6 }],
    ['cube', { method: 'gpueco' as const, pixels: 64 }],
  ].map(([mesh, settings], i) => ({ name: `gpu ${i}: ${mesh as string}`, mesh: mesh as string, perMetre: 2, settings: { ...(settings as SolverSettings), device: 'gpu' as const } })), // prettier-ignore
]

const writes = Boolean(process.env.ISAR_FIELDS)
const kept: Record<string, string> = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>)
  : {}

/** Fields of a case by mechanism: two frequencies, one aspect, all channels [m]. */
async function fieldsOf({
  mesh,
  perMetre,
  settings = {},
  bistatic,
}: Case): Promise<Record<string, Float64Array>> {
  const parts = settings.method !== 'mom' && settings.device !== 'gpu'
  const resolved = resolveSettings({ device: 'cpu', mechanisms: parts, ...settings })
  const { table, closed } = await computeRcs(
    `samples/${mesh}.stl`,
    {
      freqHz: [C0 * perMetre, 1.1 * C0 * perMetre],
      tx: { theta: [67], phi: [23] },
      ...(bistatic && { rx: { theta: [52], phi: [71] } }),
    },
    { ...resolved, workers: 0 },
    { store: memoryStore, hooks: new Hooks({}) },
  )
  await closed
  return Object.fromEntries(Object.entries(table.fields).map(([name, [first]]) => [name, first]))
}

const encoded = (values: Float64Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64')
const decoded = (text: string): Float64Array =>
  new Float64Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)

describe('fields are those of the version before, to 1e-9 of the peak', () => {
  it.each(CASES.map((one) => [one.name, one] as const))('%s', async (name, one) => {
    const fields = await fieldsOf(one)
    const peak = Math.max(...Object.values(fields).flatMap((values) => Array.from(values, Math.abs)))
    expect(peak).toBeGreaterThan(1e-6)
    for (const [mechanism, values] of Object.entries(fields)) {
      const key = `${name}: ${mechanism}`
      // Mechanisms that the target does not have.
      if (mechanism !== 'total' && values.every((x) => x === 0)) {
        if (writes) delete kept[key]
        expect(kept[key], key).toBeUndefined()
        continue
      }
      if (writes) {
        kept[key] = encoded(values)
        continue
      }
      const before = decoded(kept[key] ?? '')
      expect(values.length, key).toBe(before.length)
      const apart = values.reduce((most, x, i) => Math.max(most, Math.abs(x - before[i])), 0)
      expect(apart / peak, key).toBeLessThanOrEqual(TOLERANCE)
    }
  })

  it('every mechanism, and nothing else, has its field', () => {
    const mechanisms = new Set(Object.keys(kept).map((key) => key.slice(key.lastIndexOf(': ') + 2)))
    const names = ['total', 'b1', 'b2', 'edge', 'reflected', 'wall', 'double', 'edge-wave', 'corner', 'travelling', 'creeping'] // prettier-ignore
    expect([...mechanisms]).toEqual(expect.arrayContaining(names))
    const cases = new Set(CASES.map(({ name }) => name))
    const others = Object.keys(kept).filter((key) => !cases.has(key.slice(0, key.lastIndexOf(': '))))
    if (writes) {
      for (const key of others) delete kept[key]
      const sorted = Object.keys(kept).sort()
      writeFileSync(
        FILE,
        `${JSON.stringify(Object.fromEntries(sorted.map((key) => [key, kept[key]])), null, 2)}\n`,
      )
    } else expect(others).toEqual([])
  })
})
