import { parentPort } from 'node:worker_threads'
import { InputError } from '../scene/index.js'
import { loadTarget } from './loaded-target.js'
import type { TargetAnswer, TargetRequest } from './target-thread.js'

// One target, or none, then the thread ends by itself.
parentPort!.once('message', (request: TargetRequest | null) => void (request && prepare(request)))

async function prepare({ path, units, smoothAngleDeg, cache }: TargetRequest): Promise<void> {
  const answer = (answer: TargetAnswer, transfer: ArrayBuffer[] = []): void =>
    parentPort!.postMessage(answer, transfer)
  try {
    const loaded = await loadTarget(path, units, smoothAngleDeg, cache)
    answer({ loaded })
    const { sceneWords } = await import('../gpu/index.js')
    const words = sceneWords(loaded.scene, 'lists')
    answer(
      { words },
      Object.values(words).map((array) => array.buffer),
    )
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    answer({ refusal: error.message })
  }
}
