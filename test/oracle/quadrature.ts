import { gaussLegendre } from '../helpers/polygons.js'

/** Four points of Gauss's rule on 0 to 1, and weights. */
export const GAUSS = [
  [0.0694318442029737, 0.1739274225687269],
  [0.3300094782075719, 0.3260725774312731],
  [0.6699905217924281, 0.3260725774312731],
  [0.9305681557970263, 0.1739274225687269],
] as const

const rules = new Map<number, ReturnType<typeof gaussLegendre>>()

/** Gauss rule on [-1, 1] for integrands whose phase spans so many radians: enough nodes for 1e-14. */
export function ruleFor(radians: number): ReturnType<typeof gaussLegendre> {
  const nodes = 12 + Math.ceil(radians)
  const rule = rules.get(nodes) ?? gaussLegendre(nodes)
  rules.set(nodes, rule)
  return rule
}
