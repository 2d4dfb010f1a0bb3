import { type PathGroup, sumOf } from './hot-spot.js'
import { shown } from '../src/plots/index.js'

export interface HotSpot {
  rangeM: number
  crossRangeM: number
  /** Of the image's pixel [dBsm]. */
  level: number
  /** What it is made of; null while no rays are known. */
  groups: PathGroup[] | null
  /** Aspects whose rays are known, of all that are traced. */
  looks: [number, number]
  facets: number
  edges: number
}

/** Mechanisms listed, the strongest ones. */
const MOST_ROWS = 5

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = '',
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  made.textContent = text
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

/** Writes down where a hot spot comes from; a mechanism's button shows its rays alone (null: all of them). */
export function showHotSpot(
  host: HTMLElement,
  spot: HotSpot,
  choose: (group: PathGroup | null) => void,
): void {
  const { rangeM, crossRangeM, level, groups, looks, facets, edges } = spot
  const head = element('p')
  head.append(
    element('strong', 'Hot spot'),
    ` at range ${shown(rangeM, 3)} m, cross-range ${shown(crossRangeM, 3)} m: ${shown(level, 1)} dBsm. ` +
      `${facets} facet${facets === 1 ? '' : 's'} and ${edges} diffracting edge${edges === 1 ? '' : 's'} in its cell.`,
  )
  host.replaceChildren(head)
  if (!groups) return
  if (groups.length === 0) {
    host.append(element('p', 'No ray falls here: look for edges.'))
    return
  }
  const known = looks[0] < looks[1] ? `${looks[0]} of ${looks[1]}` : String(looks[1])
  host.append(
    element(
      'p',
      `Rays of ${known} aspect${looks[1] === 1 ? '' : 's'} add up to ${shown(sumOf(groups), 1)} dBsm (edges not counted):`,
    ),
  )
  const table = element('table')
  const titles = element('tr')
  for (const title of ['Path over surfaces', 'Bounces', 'Level [dBsm]', 'Rays'])
    titles.append(element('th', title, { scope: 'col' }))
  table.append(titles)
  let chosen: number | null = null
  const buttons = groups
    .filter((g) => g.paths.length > 0)
    .slice(0, MOST_ROWS)
    .map((group, i) => {
      const button = element('button', `surface ${group.surfaces.join(' → ')}`, {
        type: 'button',
        'aria-pressed': 'false',
      })
      button.addEventListener('click', () => {
        chosen = chosen === i ? null : i
        buttons.forEach((b, j) => b.setAttribute('aria-pressed', String(j === chosen)))
        choose(chosen === null ? null : group)
      })
      const row = element('tr')
      const name = element('td')
      name.append(button)
      row.append(
        name,
        element('td', String(group.surfaces.length), { class: 'number' }),
        element('td', shown(group.level, 1), { class: 'number' }),
        element('td', String(group.paths.length), { class: 'number' }),
      )
      table.append(row)
      return button
    })
  host.append(table)
}
