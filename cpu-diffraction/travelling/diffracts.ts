import type { EdgeScene } from '../edge-scene.js'
import type { SecondOrder } from '../mechanisms.js'
import { findTips } from './tips.js'

/** Whether anything of a target diffracts: an edge, or a tip where travelling waves are wanted. */
export const diffracts = (scene: EdgeScene, secondOrder: readonly SecondOrder[] = []): boolean =>
  scene.count > 0 || (secondOrder.includes('travelling') && findTips(scene).length > 0)
