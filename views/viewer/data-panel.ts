import {
  besideOf,
  depthOf,
  firstWindow,
  highest,
  imageGrid,
  isLine,
  layersOf,
  type MapWindow,
  type MotionData,
  nearest,
  overTime,
  type Peak,
  peaks,
  setOf,
  type Settings,
  shown,
  sliderOf,
  type TabName,
  tabsOf,
  transmitterName,
  type View,
  viewOf,
  wholeOf,
  windowTo,
} from '../figures/index.js'
import { placeIn } from './geometry.js'
import type { ResultData } from './data.js'
import { download, element, one, type Side, pngFile, sideBySide, svgFile } from './dom.js'
import { LivePanel } from './live/index.js'
import type { LiveTarget } from './live/session.js'
import { PlotPanel } from './plot-panel.js'

/** Tabs whose maps can be subtracted: an image, and sets of receivers. */
const DIFFERENCE = new Set(['image', 'set'])

/** The controls above a figure and their settings. */
class DataControls {
  readonly settings: Settings = {
    layer: '',
    depth: 50,
    top: null,
    colours: 'inferno',
    compare: 'own',
    polar: false,
    fit: true,
    slider: 0,
    labels: { mask: true, centres: true },
    outline: true,
  }
  /** Whether the current tab has a map of both results. */
  comparable = false
  private result: ResultData | undefined
  /** Names of the tab's channels. */
  private layers: string[] = []
  /** The moving target whose time the slider shows. */
  private moving: MotionData | undefined

  /** @param onSlide  the slider alone moved */
  constructor(
    private readonly onChange: () => void,
    private readonly onSlide: () => void,
  ) {
    const { settings } = this
    const input = (id: string, set: (value: string) => void): void => {
      const control = one<HTMLSelectElement | HTMLInputElement>(id)
      control.addEventListener('input', () => {
        set(control.value)
        onChange()
      })
    }
    const check = (id: string, set: (on: boolean) => void): void =>
      input(id, () => set(one<HTMLInputElement>(id).checked))
    input('layer', (v) => {
      settings.layer = v
      this.drawAll(settings.layers !== undefined)
    })
    input('transmitter', (v) => {
      const { result } = this
      if (result?.histories) result.history = result.histories[Number(v)]
    })
    input('depth', (v) => (settings.depth = Number(v)))
    input('top', (v) => (settings.top = v === '' || !Number.isFinite(Number(v)) ? null : Number(v)))
    input('colours', (v) => (settings.colours = v as Settings['colours']))
    input('compare', (v) => (settings.compare = v as Settings['compare']))
    one<HTMLInputElement>('slider').addEventListener('input', (e) =>
      this.slideTo(Number((e.target as HTMLInputElement).value)),
    )
    check('polar', (on) => (settings.polar = on))
    check('all-channels', (on) => this.drawAll(on))
    check('log-distance', (on) => (settings.log = on))
    check('show-outline', (on) => (settings.outline = on))
    check('show-mask', (on) => (settings.labels!.mask = on))
    check('show-centres', (on) => (settings.labels!.centres = on))
  }

  /** For another result. @param depth  levels shown below the top [dB] */
  reset(depth: number): void {
    this.settings.depth = depth
    this.settings.top = null
    one<HTMLInputElement>('top').value = ''
  }

  /** Curves of all channels, or of all of the chosen mechanism's, together. */
  private drawAll(on: boolean): void {
    const { settings } = this
    const kind = settings.layer.slice(2)
    settings.layers = on ? this.layers.filter((name) => name.slice(2) === kind) : undefined
  }

  slideTo(slider: number): void {
    this.settings.slider = slider
    one<HTMLInputElement>('slider').value = String(slider)
    this.onSlide()
  }

  changeDepth(by: number): void {
    this.settings.depth = Math.max(10, Math.min(100, this.settings.depth + by))
    one<HTMLInputElement>('depth').value = String(this.settings.depth)
    this.onChange()
  }

