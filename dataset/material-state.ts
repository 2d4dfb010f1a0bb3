import { PURPOSE, Random } from '../math/random.js'
import { boundingBox, type Mesh, rotation, roundingOf, transformed, type Vec3 } from '../scene/index.js'
import type { Layer, Material, Medium } from '../scene/materials/index.js'

/** Relative standard deviations of copies. */
interface MaterialSpread {
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
interface MaterialShape {
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
    return {
      ...medium,
      debye: { eps: { ...eps, infinity: x * eps.infinity, low: x * eps.low }, mu },
      ...(medium.conductivity !== undefined && { conductivity: x * medium.conductivity }),
    }
  }
  const [re, im] = medium.eps
  return { ...medium, eps: [x * re, x * im], conductivity: x * medium.conductivity }
}

interface Perturbation {
  scale: number
  facetM: number
  tiltDeg: number
}

/** The target scaled about its mesh's origin. */
export const scaled = (mesh: Mesh, factor: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => factor * x),
  ...roundingOf(factor * (mesh.rounding ?? -1)),
})

/** The target rotated about the vertical through `centre`. */
export const yawed = (mesh: Mesh, yawDeg: number, centre: Vec3): Mesh =>
  yawDeg === 0
    ? mesh
    : { ...mesh, positions: transformed(mesh.positions, rotation([0, 0, 1], yawDeg), centre) }

/** Middle of the box [m]. */
export function middle(mesh: Mesh): Vec3 {
  const { min, max } = boundingBox(mesh)
  return [0, 1, 2].map((a) => (min[a] + max[a]) / 2) as Vec3
}

/** Longest distance of two points of the box [m]. */
export function boxDiameter(mesh: Mesh): number {
  const { min, max } = boundingBox(mesh)
  return Math.hypot(...[0, 1, 2].map((a) => max[a] - min[a]))
}

/**
 * A perturbed copy: vertices moved along their normals (coincident ones together, so that a closed surface stays
 * closed), the whole scaled about `centre` and tilted in roll (about x) and pitch (about y). `target` and `copy` say which
 * random numbers.
 */
export function perturbed(
  mesh: Mesh,
  { scale, facetM, tiltDeg }: Perturbation,
  centre: Vec3,
  seed: number,
  target: number,
  copy: number,
): Mesh {
  if (scale === 0 && facetM === 0 && tiltDeg === 0) return mesh
  const random = new Random(seed, PURPOSE.copy, target, copy)
  const factor = Math.max(0.1, 1 + scale * random.normal())
  const roll = rotation([1, 0, 0], tiltDeg * random.normal())
  const pitch = rotation([0, 1, 0], tiltDeg * random.normal())
  let { positions } = mesh
  if (facetM > 0) positions = roughened(mesh, facetM, random)
  const d = [factor, 0, 0, 0, factor, 0, 0, 0, factor]
  for (const matrix of [d, roll, pitch]) positions = transformed(positions, matrix, centre)
  return { ...mesh, positions }
}

function roughened({ positions, triangles }: Mesh, sigma: number, random: Random): Float64Array {
  // Files without shared vertices repeat positions.
  const points = new Map<string, number>()
  const pointOf = new Int32Array(positions.length / 3)
  for (let v = 0; v < pointOf.length; v++) {
    const key = `${positions[3 * v]},${positions[3 * v + 1]},${positions[3 * v + 2]}`
    if (!points.has(key)) points.set(key, points.size)
    pointOf[v] = points.get(key)!
  }
  const normals = new Float64Array(3 * points.size)
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]]
    const u = [0, 1, 2].map((i) => positions[b + i] - positions[a + i])
    const v = [0, 1, 2].map((i) => positions[c + i] - positions[a + i])
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    for (let corner = 0; corner < 3; corner++)
      for (let i = 0; i < 3; i++) normals[3 * pointOf[triangles[t + corner]] + i] += n[i]
  }
  const shift = Float64Array.from({ length: points.size }, () => sigma * random.normal())
  return positions.map((x, i) => {
    const p = pointOf[Math.floor(i / 3)]
    const length = Math.hypot(normals[3 * p], normals[3 * p + 1], normals[3 * p + 2])
    return length > 0 ? x + (shift[p] * normals[3 * p + (i % 3)]) / length : x
  })
}
