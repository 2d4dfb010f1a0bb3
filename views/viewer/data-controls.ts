import type { ResultData } from './data.js'
import { element, one } from './dom.js'
import {
  isLine,
  layersOf,
  type MotionData,
  overTime,
  setOf,
  type Settings,
  sliderOf,
  type TabName,
  tabsOf,
  transmitterName,
  type View,
} from '../figures/index.js'

/** Tabs whose maps can be subtracted: an image, and sets of receivers. */
const DIFFERENCE = new Set(['image', 'set'])

/** The controls above a figure and their settings. */
export class DataControls {
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
