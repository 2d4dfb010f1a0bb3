import {
  atX,
  atY,
  type Figure,
  nearest,
  NIGHT,
  PAPER,
  shown,
  type View,
  xAt,
  yAt,
} from '../src/plots/index.js'
import { pictureOf } from './picture.js'

export interface PlotEvents {
  /** What stands under the cursor, as a line of text. */
  onRead(text: string): void
  /** A point was clicked, or chosen with Enter [axis units]. */
  onPick(x: number, y: number): void
  /** A key that the plot itself does not know. Returns whether it was used. */
  onKey(key: string): boolean
}

const SVG = 'http://www.w3.org/2000/svg'

/** The figure with its cursor: mouse, touch, or arrow keys from pixel to pixel (with Shift ten at a time). */
export class PlotPanel {
  private view: View | null = null
  private figure: Figure | null = null
  private cursor: [number, number] | null = null
  private mark: [number, number] | null = null

  constructor(
    private readonly host: HTMLElement,
    private readonly events: PlotEvents,
  ) {
    host.addEventListener('pointermove', (e) => this.moveTo(this.at(e)))
    host.addEventListener('click', (e) => {
      this.moveTo(this.at(e))
      if (this.cursor) events.onPick(...this.cursor)
    })
    host.addEventListener('keydown', (e) => this.onKey(e))
    new ResizeObserver(() => this.redraw()).observe(host)
  }

  show(view: View, label: string): void {
    this.view = view
    this.host.setAttribute('aria-label', label)
    this.redraw()
  }

  /** Marks a point (the hot spot that was chosen). */
  setMark(mark: [number, number] | null): void {
    this.mark = mark
    this.cursor = mark
    this.drawCursor()
  }

  /** The figure on white paper, for a file. */
  forFile(): Figure | null {
    if (!this.view) return null
    return this.view.draw(
      Math.max(720, this.host.clientWidth),
      Math.max(540, this.host.clientHeight),
      PAPER,
      pictureOf,
    )
  }

  redraw(): void {
    const { clientWidth: width, clientHeight: height } = this.host
    if (!this.view || width === 0 || height === 0) return
    const dark = document.documentElement.dataset.theme === 'dark'
    this.figure = this.view.draw(width, height, dark ? NIGHT : PAPER, pictureOf)
    const parsed = new DOMParser().parseFromString(this.figure.markup, 'image/svg+xml')
    this.host.replaceChildren(document.importNode(parsed.documentElement, true))
    this.drawCursor()
  }

  private at(event: MouseEvent): [number, number] | null {
    const axes = this.figure?.axes
    if (!axes) return null
    const box = this.host.getBoundingClientRect()
    const x = xAt(axes, event.clientX - box.left)
    const y = yAt(axes, event.clientY - box.top)
    return x < axes.x[0] || x > axes.x[1] || y < axes.y[0] || y > axes.y[1] ? null : [x, y]
  }

  private moveTo(to: [number, number] | null): void {
    this.cursor = to
    this.drawCursor()
  }

  private onKey(event: KeyboardEvent): void {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const step = event.shiftKey ? 10 : 1
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    }
    if (moves[key]) this.moveBy(...moves[key])
    else if ((key === 'Enter' || key === ' ') && this.cursor) this.events.onPick(...this.cursor)
    else if (!this.events.onKey(key)) return
    event.preventDefault()
  }

  private moveBy(columns: number, rows: number): void {
    const { view, figure } = this
    const axes = figure?.axes
    if (!view || !axes) return
    const xs = view.grid?.x ?? Float64Array.from(view.curves![0].x)
    const [x, y] = this.cursor ?? [(axes.x[0] + axes.x[1]) / 2, (axes.y[0] + axes.y[1]) / 2]
    const clamp = (i: number, n: number): number => Math.max(0, Math.min(n - 1, i))
    const to = xs[clamp(nearest(xs, x) + columns, xs.length)]
    const up = view.grid ? view.grid.y[clamp(nearest(view.grid.y, y) + rows, view.grid.y.length)] : y
    this.moveTo([to, up])
  }

  private drawCursor(): void {
    const { view, figure, cursor, mark } = this
    const drawing = this.host.querySelector('svg')
    if (!drawing || !view || !figure?.axes) return this.events.onRead('')
    drawing.querySelector('.cursor')?.remove()
    const group = document.createElementNS(SVG, 'g')
    group.setAttribute('class', 'cursor')
    const { axes } = figure
    const add = (name: string, attributes: Record<string, string | number>): void => {
      const shape = document.createElementNS(SVG, name)
      for (const [key, value] of Object.entries({
        fill: 'none',
        stroke: view.grid ? 'white' : 'currentColor',
        ...attributes,
      }))
        shape.setAttribute(key, String(value))
      group.append(shape)
    }
    if (cursor) {
      const [x, y] = [atX(axes, cursor[0]), atY(axes, cursor[1])]
      const thin = { 'stroke-opacity': 0.6, 'stroke-dasharray': '4 3' }
      add('line', { x1: x, x2: x, y1: axes.top, y2: axes.top + axes.height, ...thin })
      if (view.grid) add('line', { x1: axes.left, x2: axes.left + axes.width, y1: y, y2: y, ...thin })
    }
    if (mark && view.grid)
      add('circle', {
        cx: atX(axes, mark[0]),
        cy: atY(axes, mark[1]),
        r: 9,
        stroke: '#3ad1ff',
        'stroke-width': 2,
      })
    drawing.append(group)
    this.events.onRead(cursor ? readAt(view, cursor) : '')
  }
}

/** Values at the cursor with their units. */
function readAt({ grid, curves, axes, unit }: View, [x, y]: [number, number]): string {
  const value = (v: number, u: string): string =>
    `${shown(v, u === 'm' || u === 'GHz' ? 3 : 2)}${u === '°' ? '' : ' '}${u}`
  if (grid) {
    const [c, r] = [nearest(grid.x, x), nearest(grid.y, y)]
    if (c < 0 || r < 0) return ''
    return `${axes.y} ${value(grid.y[r], axes.yUnit)}  ·  ${axes.x} ${value(grid.x[c], axes.xUnit)}  ·  ${shown(grid.levels[r * grid.x.length + c], 2)} ${unit}`
  }
  const lines = curves!.map(({ name, x: xs, y: ys }) => {
    let best = 0
    for (let i = 1; i < xs.length; i++) if (Math.abs(xs[i] - x) < Math.abs(xs[best] - x)) best = i
    return { at: xs[best], text: `${name} ${shown(ys[best], 2)} ${unit}` }
  })
  return [`${axes.x} ${value(lines[0].at, axes.xUnit)}`, ...lines.map((l) => l.text)].join('  ·  ')
}