  /** Sets the controls for a tab, and hides those without effect there. @param stays  keep the slider's value */
  fill(result: ResultData, other: ResultData | null, tab: TabName, stays: boolean): void {
    const { settings } = this
    const layers = layersOf(result, tab)
    if (!layers.some((l) => l.name === settings.layer)) settings.layer = layers[0].name
    const select = one<HTMLSelectElement>('layer')
    select.replaceChildren(...layers.map((l) => element('option', l.title, { value: l.name })))
    select.value = settings.layer
    one<HTMLInputElement>('depth').value = String(settings.depth)
    this.fillTransmitters(result, tab)
    const shared =
      other !== null &&
      tabsOf(other).some(([name]) => name === tab) &&
      layersOf(other, tab).some((l) => l.name === settings.layer)
    const map = tab !== 'profile' && tab !== 'cut' && tab !== 'delays' && !overTime(tab)
    this.comparable = shared && map
    one('compare-choice').hidden = !this.comparable
    const difference = one<HTMLOptionElement>('compare-difference')
    difference.disabled = !DIFFERENCE.has(tab.split('-')[0])
    if (difference.disabled && settings.compare === 'difference') settings.compare = 'own'
    one<HTMLSelectElement>('compare').value = settings.compare
    this.layers = layers.map(({ name }) => name)
    const set = setOf(tab)
    const line = set !== null && isLine(result.coverage!, set)
    const curves = tab === 'cut' || tab === 'profile' || line
    one('all-choice').hidden = !(curves && layers.length > 1)
    this.drawAll(curves && one<HTMLInputElement>('all-channels').checked)
    one('log-choice').hidden = !(line && result.coverage!.transmitterM)
    settings.log = line && one<HTMLInputElement>('log-distance').checked
    one('polar-choice').hidden = !(tab === 'cut' && result.history!.phiDeg.length > 1)
    const { labels, outline } = (tab === 'image' && result.image) || {}
    one('outline-choice').hidden = !outline
    one('mask-choice').hidden = !labels?.mask && !labels?.lit
    one('centres-choice').hidden = !labels?.centres
    const slider = sliderOf(result, tab)
    one('slider-choice').hidden = !slider || slider.count < 2
    // Tabs of a moving target share the time.
    const shares = result.motion !== undefined && result.motion === this.moving
    this.moving = result.motion
    one('play').hidden = !overTime(tab)
    if (!stays && !shares) settings.slider = slider ? Math.floor(slider.count / 2) : 0
    if (!slider) return
    one('slider-name').textContent = slider.name
    const control = one<HTMLInputElement>('slider')
    control.max = String(slider.count - 1)
    control.value = String(settings.slider)
  }

  /** The transmitters of a bistatic table of several. */
  private fillTransmitters(result: ResultData, tab: TabName): void {
    this.result = result
    const { histories, history } = result
    const of = histories && layersOf(result, tab) === history?.layers ? histories : []
    one('transmitter-choice').hidden = of.length === 0
    const select = one<HTMLSelectElement>('transmitter')
    select.replaceChildren(...of.map(({ transmitterDeg }, i) => element('option', transmitterName(transmitterDeg!), { value: String(i) }))) // prettier-ignore
    if (of.length > 0) select.value = String(of.indexOf(history!))
  }

  /** Shows the values of the settings beside the controls. */
  shown(result: ResultData, tab: TabName, view: View): void {
    const { settings } = this
    one('depth-value').textContent = `${settings.depth} dB`
    const slider = sliderOf(result, tab)
    if (slider) one('slider-value').textContent = slider.label(settings.slider)
    one('colours-choice').hidden = !view.grid
    one('top-unit').textContent = view.unit
  }
}

/** Time in which a whole dwell is played [s]. */
const DWELL_S = 20

/** What a player moves through. */
interface Played {
  count: number
  at: number
}

