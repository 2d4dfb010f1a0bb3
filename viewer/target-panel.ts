import { CHANNELS, type Channel } from '../rays/index.js'
import { direction } from '../scene/index.js'
import { type Colours, coloursOf, type Grid } from '../plots/index.js'
import { colourIndex } from '../plots/colours.js'
import type { RaysData, ResultData } from './data.js'
import { aspectOf, facing } from './cell.js'
import type { Mechanism } from './hot-spot.js'
import { projectImage } from './image-on-target.js'
import { materialColour } from './materials.js'
import { type DrawnRay, SceneView } from './scene-view.js'
import type { Colouring } from './target-mesh.js'

/** Maximum number of rays drawn per mechanism, and of mechanisms drawn. */
const MOST_RAYS = 10
const MOST_GROUPS = 5
/** Dynamic range of the induced current below that of a mirror [dB]. */
export const CURRENT_DEPTH = 40
/** Colour of facets without current. */
const DARK = [87, 92, 98]

/** The target of a result: colours, marks and rays in the scene. */
export class TargetPanel {
  readonly scene: SceneView
  private current: Float32Array | null = null
  private readonly lit = new Set<number>()

  constructor(
    host: HTMLElement,
    private readonly result: ResultData,
  ) {
    const { image, target } = result
    this.scene = new SceneView(host, target!, image ? aspectOf(image) : null)
    this.setLit()
  }

  /** Adds the rays of an aspect, which determine the lit facets. The first is the centre aspect, whose currents are shown. */
  addRays({ facets, current }: RaysData): void {
    this.current ??= current
    for (const t of facets) this.lit.add(t)
    this.setLit()
    this.scene.draw()
  }

  /** Colours the facets. @param grid,low,high  the image's levels and the scale that it is drawn with */
  colour(
    colouring: Colouring,
    grid: Grid | null,
    low: number,
    high: number,
    colours: Colours,
    channel: string,
  ): void {
    const { mesh } = this.scene
    if (colouring === 'image' && grid) {
      this.setLit()
      projectImage(this.scene, this.result.image!, grid, low, high, colours)
    }
    if (colouring === 'field' && this.current)
      mesh.setTints(currentTints(this.current, colours, channel as Channel))
    const { facetMaterial } = this.result.target!
    if (colouring === 'material' && facetMaterial) mesh.setTints(materialTints(facetMaterial))
    mesh.colour(colouring)
    this.scene.draw()
  }

  mark(facets: readonly number[], edges: readonly number[]): void {
    const marked = new Set(facets)
    this.scene.mesh.setFlags('mark', (t) => marked.has(t))
    const all = this.result.target!.edges
    const ends = new Float64Array(6 * edges.length)
    edges.forEach((e, i) => ends.set(all.subarray(6 * e, 6 * e + 6), 6 * i))
    this.scene.markEdges(ends)
  }

  /** Draws some rays of each mechanism, evenly chosen. */
  showPaths(groups: readonly Mechanism[]): void {
    const { image } = this.result
    if (!image) return this.scene.setRays([])
    const reach = 0.9 * this.scene.mesh.geometry.boundingSphere!.radius
    const drawn = groups
      .filter((g) => g.edge === null)
      .slice(0, MOST_GROUPS)
      .flatMap(({ paths, surfaces, rays }) => {
        const { r } = direction(image.thetaDeg, rays.phiDeg)
        const away = (from: number[]): number[] => from.map((x, c) => x + reach * r[c])
        return paths
          .filter((_, i) => i % Math.ceil(paths.length / MOST_RAYS) === 0)
          .map((p): DrawnRay => {
            const hits = surfaces.map((_, m) => {
              const at = 3 * (rays.hitStart[p] + m)
              return [rays.hits[at], rays.hits[at + 1], rays.hits[at + 2]]
            })
            return { points: [away(hits[0]), ...hits, away(hits.at(-1)!)], bounces: hits.length }
          })
      })
    this.scene.setRays(drawn)
  }

  /** Facets that rays have met; those that face the radar before there are any. */
  private setLit(): void {
    const { image, target } = this.result
    if (!image) return
    const { positions, triangles } = target!
    const { r } = aspectOf(image)
    this.scene.mesh.setFlags('lit', (t) =>
      this.lit.size > 0 ? this.lit.has(t) : facing(positions, triangles, t, r),
    )
  }
}

const materialTints = (of: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: 3 * of.length }, (_, i) => materialColour(of[Math.floor(i / 3)])[i % 3])

/** Colours of the induced current: the scale ends at that of a mirror. */
function currentTints(current: Float32Array, colours: Colours, channel: Channel): Uint8Array {
  const table = coloursOf(colours)
  const c = CHANNELS.indexOf(channel)
  const tints = new Uint8Array((3 * current.length) / 4)
  for (let t = 0; 4 * t < current.length; t++) {
    const value = current[4 * t + c]
    const from = 3 * colourIndex(20 * Math.log10(value + 1e-12), -CURRENT_DEPTH, 0)
    tints.set(value > 0 ? table.subarray(from, from + 3) : DARK, 3 * t)
  }
  return tints
}
