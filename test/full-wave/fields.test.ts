import { expect, test, describe, it } from 'vitest'
import {
  cpuBackend,
  meshForCurrents,
  prepareFullWave,
  rwgFunctions,
  type Factors,
  type MomentBackend,
} from '../../full-wave/index.js'
import { cube } from '../../samples/models/canonical.js'
import { fitBox } from '../../samples/models/surface.js'
import { direction, prepareTarget } from '../../scene/index.js'
import { miePec } from '../../src/validate/kinds/sphere.js'
import { patch, sphere, welded } from './meshes.js'
import { factorPanel, type Matrix, PANEL, Products, solveStrip, updateStrip } from '../../full-wave/lu.js'
import { random } from '../helpers/random.js'

test('a sphere of ka 1 is its Mie series at all angles, and loses no power', async () => {
  const tx = direction(0, 0)
  const angles = [0, 30, 60, 90, 120, 150, 180]
  const wave = await prepareFullWave({ mesh: sphere(4), k: 1, backend: cpuBackend(0) })
  const { fields, residual, powerError } = await wave.solve(
    angles.map((angle) => ({ tx, rx: direction(angle, 0) })),
  )
  angles.forEach((angle, i) => {
    const { e, h } = miePec(1, 180 - angle)
    const power = (c: number): number => 4 * (fields[8 * i + c] ** 2 + fields[8 * i + c + 1] ** 2)
    expect(Math.abs(10 * Math.log10(power(0) / e))).toBeLessThan(0.05)
    expect(Math.abs(10 * Math.log10(power(2) / h))).toBeLessThan(0.05)
  })
  expect(residual).toBeLessThan(1e-12)
  expect(powerError).toBeLessThan(0.005)
})

test('a sphere of a fiftieth of a wavelength is its Mie series, and loses no power', async () => {
  const k = 0.06
  const d = direction(40, 0)
  const wave = await prepareFullWave({ mesh: sphere(4), k, backend: cpuBackend(0) })
  const { fields, powerError } = await wave.solve([{ tx: d, rx: d }])
  // Rayleigh: 3/2 k² a³, backwards.
  expect(Math.hypot(fields[0], fields[1]) / (1.5 * k * k)).toBeCloseTo(1, 1)
  expect(powerError).toBeLessThan(0.001)
})

test('no small closed part becomes two triangles of the same vertices', () => {
  // A rod beside a plate, of thousandths of a wavelength.
  const rod = fitBox(cube(1), [0.004, 0.002, 0.003])
  for (const lambda of [1, 10, 100]) {
    const { triangles } = meshForCurrents(prepareTarget(rod, { smoothAngleDeg: 20 }), lambda)
    const keys = new Set<string>()
    for (let t = 0; t < triangles.length; t += 3) keys.add([...triangles.subarray(t, t + 3)].sort().join())
    expect(keys.size).toBe(triangles.length / 3)
  }
})

const uniform = [0, 0.25, 0.5, 0.75, 1]
/** Three sheets that meet at one edge. */
const sheets = welded([
  ...patch([0, 0, 0], [1, 0, 0], [0, 0, 1], uniform, uniform),
  ...patch([0, 0, 0], [0, 1, 0], [0, 0, 1], uniform, uniform),
  ...patch([0, 0, 0], [-0.6, -0.8, 0], [0, 0, 1], uniform, uniform),
])

test('an edge of three triangles carries two functions', () => {
  // Edges of a sheet: 40 within, and 4 on the line where the three meet, with two functions each.
  expect(rwgFunctions(sheets).count).toBe(3 * 40 + 2 * 4)
})

test('sheets that meet are reciprocal, whatever the order of their triangles', async () => {
  const [a, b] = [direction(50, 20), direction(75, 200)]
  const fieldsOf = async (mesh: typeof sheets): Promise<Float64Array> => {
    const wave = await prepareFullWave({ mesh, k: 4, backend: cpuBackend(0) })
    const { fields, powerError } = await wave.solve([
      { tx: a, rx: b },
      { tx: b, rx: a },
    ])
    expect(powerError).toBeLessThan(0.005)
    return fields
  }
  const fields = await fieldsOf(sheets)
  const most = Math.max(...fields.map(Math.abs))
  // VV and HH are alike both ways; VH one way is HV the other.
  const other = [8, 9, 10, 11, 14, 15, 12, 13]
  other.forEach((to, c) => expect(Math.abs(fields[c] - fields[to])).toBeLessThan(2e-3 * most))
  const count = sheets.triangles.length / 3
  const reversed = {
    ...sheets,
    triangles: Uint32Array.from(
      { length: 3 * count },
      (_, i) => sheets.triangles[3 * (count - 1 - Math.floor(i / 3)) + 2 - (i % 3)],
    ),
  }
  const again = await fieldsOf(reversed)
  again.forEach((x, i) => expect(Math.abs(x - fields[i])).toBeLessThan(1e-8 * most))
})

