import { expect, it } from 'vitest'
import { planBackprojection } from '../../isar/index.js'
import { circularPass, pointPulses } from '../../samples/models/gotcha.js'
import { onThreads } from '../../src/imaging/solve.js'
import { backprojectAll } from '../helpers/pulses.js'
import { linspace } from './points.js'

// Threads load compiled modules: `npm run build` makes them.
const built = (await import(
  new URL('../../dist/src/imaging/solve.js', import.meta.url).href
)) as typeof import('../../src/imaging/solve.js')

it('an image has the same bytes on threads, on the calling thread, and from the plain function', async () => {
  const pass = circularPass({ pulses: 200, spanDeg: 3, elevationDeg: 40, rangeM: 5000 })
  const history = pointPulses(pass, linspace(9e9, 9.6e9, 64), [{ at: [2, -1, 0], re: 1 }])
  const plan = planBackprojection(history, { plane: 'ground', window: 'hann', acrossM: [-8, 8], alongM: [-9, 9], pixelM: 0.1 }) // prettier-ignore
  const plain = backprojectAll(history, plan)
  for (const device of [onThreads(0), built.onThreads(2)]) {
    expect(await device.image(history, plan)).toEqual(plain)
    await device.close()
  }
})
