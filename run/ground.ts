import type { SweepJob } from './sweep/index.js'
import { InputError } from '../scene/index.js'
import { type Ground, isMirror } from '../scene/ground/index.js'
import { checkBands } from '../scene/materials/index.js'
import type { RunSettings } from './hooks.js'

/** Checks that a run can have its ground. @throws InputError */
export function checkGround(
  ground: Ground,
  job: SweepJob,
  settings: Parameters<typeof checkBeside>[1],
): void {
  checkBeside(ground, settings, 'leave one of them out')
  if (job.groups) throw new InputError('--fast knows no ground; leave one of them out')
  for (const { tx, rx } of job.aspects)
    for (const { r, thetaDeg } of [tx, rx])
      if (!(r[2] > LEAST_ELEVATION))
        throw new InputError(
          `theta ${thetaDeg} is not above the ground's horizon; take angles below 90 degrees from +z (a depression of 15 degrees is theta 75)`,
        )
  checkBands([ground.material], job.bands)
}

/** Checks that settings can have a ground. @param instead  what to do where they cannot @throws InputError */
export function checkBeside(
  ground: Ground,
  settings: Pick<RunSettings, 'method' | 'cluster' | 'check' | 'schedule' | 'secondOrder' | 'sbr'>,
  instead: string,
): void {
  const beside = (what: string): InputError => new InputError(`${what} knows no ground; ${instead}`)
  if (settings.method !== 'sbr') throw beside(`--method ${settings.method}`)
  if (settings.cluster) throw beside('--cluster')
  if (settings.check) throw beside('--check')
  if (settings.schedule !== 'overlapped') throw beside(`--schedule ${settings.schedule}`)
  if (isMirror(ground)) return
  if (settings.sbr.formulation === 'exit')
    throw new InputError(
      '--formulation exit computes perfect conductors alone; leave it out, or take a smooth conductor as ground',
    )
  if (settings.secondOrder?.length)
    throw new InputError(
      '--second-order: waves from edge to edge are those over a smooth perfect conductor; leave it out with another ground',
    )
}

/** Sine of the lowest elevation: that of theta 90, computed, is 0 or rounding. */
const LEAST_ELEVATION = 1e-9
