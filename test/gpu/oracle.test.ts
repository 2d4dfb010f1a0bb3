import { beforeAll, expect, test } from 'vitest'
import type { GpuContext } from '../../gpu/device.js'
import { sbrCases } from '../oracle/cases.js'
import { sbrReference } from '../oracle/sbr.js'
import { sharedGpu, sharedEngines } from '../helpers/gpu.js'
import { norm, sbrJob, testScene } from '../helpers/sbr.js'

let context: GpuContext
let engineOf: ReturnType<typeof sharedEngines>
beforeAll(async () => {
  context = await sharedGpu()
  engineOf = sharedEngines(context)
})

/** What single precision costs on the same paths, as in parity.test.ts; no ray of these cases meets another facet for it. */
const SINGLE = 1e-7

test.each(sbrCases)('%s: the GPU gives what the plain reference gives', async (_, make) => {
  const { target, aspect, band, options, mirror } = make()
  const reference = sbrReference(target, aspect, band, options)
  const engine = engineOf(testScene(target, options.smoothAngleDeg))
  const { field, statistics } = await engine.field(
    sbrJob(aspect, band, { ...options, frequencySum: 'direct' }),
  )
  expect(statistics.leaves).toBe(reference.leaves)
  expect(statistics.contributions).toBe(reference.contributions)
  expect(norm(field.map((x, i) => x - reference.field[i]))).toBeLessThan(SINGLE * mirror)
})
