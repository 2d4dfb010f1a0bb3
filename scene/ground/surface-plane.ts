import { NO_LIBRARY, materialNamed } from '../materials/library.js'
import type { SurfaceModel } from './backscatter.js'
import type { Ground } from './ground.js'

/** What a surface is a plane of: its material and rms height. */
export type SurfacePlane = Pick<Ground, 'material' | 'roughness'>

/**
 * Significant heights of the waves at sea states 0, 1, ... 6 [m]: the middles of their ranges in the Douglas scale, World Meteorological
 * Organization, Manual on Codes, code table 3700.
 */
const SIGNIFICANT_HEIGHTS = [0, 0.05, 0.3, 0.875, 1.875, 3.25, 5]

/** rms height of the sea [m], a quarter of the significant height (M. S. Longuet-Higgins, J. Marine Res. 11, 1952); between whole states linear. */
export function seaRmsHeight(seaState: number): number {
  const from = Math.min(Math.floor(seaState), SIGNIFICANT_HEIGHTS.length - 2)
  const [low, high] = SIGNIFICANT_HEIGHTS.slice(from, from + 2)
  return (low + (seaState - from) * (high - low)) / 4
}

/** The plane whose coherent reflection goes with a surface's clutter; null for a model that has no permittivity. */
export function surfacePlane(surface: SurfaceModel): SurfacePlane | null {
  if (surface.model === 'gamma') return null
  if (surface.model === 'sea')
    return {
      material: materialNamed('sea-water', NO_LIBRARY, 'ground'),
      roughness: seaRmsHeight(surface.seaState),
    }
  const { epsReal, epsImag, rmsHeightM } = surface
  const backing = { name: 'soil', eps: [epsReal, 0 - epsImag] as [number, number], mu: [1, 0] as [number, number], conductivity: 0 } // prettier-ignore
  return {
    material: { name: 'soil', kind: 'opaque', stack: [], backing, facet: 'outer', sides: 'both' },
    roughness: rmsHeightM,
  }
}
