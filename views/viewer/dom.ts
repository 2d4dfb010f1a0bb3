import type { Figure, Painter, Settings, TabName } from '../figures/index.js'
import regular from '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf?url'
import semiBold from '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf?url'
import type { Font } from 'fontkit'

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

/** @param content  text, or children */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  content: string | readonly (string | Node)[] = '',
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  if (typeof content === 'string') made.textContent = content
  else made.append(...content)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}

/** A table, its cells text or content. Numbers are right-aligned. */
export function tableOf(titles: string[], rows: (string | HTMLElement)[][]): HTMLTableElement {
  const head = titles.map((title) => element('th', title, { scope: 'col' }))
  const cell = (of: string | HTMLElement): HTMLElement =>
    element('td', [of], typeof of === 'string' && /^[−\d.–]+$/.test(of) ? { class: 'number' } : {})
  return element('table', [element('tr', head), ...rows.map((cells) => element('tr', cells.map(cell)))])
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
  let chosen: number | null = null
  const buttons = rows.map(([name], i) => {
    const button = element('button', name, { type: 'button', 'aria-pressed': 'false' })
    button.addEventListener('click', () => {
      chosen = chosen === i ? null : i
      buttons.forEach((b, j) => b.setAttribute('aria-pressed', String(j === chosen)))
      choose(chosen)
    })
    return button
  })
  return tableOf(
    titles,
    rows.map(([, ...cells], i) => [buttons[i], ...cells]),
  )
}

/** Facts about what is shown, label and value, below the figures. */
export function showFacts(facts: [string, string][]): void {
  const list = facts.flatMap(([label, value]) => [element('dt', label), element('dd', value)])
  one('facts')
    .querySelector('dl')!
    .replaceChildren(...list)
  one('facts').hidden = facts.length === 0
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
  pick?(tab: TabName, x: number, y: number): void
  /** The page's colour theme changed. */
  recolour?(ground: string): void
  /** The panel is no longer shown. */
  close?(): void
}

/** Downloads a file. */
export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const svgBlob = (markup: string): Blob => new Blob([markup], { type: 'image/svg+xml' })

/** A figure as SVG, its text as outlines: where it is opened the font may be missing. */
export async function svgFile({ markup }: Figure): Promise<Blob> {
  const [{ create }, { outlineText }, ...files] = await Promise.all([import('fontkit'), import('../figures/outline-text.js'), ...[regular, semiBold].map(bytesOf)]) // prettier-ignore
  const [plain, bold] = files.map((bytes) => create(bytes as Buffer) as Font)
  return svgBlob(outlineText(markup, { regular: plain, bold }))
}

const bytesOf = async (file: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(file)).arrayBuffer())

/** Figures side by side, as one. */
export function sideBySide(figures: readonly Figure[]): Figure {
  const width = figures.reduce((sum, f) => sum + f.width, 0)
  const height = Math.max(...figures.map((f) => f.height))
  let at = 0
  const parts = figures.map((f) => {
    const part = f.markup.replace(/^<svg /, `<svg x="${at}" `)
    at += f.width
    return part
  })
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
  return { width, height, markup: `${head}${parts.join('')}</svg>`, axes: null }
}

/** The page's fonts as a style sheet: a separate picture does not inherit them. */
async function fontStyle(): Promise<string> {
  const faces = [
    [400, regular],
    [600, semiBold],
  ].map(async ([weight, file]) => {
    const bytes = await bytesOf(file as string)
    let binary = ''
    for (const byte of bytes) binary += String.fromCharCode(byte)
    return `@font-face{font-family:Inter;font-weight:${weight};src:url(data:font/ttf;base64,${btoa(binary)})}`
  })
  return `<style>${(await Promise.all(faces)).join('')}</style>`
}

/** A figure as PNG of twice its size. */
export async function pngFile(figure: Figure): Promise<Blob> {
  const style = await fontStyle()
  const markup = figure.markup.replace(/^<svg [^>]*>/, (head) => head + style)
  const url = URL.createObjectURL(svgBlob(markup))
  try {
    const picture = new Image()
    picture.src = url
    await picture.decode()
    const canvas = document.createElement('canvas')
    canvas.width = 2 * figure.width
    canvas.height = 2 * figure.height
    canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height)
    return await new Promise((done, fail) =>
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('the picture is too large'))), 'image/png'),
    )
  } finally {
    URL.revokeObjectURL(url)
  }
}
