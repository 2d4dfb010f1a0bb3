import { openFacets, type Target } from '../../../scene/index.js'
import type { Material } from '../../../scene/materials/material.js'
import { shutShare } from './missing-waves.js'
import type { MeshEdge } from '../../geometry/mesh-edges.js'

/** How an edge with a facet that is no perfect conductor diffracts. */
export const NOT_COATED = 0
/** A wedge or the rim of an opaque surface: Maliuzhinets' wedge. */
export const WEDGE = 1
/** As much, where a coating ends without a bend: at the facets' own plane. */
export const JUNCTION = 2
/** The rim of a sheet that waves pass through, or a line where it goes on as another one. */
export const SHEET = 3

/** What the edges of a scene are made of: E numbers each, of their faces 2E. */
export interface EdgeMaterials {
  list: Material[]
  /** Number in `list` of each face. */
  of: Uint8Array
  /** NOT_COATED, WEDGE, JUNCTION or SHEET. */
  kind: Uint8Array
  /** 1 for each plane face that is a perfect conductor. */
  conducts: Uint8Array
}

/** Bends up to this are flat: materials that meet there [degrees]. */
const NEARLY_FLAT = 20
/** Faces of edges that are flatter or sharper than this are solved as if they were not [degrees]. */
export const isFlat = (interiorAngle: number): boolean => Math.abs(interiorAngle - 180) <= NEARLY_FLAT

/**
 * How an edge diffracts. Bends of sheets, and lines where they meet bodies or coatings, are wedges and junctions, which count as far as no
 * wave passes (`shutShare`).
 */
export function edgeKind({ materials, facetMaterial }: Target, edge: MeshEdge): number {
  if (!facetMaterial) return NOT_COATED
  const [f, g] = edge.facets
  const kinds = [f, g].map((facet) => materials[facetMaterial[facet]].kind)
  const isRim = f === g
  if (kinds.every((kind) => kind === 'conductor')) return NOT_COATED
  const flat = !isRim && isFlat(edge.interiorAngle)
  if (kinds.includes('sheet') && (isRim || (flat && !kinds.includes('opaque')))) return SHEET
  return flat ? JUNCTION : WEDGE
}

/** Edges of which a frequency leaves out half or more: waves pass through their sheets. */
export function darkEdges({ list, of, kind }: EdgeMaterials, frequencies: readonly number[]): number {
  const isOpen = list.map(
    (material) =>
      material.kind === 'sheet' && frequencies.some((frequency) => shutShare(material, frequency) < 0.5),
  )
  let dark = 0
  for (let e = 0; e < kind.length; e++)
    if ((kind[e] === WEDGE || kind[e] === JUNCTION) && (isOpen[of[2 * e]] || isOpen[of[2 * e + 1]])) dark++
  return dark
}

/** Pieces of a flat surface's lines where one material ends and another begins: no edges of a conductor. */
export function flatJunctions(target: Target, maxWedgeAngleDeg: number): MeshEdge[] {
  const { edges, facetMaterial, materials } = target
  if (!facetMaterial) return []
  const out: MeshEdge[] = []
  const open = openFacets(target)
  for (let e = 0; e < edges.interiorAngle.length; e++) {
    const [f, g] = [edges.facets[2 * e], edges.facets[2 * e + 1]]
    const interiorAngle = edges.interiorAngle[e]
    if (edges.valence[e] !== 2 || facetMaterial[f] === facetMaterial[g]) continue
    if (interiorAngle < maxWedgeAngleDeg || !isFlat(interiorAngle)) continue
    const [from, to] = [edges.vertices[2 * e], edges.vertices[2 * e + 1]]
    const side: [number, number] = [edges.side[2 * e], edges.side[2 * e + 1]]
    out.push({ from, to, facets: [f, g], side, interiorAngle })
    // Waves come from behind a sheet too.
    const isSheet = [f, g].some((facet) => materials[facetMaterial[facet]].kind === 'sheet')
    if (open[f] || isSheet)
      out.push({
        from,
        to,
        facets: [f, g],
        side: [-side[0], -side[1]],
        interiorAngle: 360 - interiorAngle,
      })
  }
  return out
}
