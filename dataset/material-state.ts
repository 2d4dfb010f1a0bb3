import type { Mesh } from '../scene/index.js'
import type { Layer, Material, Medium } from '../scene/materials/index.js'
import { PURPOSE, Random } from './random.js'

/** Relative standard deviations of copies. */
export interface MaterialSpread {
  thickness?: number
  permittivity?: number
}

/** Factors of a copy on one material: of each layer's thickness, and of the permittivity of each layer and of a half-space under them. */
export interface MaterialFactors {
  name: string
  thickness: number[]
  permittivity: number[]
}

/** What of a material a copy may change: its layers, and all media in it. */
export interface MaterialShape {
  name: string
  layers: number
  media: number
}

const layersOf = (material: Material): Layer[] =>
  'stack' in material ? material.stack.filter((item) => 'thickness' in item) : []

const halfSpaceOf = (material: Material): Medium | null =>
  'backing' in material && material.backing !== 'conductor' && !('impedance' in material.backing)
    ? material.backing
    : null

/** Those of the materials that have layers or media. */
export function materialShapes(materials: readonly Material[]): MaterialShape[] {
  return materials.flatMap((material) => {
    const layers = layersOf(material).length
    const media = layers + (halfSpaceOf(material) ? 1 : 0)
    return media > 0 ? [{ name: material.name, layers, media }] : []
  })
}

/**
 * The random factors of a copy's materials, 1 + spread times a standard normal number, at least 0.1: a function of seed, target, copy and
 * shapes alone. Each layer has its own.
 */
export function materialFactors(
  { thickness = 0, permittivity = 0 }: MaterialSpread,
  shapes: readonly MaterialShape[],
  seed: number,
  target: number,
  copy: number,
): MaterialFactors[] {
  const random = new Random(seed, PURPOSE.material, target, copy)
  const factor = (spread: number): number => Math.max(0.1, 1 + spread * random.normal())
  return shapes.map(({ name, layers, media }) => ({
    name,
    thickness: Array.from({ length: layers }, () => factor(thickness)),
    permittivity: Array.from({ length: media }, () => factor(permittivity)),
  }))
}

/** The mesh with its materials multiplied by a copy's factors. */
export function withFactors(mesh: Mesh, factors: readonly MaterialFactors[]): Mesh {
  if (factors.length === 0) return mesh
  // One object for each material: facets of equal materials stay alike.
  const changed = new Map<Material, Material>()
  const of = (material: Material): Material => {
    const own = factors.find(({ name }) => name === material.name)
    if (!own || !('stack' in material)) return material
    if (!changed.has(material)) changed.set(material, multiplied(material, own))
    return changed.get(material)!
  }
  return { ...mesh, groupMaterials: mesh.groupMaterials!.map(of) }
}

function multiplied(
  material: Extract<Material, { stack: unknown }>,
  { thickness, permittivity }: MaterialFactors,
): Material {
  let layer = 0
  const stack = material.stack.map((item) =>
    'thickness' in item
      ? {
          medium: denser(item.medium, permittivity[layer]),
          thickness: item.thickness * thickness[layer++],
        }
      : item,
  )
  const halfSpace = halfSpaceOf(material)
  if (!halfSpace || material.kind === 'sheet') return { ...material, stack }
  return { ...material, stack, backing: denser(halfSpace, permittivity[layer]) }
}

/** The medium with its complex permittivity, conductivity included, multiplied: losses stay losses. */
function denser(medium: Medium, x: number): Medium {
  if (x === 1) return medium
  if ('fits' in medium)
    return { ...medium, fits: medium.fits.map((fit) => ({ ...fit, a: x * fit.a, c: x * fit.c })) }
  if ('frequencies' in medium)
    return {
      ...medium,
      values: medium.values.map(([re, im, muRe, muIm, conductivity]) => [
        x * re,
        x * im,
        muRe,
        muIm,
        x * conductivity,
      ]),
    }
  if ('functions' in medium) {
    const { eps, mu, conductivity } = medium.functions
    return { ...medium, functions: { eps: ['*', x, eps], mu, conductivity: ['*', x, conductivity] } }
  }
  if ('debye' in medium) {
    const { eps, mu } = medium.debye
    return { ...medium, debye: { eps: { ...eps, infinity: x * eps.infinity, low: x * eps.low }, mu } }
  }
  const [re, im] = medium.eps
  return { ...medium, eps: [x * re, x * im], conductivity: x * medium.conductivity }
}
