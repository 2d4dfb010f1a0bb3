import {
  type Axes,
  atX,
  atY,
  closest,
  type Figure,
  type MapWindow,
  nearest,
  NIGHT,
  PAPER,
  shown,
  type View,
  wholeOf,
  xAt,
  yAt,
} from '../figures/index.js'
import { pictureOf } from './dom.js'

export interface PlotEvents {
  /** The read-out at the cursor, as a line of text. */
  onRead(text: string): void
  /** The cursor was moved. */
  onCursor(to: [number, number] | null): void
  /** A point was clicked, or chosen with Enter [axis units]. */
  onPick(x: number, y: number): void
  /** A key that the plot does not handle. Returns whether it was used. */
  onKey(key: string): boolean
  /** Requests another part of a map; all of it where undefined. */
  onWindow(window: MapWindow | undefined): void
}

/** Zoom factor of one step of wheel or key. */
const ZOOM = 1.25
/** Pixels that a pointer moves before a drag starts. */
const DRAG = 4

const SVG = 'http://www.w3.org/2000/svg'

/** The figure with its cursor: mouse, touch, or arrow keys from pixel to pixel (with Shift ten at a time). */
export class PlotPanel {
  private view: View | null = null
  private figure: Figure | null = null
  private cursor: [number, number] | null = null
  private mark: [number, number] | null = null
  private line: number | undefined
  private dragFrom: { x: number; y: number; window: MapWindow | null } | null = null
  private dragged = false

  constructor(
    private readonly host: HTMLElement,
    private readonly events: PlotEvents,
  ) {
    host.addEventListener('pointermove', (e) =>
      this.dragFrom && e.buttons ? this.drag(e) : this.moveTo(this.at(e)),
    )
    host.addEventListener('pointerdown', (e) => {
      this.dragFrom = { x: e.clientX, y: e.clientY, window: this.window() }
      this.dragged = false
    })
    host.addEventListener('click', (e) => {
      if (this.dragged) return
      this.moveTo(this.at(e))
      if (this.cursor) events.onPick(...this.cursor)
    })
    host.addEventListener('wheel', (e) => {
      const at = this.at(e)
      if (!at || !this.view?.grid) return
      e.preventDefault()
      this.zoom(e.deltaY < 0 ? 1 / ZOOM : ZOOM, at)
    })
    host.addEventListener('keydown', (e) => this.onKey(e))
    new ResizeObserver(() => this.redraw()).observe(host)
  }

  show(view: View, label: string): void {
    this.view = view
    this.line = view.line
    this.host.setAttribute('aria-label', label)
    this.redraw()
  }

  /** Marks a point (the hot spot that was chosen); the cursor moves to a new one. */
  setMark(mark: [number, number] | null): void {
    if (mark?.join() === this.mark?.join()) return
    this.mark = mark
    this.cursor = mark
    this.drawCursor()
    this.events.onCursor(mark)
  }

  /** Moves the line of the view. */
  setLine(x: number): void {
    this.line = x
    this.drawCursor()
  }

  /** Follows the cursor of the figure beside this one. */
  follow(to: [number, number] | null): void {
    this.cursor = to
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
    this.events.onCursor(to)
  }

  /** The visible part of a map. */
  private window(): MapWindow | null {
    const axes = this.figure?.axes
    return axes && this.view?.grid ? { x: axes.x, y: axes.y } : null
  }

  private drag(event: PointerEvent): void {
    const { window, x, y } = this.dragFrom!
    const [dx, dy] = [event.clientX - x, event.clientY - y]
    if (!window || this.isWhole(window) || (!this.dragged && Math.hypot(dx, dy) < DRAG)) return
    this.dragged = true
    const { width, height } = this.figure!.axes!
    const moved = (ends: [number, number], by: number): [number, number] => [ends[0] + by, ends[1] + by]
    this.events.onWindow({
      x: moved(window.x, (-dx * (window.x[1] - window.x[0])) / width),
      y: moved(window.y, (dy * (window.y[1] - window.y[0])) / height),
    })
  }

  /** Shows `by` times as much of a map, at most all of it, with a point fixed. */
  private zoom(by: number, [x, y]: [number, number]): void {
    const window = this.window()
    if (!window) return
    const ends = ([a, b]: [number, number], at: number): [number, number] => [
      at + by * (a - at),
      at + by * (b - at),
    ]
    const next = { x: ends(window.x, x), y: ends(window.y, y) }
    this.events.onWindow(this.isWhole(next) ? undefined : next)
  }

