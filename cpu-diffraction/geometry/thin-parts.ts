import { addTo } from '../../math/partition.js'
import { type Band, dot, frequency, type Target, type Vec3, wavenumber } from '../../scene/index.js'
import { difference, type Faces, vectorAt } from './plane-faces.js'
import type { MeshEdge } from './mesh-edges.js'

/**
 * A narrow face between two parallel faces that meet it at right angles, and its two edges: the rim of a thin solid, which scatters as the
 * rim of a sheet does as long as it is thin against the wavelength (docs/edge-diffraction.md).
 */
export interface ThinRim {
  /** Number of the edge at one of the parallel faces, which is the sheet's. */
  edge: number
  /** The narrow face, and which of the edge's faces is the sheet's. */
  narrow: number
  place: 0 | 1
  /** Distance of the parallel faces [m]. */
  thickness: number
}

/** Wedges this near to 90 degrees are right angles, and faces this near to parallel are parallel [degrees]. */
const NEARLY = 2
/** The edges' ends lie opposite each other to within this part of the thickness. */
const OPPOSITE = 0.05
/** Both faces are larger than the square of so many thicknesses. */
const LEAST_SIDE = 4
/** Narrow faces have few edges: others are passed by. */
const MOST_EDGES = 64

/** k t up to which a solid of thickness t is a sheet, and from which on it is none (decision 019). */
const SHEET_UP_TO = 0.125
const SOLID_FROM = 0.25

/** How much of a solid's rim is a sheet's at the wavenumber k [rad/m], 1 to 0; smooth in k t. @param thickness  t [m], 0: a sheet */
export function sheetWeight(k: number, thickness: number): number {
  const x = (k * thickness - SHEET_UP_TO) / (SOLID_FROM - SHEET_UP_TO)
  if (x <= 0) return 1
  return x >= 1 ? 0 : 1 - x * x * (3 - 2 * x)
}

/**
 * Parts of the field, frequency by frequency, that a target has with its thin solids up to each thickness as sheets: first with none
 * of them, then with those up to `thicknesses[i]`, ascending. They sum to 1; each solid is a sheet to the part `sheetWeight`.
 */
export function layerWeights(band: Band, thicknesses: number[]): Float64Array[] {
  return [0, ...thicknesses].map((thickness, i) =>
    Float64Array.from({ length: band.n }, (_, n) => {
      const k = wavenumber(frequency(band, n))
      const thicker = i < thicknesses.length ? sheetWeight(k, thicknesses[i]) : 0
      return sheetWeight(k, thickness) - thicker
    }),
  )
}

/** Finds the rims of thin solids among the edges that diffract. */
export function thinRims(target: Target, faces: Faces, list: MeshEdge[]): ThinRim[] {
  const { positions: p, areas } = target
  const { normals } = faces
  const area = new Float64Array(normals.length / 3)
  for (let t = 0; t < faces.of.length; t++) area[faces.of[t]] += areas[t]
  const at = new Map<number, number[]>()
  for (let e = 0; e < list.length; e++) {
    if (Math.abs(list[e].interiorAngle - 90) > NEARLY) continue
    for (const facet of list[e].facets) addTo(at, faces.of[facet], e)
  }
  /** Place in edge e of its other face than `narrow`. */
  const beside = (e: number, narrow: number): 0 | 1 => (faces.of[list[e].facets[0]] === narrow ? 1 : 0)
  const apart = (a: number, b: number, shift: number, n: Vec3): number =>
    Math.hypot(...difference(p, 3 * a, 3 * b).map((x, c) => x - shift * n[c]))
  const out: ThinRim[] = []
  for (const [narrow, edges] of at) {
    if (edges.length > MOST_EDGES) continue
    for (let i = 0; i < edges.length; i++)
      for (let j = i + 1; j < edges.length; j++) {
        const sides = [edges[i], edges[j]].map((e) => ({ e, place: beside(e, narrow) }))
        const faceOf = ({ e, place }: (typeof sides)[0]): number => faces.of[list[e].facets[place]]
        // Of the two parallel faces the lower one is the sheet's, so that all rims of a plate are of one face.
        sides.sort((x, y) => faceOf(x) - faceOf(y))
        const [f, g] = sides.map(faceOf)
        const [a, b] = sides.map(({ e }) => list[e])
        const n = vectorAt(normals, 3 * f)
        if (f === g || dot(n, vectorAt(normals, 3 * g)) > -Math.cos((NEARLY * Math.PI) / 180)) continue
        const thickness = dot(n, difference(p, 3 * a.from, 3 * b.from))
        if (thickness <= 0 || Math.min(area[f], area[g]) < (LEAST_SIDE * thickness) ** 2) continue
        const off = (from: number, to: number): number =>
          Math.max(apart(a.from, from, thickness, n), apart(a.to, to, thickness, n))
        if (Math.min(off(b.from, b.to), off(b.to, b.from)) > OPPOSITE * thickness) continue
        out.push({ edge: sides[0].e, narrow, place: sides[0].place, thickness })
      }
  }
  return out
}

/** Thicknesses [m] that are told apart, ascending, at the most so many; those of a class are within this ratio where they are few. */
const MOST_CLASSES = 3
const CLASS_RATIO = 1.05

/** The classes of thickness, each with the rims up to it: those of thinner classes are among them. */
export function thinClasses(rims: ThinRim[]): { thickness: number; rims: ThinRim[] }[] {
  const sorted = [...rims].sort((a, b) => a.thickness - b.thickness)
  for (let ratio = CLASS_RATIO; ; ratio *= ratio) {
    const ends: number[] = []
    for (let i = 0; i < sorted.length;) {
      const first = sorted[i].thickness
      while (i < sorted.length && sorted[i].thickness <= ratio * first) i++
      ends.push(i)
    }
    if (ends.length <= MOST_CLASSES)
      return ends.map((end) => ({ thickness: sorted[end - 1].thickness, rims: sorted.slice(0, end) }))
  }
}

/**
 * The edges of a target whose thin rims are a sheet's: in the place of both edges one rim of 360 degrees, of the first edge's ends and face,
 * and no other edge of the narrow faces. `thickness` of the others is 0.
 */
export function sheetEdges(
  faces: Faces,
  list: MeshEdge[],
  rims: ThinRim[],
): { edges: MeshEdge[]; thickness: number[] } {
  const narrow = new Set(rims.map((rim) => rim.narrow))
  const kept = list.filter((e) => !e.facets.some((facet) => narrow.has(faces.of[facet])))
  const sheets = rims.map(({ edge, place }): MeshEdge => {
    const { from, to, facets } = list[edge]
    return { from, to, facets: [facets[place], facets[place]], side: [1, -1], interiorAngle: 0 }
  })
  return {
    edges: [...kept, ...sheets],
    thickness: [...kept.map(() => 0), ...rims.map((rim) => rim.thickness)],
  }
}
