import { DataTexture, LinearFilter, RGBAFormat } from 'three'
import { direction } from '../../scene/index.js'
import { type Material, slab } from '../../scene/materials/index.js'
import { type Colours, type Grid, type ImageGridData, raster, shown } from '../figures/index.js'
import { cellAt, normalOf, projected } from './geometry.js'
import type { ResultData } from './data.js'
import { download, element, one } from './dom.js'
import type { SceneView, ViewName } from './scene-view.js'
import type { Colouring } from './scene-parts.js'

/** Of the conductor, then of materials in their order, and again from the first of these: told apart with deficient colour vision too (Okabe and Ito). */
const CONDUCTOR: Rgb = [158, 168, 178]
const COLOURS: Rgb[] = [
  [230, 159, 0],
  [86, 180, 233],
  [0, 158, 115],
  [240, 228, 66],
  [0, 114, 178],
  [213, 94, 0],
  [204, 121, 167],
]
type Rgb = [number, number, number]

/** Colour of the material of a number, 0 to 255. */
export const materialColour = (number: number): Rgb =>
  number === 0 ? CONDUCTOR : COLOURS[(number - 1) % COLOURS.length]

/** |R| of a facet of normal n, of any length, for the radar in direction r [dB], E across the plane of incidence and in it; null at grazing. */
function reflectionDb(
  material: Material,
  n: readonly number[],
  r: readonly number[],
  freqHz: number,
): { angleDeg: number; s: number; p: number } | null {
  const cosine = (n[0] * r[0] + n[1] * r[1] + n[2] * r[2]) / Math.hypot(n[0], n[1], n[2])
  if (Math.abs(cosine) < 1e-6) return null
  const out = new Float64Array(8)
  slab(material, freqHz, Math.min(1, Math.abs(cosine)), out, cosine < 0)
  const db = (at: number): number => 20 * Math.log10(Math.hypot(out[at], out[at + 1]) + 1e-15)
  return { angleDeg: (180 * Math.acos(Math.min(1, Math.abs(cosine)))) / Math.PI, s: db(0), p: db(2) }
}

/** A legend over the view: names beside their colours. */
export const colourLegend = (entries: { name: string; colour: Rgb }[]): HTMLElement =>
  element(
    'div',
    entries.map(({ name, colour }) => {
      const sample = element('span')
      sample.style.background = `rgb(${colour.join()})`
      return element('p', [sample, name])
    }),
    { class: 'material-legend' },
  )

/** The legend of materials over the view, and what the facet under the pointer reflects towards the radar. */
export class MaterialLegend {
  private readonly box: HTMLElement
  private readonly line = element('p', '', { 'data-of': 'facet' })

  constructor(host: HTMLElement, result: ResultData, scene: SceneView) {
    const { image, history, target } = result
    const materials = target!.materials!
    this.box = colourLegend(materials.map(({ name }, i) => ({ name, colour: materialColour(i) })))
    this.box.hidden = true
    this.box.append(this.line)
    host.append(this.box)
    const frequencies = history?.freqHz
    const aspect = image ?? (history && { thetaDeg: history.thetaDeg[0], phiDeg: history.phiDeg[0] })
    if (!frequencies || !aspect) return
    const middle = (frequencies[0] + frequencies[frequencies.length - 1]) / 2
    const { r } = direction(aspect.thetaDeg, aspect.phiDeg)
    scene.onHover((facet) => {
      if (this.box.hidden) return
      if (facet < 0) return this.line.replaceChildren()
      const material = materials[target!.facetMaterial![facet]]
      const of = reflectionDb(material, normalOf(target!.positions, target!.triangles, facet), r, middle)
      this.line.textContent = of
        ? `${material.name}: ${shown(of.angleDeg, 1)}° from its normal, |R| ${shown(of.s, 1)} dB (s), ${shown(of.p, 1)} dB (p) at ${shown(middle / 1e9, 2)} GHz`
        : `${material.name}: grazing`
    })
  }

  show(on: boolean): void {
    this.box.hidden = !on
  }
}

