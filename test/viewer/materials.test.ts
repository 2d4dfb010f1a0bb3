import { expect, it } from 'vitest'
import { prepareTarget } from '../../scene/index.js'
import type { OpenedResult } from '../../src/view/open-result.js'
import { rayAspects } from '../../src/view/rays.js'
import { cube } from '../scene/shapes.js'

it('rays are traced for results of targets that conduct alone', () => {
  const result = (materials?: { material: string }[]): OpenedResult =>
    ({
      image: { phiDeg: 0 },
      meta: { mesh: { materials }, options: { sweep: { phi0: -4, phi1: 4 } } },
      target: { target: prepareTarget(cube(), { smoothAngleDeg: 20 }) },
    }) as unknown as OpenedResult
  expect(rayAspects(result())).toHaveLength(3)
  expect(rayAspects(result([{ material: 'absorber' }]))).toEqual([])
})
