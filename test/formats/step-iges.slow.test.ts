import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCad } from '../../formats/cad.js'
import { channelMatrix } from '../../formats/rcs-table.js'
import { readMesh } from '../../formats/index.js'
import { Hooks } from '../../run/job.js'
import { computeRcs } from '../../run/rcs.js'
import { memoryStore } from '../../run/results.js'
import { resolveSettings } from '../../run/settings/settings.js'
import { miePec } from '../../src/validate/kinds/sphere.js'
import { boundingBox, InputError, type Mesh, prepareTarget } from '../../scene/index.js'
import { db, monostatic, oneFrequency, sbrJob, sigma, solve, testScene } from '../helpers/sbr.js'
import { rows } from '../scene/shapes.js'

// parts.step, sphere.igs and edge.igs were written by Open CASCADE 7.6 (DRAW), sphere.step by Gmsh 4.8.
const folder = join(import.meta.dirname, 'cad')
const bytesOf = (name: string): Uint8Array => readFileSync(join(folder, name))

const size = (mesh: Mesh): number[] => {
  const { min, max } = boundingBox(mesh)
  return max.map((x, i) => x - min[i])
}

/** Largest distance of a facet's middle inside a sphere about the origin [m]. */
function sagitta({ positions: p, triangles }: Mesh, radius: number): number {
  let most = 0
  for (let t = 0; t < triangles.length; t += 3) {
    const middle = [0, 1, 2].map(
      (c) => [0, 1, 2].reduce((sum, k) => sum + p[3 * triangles[t + k] + c], 0) / 3,
    )
    most = Math.max(most, radius - Math.hypot(...middle))
  }
  return most
}

test('parts of a STEP assembly are groups, in metres by the unit of the file, and a part of curves is left out by name', async () => {
  const mesh = await readMesh(join(folder, 'parts.step'))
  expect(mesh.groupNames).toEqual(['hull', 'tank'])
  // A box of 1 x 2 x 3 m, and a cylinder of 0.5 m radius about x = 4 m.
  size(mesh).forEach((x, i) => expect(x).toBeCloseTo([4.5, 2.5, 3][i], 6))
  expect(mesh.facetGroup!.filter((g) => g === 0)).toHaveLength(12)
  expect(mesh.leftOut).toBe('parts without surfaces (antenna), curve sets (1)')
  const { report } = prepareTarget(mesh, { smoothAngleDeg: 20 })
  expect(report.boundaryEdges).toBe(0)
})

test('facets of a sphere stay within 1/2000 of its size of it, however far its unit is from a metre', async () => {
  const text = new TextDecoder().decode(bytesOf('sphere.step'))
  const inMetres = text.replace('SI_UNIT(.MILLI.,.METRE.)', 'SI_UNIT($,.METRE.)')
  expect(inMetres).not.toBe(text)
  const large = await readCad('STEP', bytesOf('sphere.step'))
  const huge = await readCad('STEP', new TextEncoder().encode(inMetres))
  expect(large.sagitta).toBeCloseTo(1 / 2000, 5)
  expect(sagitta(large, 0.5)).toBeLessThan(large.sagitta!)
  expect(huge.sagitta! / large.sagitta!).toBeCloseTo(1000, 6)
  expect(sagitta(huge, 500)).toBeLessThan(huge.sagitta!)
  size(large).forEach((x) => expect(x).toBeCloseTo(1, 2))
})

test('a run is told where facets of a STEP file are coarse beside its wavelength, and its results do not go by other frequencies', async () => {
  const of = async (freqHz: number[]) => {
    const notes: string[] = []
    const hooks = new Hooks({ onNote: (_, message) => notes.push(message) })
    const settings = { ...resolveSettings({ device: 'cpu', diffraction: 'none' }), workers: 0 }
    const request = { freqHz, tx: { theta: [90], phi: [20] } }
    const { table, closed } = await computeRcs(join(folder, 'sphere.step'), request, settings, { store: memoryStore, hooks }) // prettier-ignore
    await closed
    return { notes: notes.filter((note) => note.includes('--curved')), field: channelMatrix(table.fields.total, freqHz.length, 'vv').subarray(0, 2) } // prettier-ignore
  }
  const [alone, beside] = [await of([1e9]), await of([1e9, 2.4e10])]
  expect(alone.notes).toEqual([])
  expect(beside.notes).toEqual([
    expect.stringMatching(/^up to 0\.5 mm from the file’s surfaces, 1\/25 of a wavelength: --curved /),
  ])
  beside.field.forEach((x, i) => expect(Math.abs(x - alone.field[i])).toBeLessThan(1e-4 * 0.5))
})

