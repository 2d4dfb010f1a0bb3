import { parentPort } from 'node:worker_threads'
import { buildEdgeScene } from '../cpu-diffraction/geometry/edge-scene.js'
import { InputError } from '../scene/index.js'
import { loadTarget } from './loaded-target.js'
import type { TargetAnswer, TargetRequest } from './target-thread.js'

// One target, or none, then the thread ends by itself.
parentPort!.once('message', (request: TargetRequest | null) => void (request && prepare(request)))

async function prepare({
  path,
  units,
  smoothAngleDeg,
  cache,
  choice,
  maxWedgeAngleDeg,
}: TargetRequest): Promise<void> {
  const answer = (answer: TargetAnswer): void => parentPort!.postMessage(answer, [])
  try {
    const loaded = await loadTarget(path, units, smoothAngleDeg, cache, choice)
    answer({ loaded })
    if (maxWedgeAngleDeg !== undefined)
      answer({ edges: buildEdgeScene(loaded.target, maxWedgeAngleDeg, loaded.scene.origin) })
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    answer({ refusal: error.message })
  }
}
