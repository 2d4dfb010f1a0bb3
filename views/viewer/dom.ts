import type { Painter, Settings, TabName } from '../figures/index.js'

/** Pixels as the data URL of a picture, by the browser's encoder. */
export const pictureOf: Painter = (pixels, columns) => {
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = pixels.length / 4 / columns
  // Read back at once: on a GPU that would wait for all that is being drawn.
  canvas.getContext('2d', { willReadFrequently: true })!.putImageData(new ImageData(pixels, columns), 0, 0)
  return canvas.toDataURL()
}

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

const KEY = 'isar-theme'

/** Dark or light as selected by the visitor, else as the system's setting; the button changes it. */
export function startTheme(button: HTMLButtonElement, onChange: () => void): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = (): void => {
    const dark = (localStorage.getItem(KEY) ?? (system.matches ? 'dark' : 'light')) === 'dark'
    document.documentElement.dataset.theme = dark ? 'dark' : 'light'
    button.textContent = dark ? 'Light' : 'Dark'
    button.title = `Switch to ${dark ? 'light' : 'dark'} colours`
    onChange()
  }
  button.addEventListener('click', () => {
    localStorage.setItem(KEY, document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')
    apply()
  })
  system.addEventListener('change', apply)
  apply()
}

/** The panel beside the figures: a target, a propagation scene, or the images of a dataset. */
export interface Side {
  /** The figure was redrawn: other settings, another tab. */
  draw(tab: TabName, settings: Readonly<Settings>): void
  /** A point of the figure was selected [axis units]. */
  pick(tab: TabName, x: number, y: number): void
  /** The page's colour theme changed. */
  recolour(ground: string): void
  /** The panel is no longer shown. */
  close(): void
}