test('an IGES sphere in inches is read in metres and closed', async () => {
  const mesh = await readMesh(join(folder, 'sphere.igs'))
  size(mesh).forEach((x) => expect(x).toBeCloseTo(1, 2))
  expect(sagitta(mesh, 0.5)).toBeLessThan(mesh.sagitta!)
  expect(prepareTarget(mesh, { smoothAngleDeg: 20 }).report.boundaryEdges).toBe(0)
})

test('an IGES file of curves alone is refused in a line that says what it has', async () => {
  await expect(readMesh(join(folder, 'edge.igs'))).rejects.toThrow(
    /edge\.igs: the IGES file has no surfaces, but parts without surfaces \(EDGE\), curves \(1\)$/,
  )
})

test('parts of a STEP assembly that are in other files are named', async () => {
  const text = new TextDecoder().decode(bytesOf('sphere.step'))
  const other = text.replace(
    /ENDSEC;\s*END-ISO/,
    "#900 = DOCUMENT_FILE('wing.stp','','',#901,'','');\n#901 = DOCUMENT_TYPE('');\nENDSEC;\nEND-ISO",
  )
  const mesh = await readCad('STEP', new TextEncoder().encode(other))
  expect(mesh.leftOut).toBe('parts in other files (wing.stp)')
})

test.each([
  ['STEP', new Uint8Array([1, 2, 3]), /no STEP file/],
  ['STEP', bytesOf('sphere.igs'), /no STEP file/],
  ['IGES', bytesOf('sphere.step'), /no IGES file/],
  [
    'STEP',
    new TextEncoder().encode('ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n'),
    /STEP file/,
  ],
  ['STEP', bytesOf('sphere.step').subarray(0, 1200), /STEP file/],
] as const)(
  'a file that is no %s file, or ends early, is refused in one line',
  async (kind, bytes, message) => {
    const refusal = await readCad(kind, bytes).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InputError)
    expect((refusal as Error).message).toMatch(message)
    expect((refusal as Error).message).not.toContain('\n')
  },
)

/** Radius of the sphere [m]. */
const RADIUS = 0.5

test('a STEP sphere of 1 m has the mean RCS of the Mie series about ka = 60 within 0.1 dB', async () => {
  const lambda = (2 * Math.PI * RADIUS) / 60
  const mesh = await readMesh(join(import.meta.dirname, 'cad/sphere.step'))
  const target = testScene(mesh)
  // The series ripples about its mean; facets differ from aspect to aspect.
  const mie = Array.from({ length: 41 }, (_, i) => miePec(50 + i / 2, 180).e)
  const expected = (Math.PI * RADIUS ** 2 * mie.reduce((a, b) => a + b, 0)) / mie.length
  const found: number[] = []
  for (const [theta, phi] of rows<[number, number]>('90 0, 37 21, 118 -70, 5 200')) {
    const { field } = await solve(target, sbrJob(monostatic(theta, phi), oneFrequency(lambda)))
    found.push(sigma(field, 'vv'), sigma(field, 'hh'))
  }
  const mean = found.reduce((a, b) => a + b, 0) / found.length
  expect(Math.abs(db(mean / expected))).toBeLessThan(0.1)
  for (const one of found) expect(Math.abs(db(one / expected))).toBeLessThan(0.3)
})

test('a file on which the package does not come to an end is given up', async () => {
  await expect(readCad('STEP', bytesOf('sphere.step'), -1)).rejects.toThrow(
    /^occt-import-js did not read this STEP file within -?[01] s: it is damaged; export it again, or convert it to \.msh or \.stl$/,
  )
})