/** The controls above the view in three dimensions. */
export class TargetBar {
  private readonly ended = new AbortController()

  /** @param scene  null where there is nothing to show @param of  content of the view, which selects its buttons */
  constructor(
    name: string,
    scene: SceneView | null,
    of: 'target' | 'scene' | 'motion',
    onColour: () => void,
  ) {
    const { signal } = this.ended
    const views = document.querySelectorAll<HTMLButtonElement>('[data-view]')
    for (const control of one('target-panel').querySelectorAll<HTMLButtonElement>('.bar button, .bar select, .bar input'))
      control.disabled = !scene // prettier-ignore
    for (const button of views) {
      button.hidden = button.dataset.of !== undefined && !button.dataset.of.split(' ').includes(of)
      button.addEventListener('click', () => scene?.orbit.look(button.dataset.view as ViewName), { signal })
    }
    one('colour-choice').hidden = of !== 'target'
    one('currents-choice').hidden = true
    for (const id of ['edges-choice', 'rays-choice']) one(id).hidden = of === 'motion'
    one('edges-name').textContent = of === 'scene' ? 'Outlines' : 'Edges'
    one('rays-name').textContent = of === 'scene' ? 'Paths' : 'Rays'
    one('target-heading').textContent = of === 'scene' ? 'Scene' : 'Target'
    const [edges, rays] = [one<HTMLInputElement>('show-edges'), one<HTMLInputElement>('show-rays')]
    edges.checked = of === 'scene'
    scene?.showEdges(edges.checked)
    scene?.showRays(rays.checked)
    edges.addEventListener('input', () => scene?.showEdges(edges.checked), { signal })
    rays.addEventListener('input', () => scene?.showRays(rays.checked), { signal })
    one('target-colour').addEventListener('input', onColour, { signal })
    const save = async (): Promise<void> => download(`${name}-${of}.png`, await scene!.png())
    one('target-png').addEventListener('click', () => void save(), { signal })
  }

  /** Calls for changes of a control until the bar is closed. */
  listen(control: HTMLElement, onInput: () => void): void {
    control.addEventListener('input', onInput, { signal: this.ended.signal })
  }

  hideViews(views: ViewName[]): void {
    for (const view of views) document.querySelector<HTMLButtonElement>(`[data-view=${view}]`)!.hidden = true
  }

  /** The selected colouring of the facets, if available. */
  colouring(has: Record<Colouring, boolean>): Colouring {
    const select = one<HTMLSelectElement>('target-colour')
    for (const option of select.options) option.disabled = !has[option.value as Colouring]
    return select.selectedOptions[0]?.disabled ? 'plain' : (select.value as Colouring)
  }

  /** A line below the view; none where absent. */
  note(text?: string): void {
    one('target-note').hidden = text === undefined
    one('target-note').textContent = text ?? ''
  }

  close(): void {
    this.ended.abort()
    one('hot-spot').replaceChildren()
  }
}

/**
 * Projects an image onto the target along the normal of its plane, the direction that the radar does not resolve.
 * @param grid,low,high  its levels and the scale that they are drawn with
 */
export function projectImage(
  scene: SceneView,
  image: ImageGridData,
  { x, y, levels }: Grid,
  low: number,
  high: number,
  colours: Colours,
): void {
  const cell = cellAt(image, 0, 0)
  const [dx, dy] = [x[1] - x[0], y[1] - y[0]]
  scene.mesh.setPictureCoordinates((corner, at) => {
    const [c, r] = projected(corner, at, cell)
    return [(c - x[0] + dx / 2) / (dx * x.length), (r - y[0] + dy / 2) / (dy * y.length)]
  })
  const pixels = raster(levels, x.length, low, high, colours)
  const texture = new DataTexture(new Uint8Array(pixels.buffer), x.length, y.length, RGBAFormat)
  texture.flipY = true
  texture.magFilter = LinearFilter
  texture.minFilter = LinearFilter
  texture.needsUpdate = true
  scene.mesh.setPicture(texture)
}
