import { expect, test } from 'vitest'
import { besidePaper, PAPER_SWEEPS } from '../../reproduction/papers/sweeps.js'
import { buildEdgeScene, createEdgeEngine } from '../../cpu-diffraction/index.js'
import { direction } from '../../scene/index.js'
import { jobAperture, tubeCount } from '../../rays/index.js'
import type { CompareSummary } from '../../src/compare.js'
import { loadTarget } from '../../run/loaded-target.js'

test.each(Object.entries(PAPER_SWEEPS))(
  'aircraft %s under --paper-load has the tubes and segments that the paper states, and at most a tenth more',
  async (_, { mesh, f0, f1, n, theta, density, tubes, segments }) => {
    const { scene, target } = await loadTarget(mesh, 'm', 20)
    const d = direction(theta, 0)
    const aspect = { tx: d, rx: d }
    const band = { f0, df: (f1 - f0) / (n - 1), n }
    const aperture = jobAperture(scene, {
      aspect,
      band,
      options: {
        raysPerWavelength: density.rays,
        maxBounces: 5,
        subdivisions: 2,
        formulation: 'all-bounces',
      },
    })
    const engine = createEdgeEngine(buildEdgeScene(target, 160, scene.origin), scene, { workers: 0 })
    const edges = await engine.field({
      aspect,
      band,
      options: { diffraction: 'tw-ildc', segmentsPerWavelength: density.segments },
    })
    await engine.close()
    for (const [load, wanted] of [
      [tubeCount(aperture), tubes],
      [edges.visibleSegments, segments],
    ]) {
      expect(load / wanted).toBeGreaterThan(0.95)
      expect(load / wanted).toBeLessThan(1.1)
    }
  },
)

test('every row beside the paper has both loads', () => {
  const total = { median: 2, min: 2, max: 2, all: [2] }
  const names = ['serial', 'static', 'dynamic', 'overlapped']
  const summary = {
    schedules: Object.fromEntries(names.map((s) => [s, { total }])),
    alone: { sbr: total, sum: 4 },
    load: { tubes: 4.55e6, edge_segments: 4068 },
  } as unknown as CompareSummary
  const rows = besidePaper(summary, PAPER_SWEEPS.a).split('\n').slice(3)
  expect(rows[0].split(/\s{2,}/)).toEqual(['serial', '2.00', '4.55 M', '4,068', '2230.8', '30.0 M', '14,000'])
  expect(rows[2]).toContain('1371.4')
  expect(rows[3]).toMatch(/^overlapped .* 4,068 +– +– +–$/)
  expect(rows[4].split(/\s{2,}/)).toEqual(['SBR alone', '2.00', '4.55 M', '–', '1311', '30.0 M', '–'])
})
