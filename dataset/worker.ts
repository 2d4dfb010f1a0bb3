import { type ChipResult, type ChipTask, makeChips } from './chip.js'

export interface TimedChips extends ChipResult {
  /** Of this thread. */
  seconds: number
}

/** `makeChips` with its time. */
export function timedChips(task: ChipTask): TimedChips {
  const start = performance.now()
  return { ...makeChips(task), seconds: (performance.now() - start) / 1000 }
}

export default timedChips
