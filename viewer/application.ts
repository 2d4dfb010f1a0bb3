import { loadRays, type RaysData, type ResultData } from './data.js'
import { download, pngFile, svgFile } from './export.js'
import { cellAt, edgesInCell, facetsInCell, pathGroups, type PathGroup } from './hot-spot.js'
import { element, showHotSpot } from './hot-spot-panel.js'
import { LivePanel, liveTarget } from './live/index.js'
import { PlotPanel } from './plot-panel.js'
import { TargetPanel } from './target-panel.js'
import type { Colouring } from './target-mesh.js'
import { startTheme } from './theme.js'
import {
  depthOf,
  highest,
  imageGrid,
  layersOf,
  type Peak,
  peaks,
  type Settings,
  shown,
  sliderOf,
  type TabName,
  tabsOf,
  viewOf,
} from '../src/plots/index.js'

const one = <T extends HTMLElement>(id: string): T => document.querySelector<T>(`#${id}`)!

/** Facets of mechanisms this far below the strongest are not marked [dB]. */
const MARKED_DEPTH = 20
const PEAKS = 8

/** The page: one result at a time on show, its controls, and what they do. */
export class Application {
  private chosen = 0
  private tab: TabName | 'live' = 'cut'
  private readonly settings: Settings = {
    layer: '',
    depth: 50,
    top: null,
    colours: 'inferno',
    compare: 'own',
    polar: false,
    slider: 0,
  }
  private plot!: PlotPanel
  private target: TargetPanel | null = null
  private live!: LivePanel
  private looks: RaysData[] = []
  private spot: Peak | null = null
  private spots: Peak[] = []

  constructor(private readonly results: ResultData[]) {}

  start(): void {
    this.plot = new PlotPanel(one('plot'), {
      onRead: (text) => (one('readout').textContent = text || '\u00a0'),
      onPick: (x, y) => this.pick(x, y),
      onKey: (key) => this.onPlotKey(key),
    })
    this.live = new LivePanel()
    this.connect()
    startTheme(one<HTMLButtonElement>('theme'), () => this.recolour())
    this.open(0)
  }

  private get result(): ResultData {
    return this.results[this.chosen]
  }

  private get other(): ResultData | null {
    return this.results.length > 1 ? this.results[1 - this.chosen] : null
  }

