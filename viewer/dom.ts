/** The element of an id that the page contains. */
export const one = <T extends HTMLElement>(id: string): T => document.querySelector<T>(`#${id}`)!

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

/** A cell of a table: text or content. Numbers are right-aligned. */
export function cell(of: string | HTMLElement): HTMLTableCellElement {
  if (typeof of !== 'string') {
    const made = element('td')
    made.append(of)
    return made
  }
  return element('td', of, /^[−\d.–]+$/.test(of) ? { class: 'number' } : {})
}

/**
 * A table with one selectable row, by the button in its first cell; selecting it again clears the selection (null).
 * @param rows  text of the button, then of the other cells
 */
export function choiceTable(
  titles: string[],
  rows: string[][],
  choose: (row: number | null) => void,
): HTMLTableElement {
  const table = element('table')
  const head = element('tr')
  head.append(...titles.map((title) => element('th', title, { scope: 'col' })))
  table.append(head)
  let chosen: number | null = null
  const buttons = rows.map(([name, ...cells], i) => {
    const button = element('button', name, { type: 'button', 'aria-pressed': 'false' })
    button.addEventListener('click', () => {
      chosen = chosen === i ? null : i
      buttons.forEach((b, j) => b.setAttribute('aria-pressed', String(j === chosen)))
      choose(chosen)
    })
    const row = element('tr')
    row.append(cell(button), ...cells.map(cell))
    table.append(row)
    return button
  })
  return table
}
