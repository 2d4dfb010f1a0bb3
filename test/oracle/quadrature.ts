import { gaussLegendre } from '../helpers/polygons.js'

const rules = new Map<number, ReturnType<typeof gaussLegendre>>()

/** Gauss rule on [-1, 1] for integrands whose phase spans so many radians: enough nodes for 1e-14. */
export function ruleFor(radians: number): ReturnType<typeof gaussLegendre> {
  const nodes = 12 + Math.ceil(radians)
  const rule = rules.get(nodes) ?? gaussLegendre(nodes)
  rules.set(nodes, rule)
  return rule
}