/** Plays through the columns of a spectrogram at an even pace, and starts again at its end. */
class Player {
  private running = false

  /** @param of  columns and where it is; null: nothing to play */
  constructor(
    private readonly button: HTMLButtonElement,
    private readonly of: () => Played | null,
    private readonly to: (column: number) => void,
  ) {
    button.addEventListener('click', () => this.toggle())
  }

  toggle(): void {
    if (this.running) this.stop()
    else this.start()
  }

  stop(): void {
    this.running = false
    this.button.textContent = 'Play'
  }

  private start(): void {
    this.running = true
    this.button.textContent = 'Pause'
    let before = performance.now()
    let part = 0
    const frame = (now: number): void => {
      const played = this.of()
      if (!this.running || !played) return this.stop()
      part += ((now - before) / 1000 / DWELL_S) * played.count
      before = now
      const steps = Math.floor(part)
      part -= steps
      if (steps > 0) this.to((played.at + steps) % played.count)
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }
}

/** Strongest peaks listed below an image. */
const PEAKS = 8

/** The figures of a result: tabs, controls, one figure or two side by side, the cursor's read-out, and live RCS. */
export class DataPanel {
  /** The panel beside the figures. */
  private side: Side | null = null
  private tab: TabName = 'cut'
  /** Whether live RCS is shown instead of the tab. */
  private isLive = false
  private canLive = false
  private result!: ResultData
  private other: ResultData | null = null
  private spots: Peak[] = []
  private views: View[] = []
  private readonly plots: PlotPanel[]
  private readonly reads = ['', '']
  private readonly controls: DataControls
  private readonly live = new LivePanel()
  private readonly player: Player

