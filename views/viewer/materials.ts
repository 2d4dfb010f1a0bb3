import { direction } from '../../scene/index.js'
import { type Material, slab } from '../../scene/materials/index.js'
import { shown } from '../figures/index.js'
import { normalOf } from './cell.js'
import type { ResultData } from './data.js'
import { element } from './dom.js'
import type { SceneView } from './scene-view.js'

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
export function reflectionDb(
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

/** The legend of materials over the view, and what the facet under the pointer reflects towards the radar. */
export class MaterialLegend {
  private readonly box = element('div')
  private readonly line = element('p')

  constructor(host: HTMLElement, result: ResultData, scene: SceneView) {
    const { image, history, target, view } = result
    const materials = view.target!.materials!
    this.box.className = 'material-legend'
    this.box.hidden = true
    for (const [number, { name }] of materials.entries()) {
      const sample = element('span')
      sample.style.background = `rgb(${materialColour(number).join()})`
      const entry = element('p')
      entry.append(sample, name)
      this.box.append(entry)
    }
    this.line.dataset.of = 'facet'
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
