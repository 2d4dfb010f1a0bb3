import { parentPort } from 'node:worker_threads'
import { buildEdgeScene } from '../cpu-diffraction/geometry/edge-scene.js'
import { InputError } from '../scene/index.js'
import { loadTarget } from './loaded-target.js'
import type { TargetAnswer, TargetRequest } from './target-thread.js'

/** What the thread of `startTargetThread` does: it prepares one target, or none, then ends by itself. */
export const serveTarget = (): void =>
  void parentPort!.once('message', (request: TargetRequest | null) => void (request && prepare(request)))

async function prepare(request: TargetRequest): Promise<void> {
  const { path, units, smoothAngleDeg, cache, choice, maxWedgeAngleDeg } = request
  const answer = (found: TargetAnswer): void => parentPort!.postMessage(found, [])
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
