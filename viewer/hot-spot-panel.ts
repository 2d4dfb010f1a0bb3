import { choiceTable, element } from './dom.js'
import { type Mechanism, restOf, sumOf } from './hot-spot.js'
import { shown } from '../plots/index.js'

export interface HotSpot {
  /** For the reader. */
  place: string
  /** Of the image's pixel. */
  level: number
  unit: string
  /** Of a pixel below the picture's scale: how far it is below the brightest [dB]; null of others. */
  below: number | null
  /** Its complex value, re and im [m]. */
  value: [number, number]
  /** Its mechanisms; null while no rays are known. */
  groups: Mechanism[] | null
  /** Number of aspects with known rays, and of all traced ones. */
  aspects: [number, number]
  /** Null without a target. */
  facets: number | null
  /** Edges in the cell. */
  edges: number
  /** Whether edges are among the mechanisms. */
  edgesKnown: boolean
}

/** Mechanisms listed at once, of those so far below the strongest [dB]; the others are folded, and so many of them listed. */
const MOST_ROWS = 6
const LISTED_DEPTH = 30
const MOST_FOLDED = 24

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** Lists the mechanisms of a hot spot; a mechanism's button shows it alone (null: all of them). */
export function showHotSpot(
  host: HTMLElement,
  spot: HotSpot,
  choose: (group: Mechanism | null) => void,
): void {
  const { place, level, unit, below, value, groups, aspects, facets, edges, edgesKnown } = spot
  const head = element('p')
  host.replaceChildren(head)
  if (below !== null) {
    head.append(element('strong', 'Nothing here'), ` at ${place}: ${shown(level, 1)} ${unit}, ${shown(below, 0)} dB below the brightest pixel and off the picture’s scale.`) // prettier-ignore
    return
  }
  head.append(element('strong', 'Hot spot'), ` at ${place}: ${shown(level, 1)} ${unit}. `)
  if (facets !== null)
    head.append(`${counted(facets, 'facet')} marked; ${counted(edges, 'diffracting edge')} in its cell.`)
  if (!groups) return
  if (groups.length === 0) {
    host.append(element('p', `No ray${edgesKnown ? ' and no edge' : ''} falls here.`))
    return
  }
  const known = aspects[0] < aspects[1] ? `${aspects[0]} of ${aspects[1]}` : String(aspects[1])
  const sum = (of: Mechanism[]): string => `${of.length > 0 ? shown(sumOf(of), 1) : '−∞'} dBsm`
  const parts = edgesKnown
    ? `rays ${sum(groups.filter((g) => g.edge === null))}, edges ${sum(groups.filter((g) => g.edge !== null))}`
    : 'edges not counted'
  const found = groups.filter((g) => g.paths.length > 0)
  const listed = found.slice(0, MOST_ROWS).filter((g) => g.level > found[0].level - LISTED_DEPTH)
  const folded = found.slice(listed.length)
  host.append(
    element(
      'p',
      `${edgesKnown ? 'Rays and edges' : 'Rays'} of ${known} aspect${aspects[1] === 1 ? '' : 's'} add up to ${sum(groups)} (${parts}). ` +
        `The rest of the pixel, ${shown(restOf(groups, value), 1)} dBsm, is sidelobes of other spots and what is not traced: aspects in between, ${edgesKnown ? 'second order' : 'edges'}.`,
    ),
  )
  const all = [...listed, ...folded.slice(0, MOST_FOLDED)]
  const table = choiceTable(
    [`Path over ${groups.some((g) => g.parts) ? 'parts' : 'surfaces'}, or edge`, 'Bounces', 'Level [dBsm]', 'Rays'], // prettier-ignore
    all.map((g) => [
      nameOf(g),
      g.edge === null ? String(g.surfaces.length) : '–',
      shown(g.level, 1),
      g.edge === null ? String(g.paths.length) : '–',
    ]),
    (row) => choose(row === null ? null : all[row]),
  )
  host.append(table)
  if (folded.length > 0)
    host.append(foldButton([...table.rows].slice(1 + listed.length), folded, sum(folded)))
}

/** Hides the rows of weaker mechanisms until it is pressed. */
function foldButton(rows: HTMLTableRowElement[], folded: Mechanism[], sum: string): HTMLButtonElement {
  const first = rows.length < folded.length ? ` (the first ${rows.length} listed)` : ''
  const button = element('button', `${counted(folded.length, 'weaker part')}, together ${sum}${first}`, { type: 'button', 'aria-expanded': 'false' }) // prettier-ignore
  const fold = (hide: boolean): void => {
    for (const row of rows) row.hidden = hide
    button.setAttribute('aria-expanded', String(!hide))
  }
  fold(true)
  button.addEventListener('click', () => fold(button.getAttribute('aria-expanded') === 'true'))
  return button
}

const nameOf = ({ edge, parts, surfaces }: Mechanism): string =>
  edge !== null ? `edge ${edge}` : parts ? parts.join(' → ') : `surface ${surfaces.join(' → ')}`
