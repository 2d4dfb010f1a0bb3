import { coloursOf, type Scale, shown } from '../plots/index.js'
import { element } from './dom.js'

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
    const stops = Array.from({ length: 18 }, (_, i) => `rgb(${table.subarray(45 * i, 45 * i + 3).join()})`)
    const bar = element('span', '', { class: 'ramp' })
    bar.style.background = `linear-gradient(to right, ${stops.join()})`
    this.box.replaceChildren(shown(of.low, 0), bar, `${shown(of.high, 0)} ${of.unit}`)
  }
}
