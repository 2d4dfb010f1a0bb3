import { coloursOf, type Scale, shown } from '../plots/index.js'
import { element } from './dom.js'
import { pictureOf } from './picture.js'

/** A colour bar on the page, lying: of levels in a view that is no figure. */
export class ColourScale {
  private readonly box = element('div', '', { class: 'colour-scale' })

  constructor(host: HTMLElement) {
    this.box.hidden = true
    host.append(this.box)
  }

  /** @param of  null: nothing is coloured by levels */
  show(of: Scale | null): void {
    this.box.hidden = of === null
    if (!of) return
    const table = coloursOf(of.colours)
    const ramp = new Uint8ClampedArray(4 * 256)
    for (let i = 0; i < 256; i++) ramp.set([...table.subarray(3 * i, 3 * i + 3), 255], 4 * i)
    const bar = element('img', '', { class: 'ramp', alt: 'to', src: pictureOf(ramp, 256) })
    this.box.replaceChildren(shown(of.low, 0), bar, `${shown(of.high, 0)} ${of.unit}`)
  }
}