const sheet = patch([0, 0, 0], [1, 0, 0], [0, 1, 0], uniform, uniform)
const mesh = welded(sheet)
const aspects = [20, 50].map((thetaDeg) => {
  const d = direction(thetaDeg, 10)
  return { tx: d, rx: d }
})

/** The processor's backend with other factors. */
function changed(change: (factors: Factors) => Partial<Factors>): {
  backend: MomentBackend
  freed: () => number
} {
  const cpu = cpuBackend(0)
  let freed = 0
  const factor: MomentBackend['factor'] = async (...args) => {
    const factors = await cpu.factor(...args)
    return { ...factors, ...change(factors), destroy: () => void freed++ }
  }
  return { backend: { ...cpu, factor }, freed: () => freed }
}

const solved = async (backend: MomentBackend) =>
  (await prepareFullWave({ mesh, k: 4, backend })).solve(aspects)

describe('a solution that cannot be trusted is an error', () => {
  it('a condition number of 1e10 or more, or none, and the factors are freed', async () => {
    for (const condition of [1e10, Infinity, NaN]) {
      const { backend, freed } = changed(() => ({ condition }))
      await expect(solved(backend)).rejects.toThrow(/the matrix of \d+ unknowns has a condition number of/)
      expect(freed()).toBe(1)
    }
    await solved(changed(() => ({ condition: 0.99e10 })).backend)
  })

  it('the matrix of a sheet that is there twice', async () => {
    const once = mesh.positions.length / 3
    const twice = {
      positions: Float64Array.of(...mesh.positions, ...mesh.positions),
      triangles: Uint32Array.from([...mesh.triangles, ...mesh.triangles.map((v) => v + once)]),
    }
    await expect(prepareFullWave({ mesh: twice, k: 4, backend: cpuBackend(0) })).rejects.toThrow(
      /condition number of .* above 1e\+10|is singular/,
    )
  })

  it('a residual of 1e-5 or more, or none', async () => {
    const withResidual = (residual: number): MomentBackend =>
      changed(({ solve }) => ({ solve: async (b, signal) => ({ ...(await solve(b, signal)), residual }) }))
        .backend
    for (const residual of [1.01e-5, NaN])
      await expect(solved(withResidual(residual))).rejects.toThrow(/the solution's residual is .* above/)
    await solved(withResidual(0.99e-5))
  })

  it('a scattered power 5 % off the power that is taken from the wave', async () => {
    // Scattered power goes with the square of the currents, extinction with the currents.
    const scaled = (by: number): MomentBackend =>
      changed(({ solve }) => ({
        solve: async (b, signal) => {
          const { x, residual } = await solve(b, signal)
          return { x: x.map((value) => by * value), residual }
        },
      })).backend
    await expect(solved(scaled(1.06))).rejects.toThrow(/scattered power differs .* by 6\.\d %, more than 5 %/)
    await expect(solved(scaled(0.94))).rejects.toThrow(
      /scattered power differs .* by [56]\.\d %, more than 5 %/,
    )
    expect((await solved(scaled(1.04))).powerError).toBeGreaterThan(0.03)
  })
})

test.each([63, 64, 65, 127, 128, 129, 193])('a system of order %i is solved', (n) => {
  const next = random(n)
  const elements = Float64Array.from({ length: 2 * n * n }, () => next() - 0.5)
  const x = Float64Array.from({ length: 2 * n }, () => next() - 0.5)
  const b = new Float64Array(2 * n)
  for (let c = 0; c < n; c++)
    for (let r = 0; r < n; r++) {
      const at = 2 * (c * n + r)
      b[2 * r] += elements[at] * x[2 * c] - elements[at + 1] * x[2 * c + 1]
      b[2 * r + 1] += elements[at] * x[2 * c + 1] + elements[at + 1] * x[2 * c]
    }
  const matrix: Matrix = { order: n, elements, pivots: new Int32Array(n) }
  const products = new Products()
  for (let panel = 0; panel < n; panel += PANEL) {
    factorPanel(matrix, panel)
    updateStrip(matrix, panel, 0, panel, products)
    updateStrip(matrix, panel, Math.min(n, panel + PANEL), n, products)
  }
  solveStrip(matrix, b, 0, 1, products)
  expect(Math.max(...b.map((y, i) => Math.abs(y - x[i])))).toBeLessThan(1e-9)
})