  private connect(): void {
    const { settings } = this
    const choice = one<HTMLSelectElement>('result')
    one('result-choice').hidden = this.results.length < 2
    this.results.forEach((r, i) => choice.append(element('option', r.place, { value: String(i) })))
    choice.addEventListener('change', () => this.open(Number(choice.value)))
    const select = (id: string, set: (value: string) => void): void => {
      const control = one<HTMLSelectElement | HTMLInputElement>(id)
      control.addEventListener('input', () => {
        set(control.value)
        this.draw()
      })
    }
    select('layer', (v) => (settings.layer = v))
    select('depth', (v) => (settings.depth = Number(v)))
    select('top', (v) => (settings.top = v === '' || !Number.isFinite(Number(v)) ? null : Number(v)))
    select('colours', (v) => (settings.colours = v as Settings['colours']))
    select('compare', (v) => (settings.compare = v as Settings['compare']))
    select('slider', (v) => (settings.slider = Number(v)))
    one<HTMLInputElement>('polar').addEventListener('input', (e) => {
      settings.polar = (e.target as HTMLInputElement).checked
      this.draw()
    })
    one('tabs').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (!step) return
      const names = this.tabs().map(([name]) => name)
      this.select(names[(names.indexOf(this.tab) + step + names.length) % names.length])
      one(`tab-${this.tab}`).focus()
    })
    one('save-svg').addEventListener('click', () => this.save('svg'))
    one('save-png').addEventListener('click', () => this.save('png'))
    one('target-colour').addEventListener('input', () => this.colourTarget())
    one('show-edges').addEventListener('input', () => this.target?.scene.showEdges(one<HTMLInputElement>('show-edges').checked)) // prettier-ignore
    one('show-rays').addEventListener('input', () => this.target?.scene.showRays(one<HTMLInputElement>('show-rays').checked)) // prettier-ignore
    for (const button of document.querySelectorAll<HTMLElement>('[data-view]'))
      button.addEventListener('click', () =>
        this.target?.scene.look(button.dataset.view as 'radar' | 'image' | 'home'),
      )
    one('target-png').addEventListener('click', () => {
      void this.target?.scene.png().then((blob) => download(`${this.result.name}-target.png`, blob))
    })
  }

  private open(index: number): void {
    this.chosen = index
    const { name, place, view, target } = this.result
    one('title').textContent = name
    document.title = `${name} – isar view`
    const brief = view.facts.filter(([k]) => ['Aspect', 'Band', 'Resolution'].includes(k))
    one('subtitle').textContent = [place, ...brief.map(([, v]) => v)].join('  ·  ')
    one('facts')
      .querySelector('dl')!
      .replaceChildren(...view.facts.flatMap(([k, v]) => [element('dt', k), element('dd', v)]))
    one('facts').hidden = view.facts.length === 0
    this.settings.depth = depthOf(this.result)
    this.settings.top = null
    one<HTMLInputElement>('top').value = ''
    this.openTarget(Boolean(target), view.targetNote)
    this.makeTabs()
    this.select(tabsOf(this.result)[0][0])
  }

  /** @param has  whether there is a target; @param note  why there is none */
  private openTarget(has: boolean, note?: string): void {
    this.looks = []
    this.spot = null
    this.target = null
    one('hot-spot').replaceChildren()
    // Of a scene for radio waves there is none to show.
    document.body.classList.toggle('no-target', !has && note === undefined)
    one('target-note').hidden = has
    one('target-note').textContent = note ?? ''
    one('target-view').replaceChildren()
    for (const control of one('target-panel').querySelectorAll<HTMLButtonElement>('.bar button, .bar select, .bar input'))
      control.disabled = !has // prettier-ignore
    if (!has) return this.live.show(null)
    // Without an image there is no one aspect to look from.
    for (const id of ['radar', 'image'])
      document.querySelector<HTMLButtonElement>(`[data-view=${id}]`)!.disabled = !this.result.image
    this.target = new TargetPanel(one('target-view'), this.result)
    this.target.scene.showEdges(one<HTMLInputElement>('show-edges').checked)
    this.live.show(liveTarget(this.result, this.target.scene))
    this.recolour()
    void this.openLooks(this.target)
  }

  /** Fetches the rays of all aspects one after the other; a hot spot on show gains by each. */
  private async openLooks(opened: TargetPanel): Promise<void> {
    const { looks = [] } = this.result.view
    for (const { path } of looks) {
      try {
        const loaded = await loadRays(path)
        if (this.target !== opened) return
        this.looks.push(loaded)
        opened.addRays(loaded)
      } catch (error) {
        one('target-note').hidden = false
        one('target-note').textContent = `Rays could not be traced: ${(error as Error).message}`
        return
      }
      this.colourTarget()
      if (this.spot) this.trace(this.spot)
    }
    document.body.dataset.rays = 'ready'
  }

  /** Tabs of the data, and that of the target turned live. */
  private tabs(): [TabName | 'live', string][] {
    return [...tabsOf(this.result), ...(this.target ? [['live', 'Live'] as ['live', string]] : [])]
  }

  private makeTabs(): void {
    const tabs = this.tabs().map(([name, title]) => {
      const tab = element('button', title, {
        type: 'button',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': name === 'live' ? 'live' : 'figure',
      })
      tab.addEventListener('click', () => this.select(name))
      return tab
    })
    one('tabs').replaceChildren(...tabs)
  }

  private select(tab: TabName | 'live'): void {
    this.tab = tab
    for (const button of one('tabs').querySelectorAll<HTMLButtonElement>('button')) {
      const on = button.id === `tab-${tab}`
      button.setAttribute('aria-selected', String(on))
      button.tabIndex = on ? 0 : -1
    }
    for (const id of ['controls', 'figure', 'readout', 'peaks']) one(id).hidden = tab === 'live'
    if (tab === 'live') return this.live.open()
    this.live.close()
    one('figure').setAttribute('aria-labelledby', `tab-${tab}`)
    this.fillControls()
    this.plot.setMark(tab === 'image' && this.spot ? [this.spot.x, this.spot.y] : null)
    this.draw()
  }

  private fillControls(): void {
    const { settings, result } = this
    const tab = this.tab as TabName
    const layers = layersOf(result, tab)
    if (!layers.some((l) => l.name === settings.layer)) settings.layer = layers[0].name
    const select = one<HTMLSelectElement>('layer')
    select.replaceChildren(...layers.map((l) => element('option', l.title, { value: l.name })))
    select.value = settings.layer
    one<HTMLInputElement>('depth').value = String(settings.depth)
    const other = this.other?.image?.layers.some((l) => l.name === settings.layer)
    one('compare-choice').hidden = !(tab === 'image' && other)
    one('polar-choice').hidden = !(tab === 'cut' && result.history!.phiDeg.length > 1)
    const slider = sliderOf(result, tab)
    one('slider-choice').hidden = !slider || slider.count < 2
    settings.slider = slider ? Math.floor(slider.count / 2) : 0
    if (!slider) return
    one('slider-name').textContent = slider.name
    const control = one<HTMLInputElement>('slider')
    control.max = String(slider.count - 1)
    control.value = String(settings.slider)
  }

  private draw(): void {
    const { settings, tab, result } = this
    if (tab === 'live') return
    one('depth-value').textContent = `${settings.depth} dB`
    const slider = sliderOf(result, tab)
    if (slider) one('slider-value').textContent = slider.label(settings.slider)
    const view = viewOf(result, this.other, tab, settings)
    one('colours-choice').hidden = !view.grid
    one('top-unit').textContent = view.unit
    const title = tabsOf(result).find(([name]) => name === tab)![1]
    this.plot.show(
      view,
      `${title} of ${result.name}: arrow keys move the cursor${tab === 'image' ? ', Enter traces the spot, N goes to the next peak' : ''}, plus and minus change the range`,
    )
    this.listPeaks()
    this.colourTarget()
  }

  private listPeaks(): void {
    const { image } = this.result
    const host = one('peaks')
    if (this.tab !== 'image' || !image) return host.replaceChildren()
    this.spots = peaks(
      imageGrid(image, this.settings.layer),
      image.crossRangeResolutionM,
      image.rangeResolutionM,
      PEAKS,
      40,
    )
    const buttons = this.spots.map((p, i) => {
      const button = element('button', `${i + 1}: ${shown(p.level, 1)} dBsm`, {
        type: 'button',
        title: `range ${shown(p.y, 2)} m, cross-range ${shown(p.x, 2)} m`,
      })
      button.addEventListener('click', () => this.trace(p))
      return button
    })
    host.replaceChildren(element('span', 'Strongest:'), ...buttons)
  }

  private onPlotKey(key: string): boolean {
    const { settings } = this
    if (key === '+' || key === '=' || key === '-') {
      settings.depth = Math.max(10, Math.min(100, settings.depth + (key === '-' ? -5 : 5)))
      one<HTMLInputElement>('depth').value = String(settings.depth)
      this.draw()
      return true
    }
    if (key.toLowerCase() === 'n' && this.tab === 'image' && this.spots.length > 0) {
      const next = this.spots.shift()!
      this.spots.push(next)
      this.trace(next)
      return true
    }
    return false
  }

  /** The brightest pixel within half a cell of a point that was chosen in the image. */
  private pick(x: number, y: number): void {
    const { image } = this.result
    if (this.tab !== 'image' || !image) return
    const grid = imageGrid(image, this.settings.layer)
    let best: Peak | null = null
    grid.y.forEach((gy, r) => {
      if (Math.abs(gy - y) > image.rangeResolutionM / 2) return
      grid.x.forEach((gx, c) => {
        const level = grid.levels[r * grid.x.length + c]
        if (Math.abs(gx - x) <= image.crossRangeResolutionM / 2 && level > (best?.level ?? -Infinity))
          best = { x: gx, y: gy, level }
      })
    })
    if (best) this.trace(best)
  }

  /** Shows what a hot spot comes from: mechanisms, rays, facets and edges. */
  private trace(spot: Peak): void {
    const { x, y, level } = spot
    const { image, history, target, view } = this.result
    this.spot = spot
    if (!image) return
    if (this.tab === 'image') this.plot.setMark([x, y])
    const cell = cellAt(image, y, x)
    const channel = this.settings.layer.slice(0, 2)
    const groups =
      this.looks.length > 0 && history ? pathGroups(this.looks, cell, image, history, channel) : null
    const strong = groups?.filter((g) => g.level > groups[0].level - MARKED_DEPTH) ?? []
    const near = target ? facetsInCell(target, cell) : []
    const edges = target ? edgesInCell(target, cell) : []
    const show = (of: readonly PathGroup[]): number => {
      // Where no ray falls, what lies there is all that can be said.
      const facets = of.length > 0 ? [...new Set(of.flatMap((g) => g.facets))] : near
      this.target?.mark(facets, edges)
      this.target?.showPaths(of)
      one('target-view').dataset.marked = String(facets.length)
      return facets.length
    }
    const facets = show(strong)
    showHotSpot(
      one('hot-spot'),
      {
        rangeM: y,
        crossRangeM: x,
        level,
        groups,
        looks: [this.looks.length, view.looks?.length ?? 0],
        facets,
        edges: edges.length,
      },
      (group) => show(group === null ? strong : [group]),
    )
  }

  private colourTarget(): void {
    const { image } = this.result
    if (!this.target) return
    const select = one<HTMLSelectElement>('target-colour')
    for (const option of select.options)
      option.disabled =
        option.value === 'image' ? !image : option.value === 'field' && this.looks.length === 0
    const grid = image ? imageGrid(image, this.settings.layer) : null
    const high = this.settings.top ?? (grid ? highest(grid.levels) : 0)
    const colouring = select.selectedOptions[0]?.disabled ? 'plain' : (select.value as Colouring)
    this.target.colour(
      colouring,
      grid,
      high - this.settings.depth,
      high,
      this.settings.colours,
      this.settings.layer.slice(0, 2),
    )
  }

  private recolour(): void {
    const ground = getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()
    this.target?.scene.setGround(ground)
    this.plot.redraw()
    this.live.redraw()
  }

  private async save(kind: 'svg' | 'png'): Promise<void> {
    const live = this.tab === 'live'
    const figure = live ? this.live.forFile() : this.plot.forFile()
    if (!figure) return
    const layer = live ? this.live.channel : this.settings.layer
    const name = `${this.result.name}-${this.tab}-${layer}.${kind}`
    download(name, kind === 'svg' ? svgFile(figure) : await pngFile(figure))
  }
}
