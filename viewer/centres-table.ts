import { type CentreData, shown } from '../plots/index.js'
import { cell, element } from './dom.js'

const TITLES = ['No.', 'Range [m]', 'Cross-range [m]', 'Level [dBsm]', 'By', 'Of', 'Point x, y, z [m]']

/** Lists the scattering centres of an image of a dataset, by number; nothing if it has none. */
export function centresTable(host: HTMLElement, centres: readonly CentreData[] | undefined): void {
  if (!centres || centres.length === 0) return host.replaceChildren()
  const table = element('table')
  table.append(element('caption', 'Scattering centres', { class: 'hidden' }))
  const head = element('tr')
  head.append(...TITLES.map((title) => element('th', title, { scope: 'col' })))
  table.append(head)
  centres.forEach((c, i) => {
    const row = element('tr')
    const of = c.id === null ? '' : `${c.mechanism === 'edges' ? 'edge' : 'facet'} ${c.id}`
    row.append(
      ...[
        String(i + 1),
        shown(c.rangeM, 3),
        shown(c.crossRangeM, 3),
        shown(c.level, 1),
        c.mechanism || '–',
        of,
        c.pointM?.map((x) => shown(x, 3)).join(', ') ?? '',
      ].map(cell),
    )
    table.append(row)
  })
  host.replaceChildren(table)
}