  constructor() {
    this.controls = new DataControls(
      () => this.draw(),
      () => this.slide(),
    )
    this.player = new Player(
      one('play'),
      () => this.played(),
      (column) => this.controls.slideTo(column),
    )
    this.plots = ['plot', 'plot-other'].map(
      (id, i) =>
        new PlotPanel(one(id), {
          onRead: (text) => this.read(i, text),
          onCursor: (to) => this.plots[1 - i].follow(to),
          onPick: (x, y) => this.pick(x, y),
          onKey: (key) => this.onKey(key),
          onWindow: (window) => this.zoomTo(window),
        }),
    )
    one('tabs').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (!step) return
      const names = this.tabs().map(([name]) => name)
      const at = names.indexOf(this.isLive ? 'live' : this.tab)
      const next = names[(at + step + names.length) % names.length]
      this.select(next)
      one(`tab-${next}`).focus()
    })
    one('whole').addEventListener('click', () => this.zoomTo(undefined))
    for (const kind of ['svg', 'png'] as const) one(`save-${kind}`).addEventListener('click', () => void this.save(kind)) // prettier-ignore
  }

  private get settings(): Settings {
    return this.controls.settings
  }

  /**
   * Shows a result. @param other  a second one, to compare with
   * @param keep  it is of the same kind as the last one: keep the controls, and the tab unless one is given
   */
  open(result: ResultData, other: ResultData | null, keep = false, tab?: TabName): void {
    this.result = result
    this.other = other
    if (!keep) this.controls.reset(depthOf(result))
    const tabs = tabsOf(result)
    one('tabs').replaceChildren(
      ...this.tabs().map(([name, title]) => {
        const button = element('button', title, {
          type: 'button',
          role: 'tab',
          id: `tab-${name}`,
          'aria-controls': name === 'live' ? 'live' : 'figure',
        })
        button.addEventListener('click', () => this.select(name))
        return button
      }),
    )
    const wanted = tab ?? (keep ? this.tab : undefined)
    const [next] = tabs.find(([name]) => name === wanted) ?? tabs[0] ?? ['live']
    this.select(keep && this.isLive && this.canLive ? 'live' : next, keep)
  }

  /** The target for live RCS of the results opened from now on; null: none, and live RCS closes. */
  setLive(target: LiveTarget | null): void {
    this.canLive = target !== null
    this.live.show(target)
  }

  /** Marks a point in the image (the hot spot that was chosen). */
  mark(at: [number, number] | null): void {
    this.plots[0].setMark(at)
  }

  /** Closes the panel beside the figures, and shows another, if any. */
  setSide(make: () => Side | null): void {
    this.side?.close?.()
    this.side = null
    this.side = make()
  }

  /** Draws everything in the colours of the page's theme. */
  recolour(): void {
    const ground = getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()
    this.side?.recolour?.(ground)
    for (const plot of this.plots) plot.redraw()
    this.live.redraw()
  }

  /** Tabs of the data, and the live tab. */
  private tabs(): [TabName | 'live', string][] {
    const live: ['live', string][] = this.canLive ? [['live', 'Live']] : []
    return [...tabsOf(this.result), ...live]
  }

  private select(tab: TabName | 'live', keep = false): void {
    this.isLive = tab === 'live'
    for (const button of one('tabs').querySelectorAll<HTMLButtonElement>('button')) {
      const on = button.id === `tab-${tab}`
      button.setAttribute('aria-selected', String(on))
      button.tabIndex = on ? 0 : -1
    }
    for (const id of ['controls', 'figure', 'readout', 'peaks']) one(id).hidden = this.isLive
    if (tab === 'live') return this.live.open()
    this.live.close()
    const stays = keep && tab === this.tab
    this.tab = tab
    one('figure').setAttribute('aria-labelledby', `tab-${tab}`)
    this.controls.fill(this.result, this.other, tab, stays)
    if (!stays) this.settings.window = tab === 'spectrogram' ? firstWindow(this.result.motion!, this.settings.slider) : undefined // prettier-ignore
    this.draw()
  }

  /** The slider moved. Of a spectrogram the line alone does. */
  private slide(): void {
    const { tab, result, settings } = this
    if (tab !== 'spectrogram') return this.draw()
    const time = result.motion!.timeS[settings.slider]
    const { window } = settings
    // The view goes on to the part that the line has moved to.
    if (window && (time < window.x[0] || time > window.x[1])) {
      settings.window = windowTo(window, result.motion!, time)
      return this.draw()
    }
    this.plots[0].setLine(time)
    this.controls.shown(result, tab, this.views[0])
    this.side?.draw(tab, settings)
  }

  private played(): Played | null {
    const { motion } = this.result
    return motion && !this.isLive && overTime(this.tab)
      ? { count: motion.timeS.length, at: this.settings.slider }
      : null
  }

  private pick(x: number, y: number): void {
    if (this.tab === 'spectrogram') this.controls.slideTo(nearest(this.result.motion!.timeS, x))
    this.side?.pick?.(this.tab, x, y)
  }

  private draw(): void {
    const { settings, tab, result, other } = this
    const beside = settings.compare === 'beside' && other !== null && this.controls.comparable
    this.views = beside ? this.pair(other) : [viewOf(result, other, tab, settings)]
    this.controls.shown(result, tab, this.views[0])
    one('whole').hidden = settings.window === undefined
    one('plot-other').hidden = !beside
    one('figure').classList.toggle('beside', beside)
    const title = tabsOf(result).find(([name]) => name === tab)![1]
    this.views.forEach((v, i) => {
      const of = i === 0 ? result : other!
      const keys = [
        'arrow keys move the cursor',
        ...(tab === 'spectrogram' ? ['they set the time'] : []),
        ...(overTime(tab) ? ['space plays and pauses'] : []),
        ...(tab === 'image' ? ['Enter traces the spot', 'N goes to the next peak'] : []),
        'plus and minus change the range',
        ...(v.grid ? ['Z and X zoom, zero shows the whole'] : []),
      ]
      this.plots[i].show(v, `${title} of ${of.name}${beside ? ` (${of.place})` : ''}: ${keys.join(', ')}`)
    })
    this.listPeaks()
    this.side?.draw(tab, settings)
  }

  /** Both results with the same scale and axes. */
  private pair(other: ResultData): View[] {
    const { settings, tab, result } = this
    const plain: Settings = { ...settings, compare: 'own' }
    const drawn = [{ of: result, tab, slider: settings.slider }, { of: other, ...besideOf(result, other, tab, settings.slider) }] // prettier-ignore
    const both = drawn.map(({ of, tab: at, slider }) => viewOf(of, null, at, { ...plain, slider }))
    const top = settings.top ?? Math.max(...both.map((v) => highest(v.grid!.levels)))
    const [a, b] = both.map((v) => wholeOf(v.grid!))
    const ends = (axis: 'x' | 'y'): [number, number] => [
      Math.min(a[axis][0], b[axis][0]),
      Math.max(a[axis][1], b[axis][1]),
    ]
    const window = settings.window ?? { x: ends('x'), y: ends('y') }
    return drawn.map(({ of, tab: at, slider }) =>
      viewOf({ ...of, name: `${of.name} (${of.place})` }, null, at, { ...plain, slider, top, window }),
    )
  }

  /** Shows part of a map, or all of it where undefined. */
  private zoomTo(window: MapWindow | undefined): void {
    if (!this.views[0].grid) return
    this.settings.window = window
    this.draw()
  }

  private read(plot: number, text: string): void {
    this.reads[plot] = text
    const [own, others] = this.reads
    const both = one('figure').classList.contains('beside')
    one('readout').textContent =
      both && own !== '' ? `${own}  |  ${others.split('  ·  ').at(-1) || 'outside'}` : own || '\u00a0'
  }

  private listPeaks(): void {
    const { image } = this.result
    const host = one('peaks')
    if (this.tab !== 'image' || !image || image.labels) return host.replaceChildren()
    const { crossRangeResolutionM: dx, rangeResolutionM: dy } = image
    this.spots = peaks(imageGrid(image, this.settings.layer), dx, dy, PEAKS, 40)
    const buttons = this.spots.map((p, i) => {
      const button = element('button', `${i + 1}: ${shown(p.level, 1)} ${image.unit ?? 'dBsm'}`, {
        type: 'button',
        title: placeIn(image, p, 2),
      })
      button.addEventListener('click', () => this.side?.pick?.('image', p.x, p.y))
      return button
    })
    host.replaceChildren(element('span', 'Strongest:'), ...buttons)
  }

  private onKey(key: string): boolean {
    if (key === ' ' && this.played()) {
      this.player.toggle()
      return true
    }
    if (key === '+' || key === '=' || key === '-') {
      this.controls.changeDepth(key === '-' ? -5 : 5)
      return true
    }
    if (key === '0' && this.settings.window) {
      this.zoomTo(undefined)
      return true
    }
    if (key.toLowerCase() === 'n' && this.tab === 'image' && this.spots.length > 0) {
      const next = this.spots.shift()!
      this.spots.push(next)
      this.side?.pick?.('image', next.x, next.y)
      return true
    }
    return false
  }

  private async save(kind: 'svg' | 'png'): Promise<void> {
    const drawn = this.isLive ? [this.live.forFile()] : this.views.map((_, i) => this.plots[i].forFile())
    const figures = drawn.filter((f) => f !== null)
    if (figures.length === 0) return
    const figure = figures.length > 1 ? sideBySide(figures) : figures[0]
    download(
      `${this.result.name}-${this.fileName()}.${kind}`,
      await (kind === 'svg' ? svgFile : pngFile)(figure),
    )
  }

  /** Current tab and channel. */
  private fileName(): string {
    if (this.isLive) return `live-${this.live.channel}`
    const set = setOf(this.tab)
    const tab = set === null ? this.tab : this.result.coverage!.sets[set].name
    return `${tab}-${this.settings.layer}`
  }
}
