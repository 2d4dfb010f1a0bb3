import { expect, test } from 'vitest'
import { PAPER_SWEEPS } from '../../reproduction/papers/sweeps.js'
import { buildEdgeScene, createEdgeEngine } from '../../cpu-diffraction/index.js'
import { direction } from '../../scene/index.js'
import { jobAperture, tubeCount } from '../../rays/index.js'
import { loadTarget } from '../../run/loaded-target.js'

test.each(Object.entries(PAPER_SWEEPS))(
  'aircraft %s of paper-003 has the tubes and segments that the paper states, and at most a tenth more',
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
