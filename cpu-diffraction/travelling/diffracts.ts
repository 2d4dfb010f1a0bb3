import type { EdgeScene } from '../edge-scene.js'
import type { SecondOrder } from '../mechanisms.js'
import { findTips } from './tips.js'

/** Whether anything of a target diffracts: an edge, a tip where travelling waves are wanted, a curved surface where creeping ones are. */
export const diffracts = (scene: EdgeScene, secondOrder: readonly SecondOrder[] = []): boolean =>
  scene.count > 0 ||
  (secondOrder.includes('creeping') && scene.meanRadii.some((radius) => radius < Infinity)) ||
  (secondOrder.includes('travelling') && findTips(scene).length > 0)