  private isWhole({ x }: MapWindow): boolean {
    const whole = wholeOf(this.view!.grid!)
    return x[1] - x[0] > 0.999 * (whole.x[1] - whole.x[0])
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
    if (moves[key]) {
      this.moveBy(...moves[key])
      if (this.view?.steps && this.cursor) this.events.onPick(...this.cursor)
    } else if (key === ' ' && this.events.onKey(key)) {
      // Used.
    } else if ('zx'.includes(key.toLowerCase()) && this.view?.grid) {
      const axes = this.figure!.axes!
      const middle: [number, number] = [(axes.x[0] + axes.x[1]) / 2, (axes.y[0] + axes.y[1]) / 2]
      this.zoom(key.toLowerCase() === 'z' ? 1 / ZOOM : ZOOM, this.cursor ?? middle)
    } else if ((key === 'Enter' || key === ' ') && this.cursor) this.events.onPick(...this.cursor)
    else if (!this.events.onKey(key)) return
    event.preventDefault()
  }

  private moveBy(columns: number, rows: number): void {
    const { view, figure } = this
    const axes = figure?.axes
    if (!view || !axes) return
    const xs = view.grid?.x ?? samples(view.curves!)
    const [x, y] = this.cursor ?? [(axes.x[0] + axes.x[1]) / 2, (axes.y[0] + axes.y[1]) / 2]
    const clamp = (i: number, n: number): number => Math.max(0, Math.min(n - 1, i))
    const from = view.steps ? (this.line ?? x) : x
    const at = view.grid ? nearest(xs, from) : closest(xs, x)
    const to = xs[clamp(at + columns, xs.length)]
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
    if (cursor && inside(axes, cursor)) {
      const [x, y] = [atX(axes, cursor[0]), atY(axes, cursor[1])]
      const thin = { 'stroke-opacity': 0.6, 'stroke-dasharray': '4 3' }
      add('line', { x1: x, x2: x, y1: axes.top, y2: axes.top + axes.height, ...thin })
      if (view.grid) add('line', { x1: axes.left, x2: axes.left + axes.width, y1: y, y2: y, ...thin })
    }
    if (this.line !== undefined && this.line >= axes.x[0] && this.line <= axes.x[1]) {
      const x = atX(axes, this.line)
      add('line', { x1: x, x2: x, y1: axes.top, y2: axes.top + axes.height, stroke: '#3ad1ff', 'stroke-width': 2, class: 'time' }) // prettier-ignore
    }
    if (mark && view.grid && inside(axes, mark))
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

const inside = ({ x, y }: Axes, at: [number, number]): boolean =>
  at[0] >= x[0] && at[0] <= x[1] && at[1] >= y[0] && at[1] <= y[1]

/** Positions of the curves' samples, ascending. */
const samples = (curves: readonly { x: ArrayLike<number> }[]): Float64Array =>
  Float64Array.from(new Set(curves.flatMap((c) => Array.from(c.x)))).sort()

/** Values at the cursor with their units. */
function readAt({ grid, curves, single, axes, unit }: View, [x, y]: [number, number]): string {
  const value = (v: number, u: string): string =>
    `${shown(v, u === 's' ? 4 : u === 'm' || u === 'GHz' ? 3 : 2)}${u === '°' ? '' : ' '}${u}`
  if (grid) {
    const [c, r] = [nearest(grid.x, x), nearest(grid.y, y)]
    if (c < 0 || r < 0) return ''
    return `${axes.y} ${value(grid.y[r], axes.yUnit)}  ·  ${axes.x} ${value(grid.x[c], axes.xUnit)}  ·  ${shown(grid.levels[r * grid.x.length + c], 2)} ${unit}`
  }
  const lines = curves!.map(({ name, x: xs, y: ys }) => {
    const best = closest(xs, x)
    return { at: xs[best], text: `${name} ${shown(ys[best], 2)} ${unit}` }
  })
  if (single) lines.sort((a, b) => Math.abs(a.at - x) - Math.abs(b.at - x)).splice(1)
  return [`${axes.x} ${value(lines[0].at, axes.xUnit)}`, ...lines.map((l) => l.text)].join('  ·  ')
}
