import { choiceTable, element } from './dom.js'
import { type Mechanism, restOf, sumOf } from './hot-spot.js'
import { shown } from '../plots/index.js'

export interface HotSpot {
  rangeM: number
  crossRangeM: number
  /** Of the image's pixel [dBsm]. */
  level: number
  /** Its complex value, re and im [m]. */
  value: [number, number]
  /** Its mechanisms; null while no rays are known. */
  groups: Mechanism[] | null
  /** Number of aspects with known rays, and of all traced ones. */
  aspects: [number, number]
  facets: number
  /** Edges in the cell. */
  edges: number
  /** Whether edges are among the mechanisms. */
  edgesKnown: boolean
}

/** Mechanisms listed, the strongest ones. */
const MOST_ROWS = 6

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** Lists the mechanisms of a hot spot; a mechanism's button shows it alone (null: all of them). */
export function showHotSpot(
  host: HTMLElement,
  spot: HotSpot,
  choose: (group: Mechanism | null) => void,
): void {
  const { rangeM, crossRangeM, level, value, groups, aspects, facets, edges, edgesKnown } = spot
  const head = element('p')
  head.append(
    element('strong', 'Hot spot'),
    ` at range ${shown(rangeM, 3)} m, cross-range ${shown(crossRangeM, 3)} m: ${shown(level, 1)} dBsm. ` +
      `${counted(facets, 'facet')} marked; ${counted(edges, 'diffracting edge')} in its cell.`,
  )
  host.replaceChildren(head)
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
  const listed = found.slice(0, MOST_ROWS)
  const which = listed.length < found.length ? ` The strongest ${listed.length} of ${found.length}:` : ''
  host.append(
    element(
      'p',
      `${edgesKnown ? 'Rays and edges' : 'Rays'} of ${known} aspect${aspects[1] === 1 ? '' : 's'} add up to ${sum(groups)} (${parts}). ` +
        `The rest of the pixel, ${shown(restOf(groups, value), 1)} dBsm, is sidelobes of other spots and what is not traced: aspects in between, ${edgesKnown ? 'second order' : 'edges'}.${which}`,
    ),
  )
  const rows = listed.map((g) => [
    g.edge === null ? `surface ${g.surfaces.join(' → ')}` : `edge ${g.edge}`,
    g.edge === null ? String(g.surfaces.length) : '–',
    shown(g.level, 1),
    g.edge === null ? String(g.paths.length) : '–',
  ])
  host.append(
    choiceTable(['Path over surfaces, or edge', 'Bounces', 'Level [dBsm]', 'Rays'], rows, (row) =>
      choose(row === null ? null : listed[row]),
    ),
  )
}
