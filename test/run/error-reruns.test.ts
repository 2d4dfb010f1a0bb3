import { expect, it } from 'vitest'
import { createEdgeEngine, UNIFORM, type EdgeJob } from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { fieldNames, solveAspect } from '../../run/sweep/aspect-solver.js'
import type { Engines } from '../../run/sweep/engines.js'
import { direction } from '../../scene/index.js'
import { lBlock, scenes } from '../cpu-diffraction/meshes.js'

it('reruns for an error estimate trace coarser rays, and compute the edges once in either order', async () => {
  const { edges, rays, area } = scenes(lBlock())
  const engine = createEdgeEngine(edges, rays, { workers: 0 })
  const facets = createCpuEngine(rays, area, 0, 64)
  const jobs: EdgeJob[] = []
  const engines: Engines = {
    facets,
    options: { raysPerWavelength: 4, maxBounces: 2, subdivisions: 1, formulation: 'all-bounces' },
    edges: {
      engine: { ...engine, field: (job, signal) => (jobs.push(job), engine.field(job, signal)) },
      options: { diffraction: 'tw-ildc', secondOrder: [] },
    },
    mechanisms: false,
    coarser: [0.7, 0.5],
    orderChange: true,
    schedule: 'overlapped',
  }
  const r = direction(62, 25)
  const aspect = { tx: r, rx: r }
  const band = { f0: 3e9, df: 1e8, n: 2 }
  const { signal } = new AbortController()
  const { fields } = await solveAspect(engines, aspect, band, null, signal)
  expect(fieldNames(engines)).toEqual(['total', 'coarser_0.7', 'coarser_0.5', 'order_change'])
  expect(jobs.map(({ options }) => options)).toEqual([
    { diffraction: 'tw-ildc', secondOrder: [] },
    { diffraction: 'tw-ildc', secondOrder: UNIFORM },
  ])
  const [own, second] = await Promise.all(jobs.map((job) => engine.field(job)))
  for (const [i, factor] of [1, 0.7, 0.5].entries()) {
    const options = { ...engines.options, raysPerWavelength: 4 * factor }
    const traced = await facets.field({ aspect, band, options })
    expect(fields[i]).toEqual(traced.field.map((x, j) => x + own.field[j]))
  }
  expect(fields[3]).toEqual(own.field.map((x, j) => x - second.field[j]))
  expect(fields[3].some((x) => x !== 0)).toBe(true)
})
