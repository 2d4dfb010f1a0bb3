import { type CentreData, coloursOf, type Settings, shown, type TabName } from '../figures/index.js'
import { ColourScale } from './scene-parts.js'
import { type DatasetData, loadChip, loadGrey, type ResultData } from './data.js'
import { element, one, type Side, tableOf } from './dom.js'

const TITLES = ['No.', 'Range [m]', 'Cross-range [m]', 'Level [dBsm]', 'By', 'Of', 'Point x, y, z [m]']

/** Lists the scattering centres of an image of a dataset, by number; nothing if it has none. */
function centresTable(host: HTMLElement, centres: readonly CentreData[] = []): void {
  if (centres.length === 0) return host.replaceChildren()
  const rows = centres.map((c, i) => [
    String(i + 1),
    shown(c.rangeM, 3),
    shown(c.crossRangeM, 3),
    shown(c.level, 1),
    c.mechanism || '–',
    c.id === null ? '' : `${c.mechanism === 'edges' ? 'edge' : 'facet'} ${c.id}`,
    c.pointM?.map((x) => shown(x, 3)).join(', ') ?? '',
  ])
  const table = tableOf(TITLES, rows)
  table.prepend(element('caption', 'Scattering centres', { class: 'hidden' }))
  host.replaceChildren(table)
}

/** Images on one page. */
const PAGE = 48

/** The contact sheet of a dataset: pages of small images that match the filter; one of them is shown. */
export class ChipsSide implements Side {
  private list: number[] = []
  private page = 0
  /** Index of the shown image in the list of all images. */
  private chosen = -1
  private colours: Settings['colours'] = 'inferno'
  private shownPage = 0
  private readonly scale: ColourScale

  /** @param open  shows an image */
  constructor(
    private readonly dataset: DatasetData,
    private readonly open: (chip: ResultData) => void,
  ) {
    const { splits, classes } = dataset
    const options = (id: string, names: string[]): void => {
      const every = element('option', 'all', { value: '' })
      const each = names.map((name, i) => element('option', name, { value: String(i) }))
      one(id).replaceChildren(every, ...each)
    }
    one('chip-split-choice').hidden = splits.length < 2
    options('chip-split', splits)
    options('chip-class', classes)
    for (const id of ['chip-split', 'chip-class', 'chip-from', 'chip-to'])
      one(id).addEventListener('input', () => this.filter())
    one('chip-before').addEventListener('click', () => this.showPage(-1))
    one('chip-next').addEventListener('click', () => this.showPage(1))
    one('chips').addEventListener('keydown', (event) => this.onKey(event))
    one('chip-scale').replaceChildren()
    this.scale = new ColourScale(one('chip-scale'))
    this.filter()
    if (this.list.length > 0) void this.choose(this.list[0])
  }

  draw(_tab: TabName, { colours }: Readonly<Settings>): void {
    if (colours === this.colours) return
    this.colours = colours
    void this.fill()
  }

  /** Filters the images by split, class and azimuth range; a range may cross 360. */
  private filter(): void {
    const { split, label, azimuthDeg, chip } = this.dataset
    const value = (id: string): string => one<HTMLInputElement | HTMLSelectElement>(id).value
    const angle = (id: string): number | null => (value(id) === '' ? null : Number(value(id)))
    const [from, to] = [angle('chip-from'), angle('chip-to')]
    const wrapped = (deg: number): number => ((deg % 360) + 360) % 360
    const inside = (azimuth: number): boolean => {
      if (from === null && to === null) return true
      const [a, b] = [from ?? 0, to ?? 360]
      return b - a >= 360 || wrapped(azimuth - a) <= wrapped(b - a) + 1e-9
    }
    this.list = Array.from(chip.keys()).filter(
      (i) =>
        (value('chip-split') === '' || split[i] === Number(value('chip-split'))) &&
        (value('chip-class') === '' || label[i] === Number(value('chip-class'))) &&
        inside(azimuthDeg[i]),
    )
    this.page = 0
    void this.fill()
  }

  private get pages(): number {
    return Math.max(1, Math.ceil(this.list.length / PAGE))
  }

  private showPage(by: number): void {
    const to = Math.max(0, Math.min(this.pages - 1, this.page + by))
    if (to === this.page) return
    this.page = to
    void this.fill()
  }

  /** Draws the page's images as they arrive. */
  private async fill(): Promise<void> {
    const { dataset, list, page } = this
    const { size, classes, splits, targets, chip, label, split, target } = dataset
    const { azimuthDeg, elevationDeg, peakDbsm } = dataset
    const generation = ++this.shownPage
    this.scale.show({ low: -40, high: 0, unit: 'dB of each peak', colours: this.colours })
    const onPage = list.slice(PAGE * page, PAGE * (page + 1))
    one('chip-count').textContent = `${list.length.toLocaleString('en')} of ${chip.length.toLocaleString('en')} images` // prettier-ignore
    one('chip-page').textContent = `page ${page + 1} of ${this.pages}`
    one<HTMLButtonElement>('chip-before').disabled = page === 0
    one<HTMLButtonElement>('chip-next').disabled = page + 1 >= this.pages
    const canvases = onPage.map((i) => {
      const canvas = element('canvas')
      const [rows, columns] = size
      canvas.width = columns
      canvas.height = rows
      const name = `${classes[label[i]]} ${Number(azimuthDeg[i].toFixed(1))}°`
      const button = element('button', [canvas, element('span', name)], {
        type: 'button',
        'aria-label': `Image ${chip[i]}, ${name}`,
        'aria-pressed': String(i === this.chosen),
        'data-image': String(i),
        title: `Image ${chip[i]}, ${splits[split[i]]} ${targets[target[i]]}, azimuth ${shown(azimuthDeg[i], 2)}°, elevation ${shown(elevationDeg[i], 2)}°, peak ${shown(peakDbsm[i], 1)} dBsm`,
      })
      button.addEventListener('click', () => void this.choose(i))
      return [i, button, canvas] as const
    })
    one('chips').replaceChildren(...canvases.map(([, button]) => button))
    if (onPage.length === 0) one('chips').append(element('p', 'No image matches the filter.'))
    one('chips').dataset.ready = ''
    try {
      await Promise.all(
        canvases.map(async ([i, , canvas]) => {
          const grey = await loadGrey(dataset, i)
          if (generation === this.shownPage) this.paint(canvas, grey)
        }),
      )
      if (generation === this.shownPage) one('chips').dataset.ready = 'yes'
    } catch (error) {
      this.fail(error as Error)
    }
  }

  private paint(canvas: HTMLCanvasElement, grey: Uint8Array): void {
    const table = coloursOf(this.colours)
    const pixels = new Uint8ClampedArray(4 * grey.length)
    grey.forEach((g, i) => pixels.set([...table.subarray(3 * g, 3 * g + 3), 255], 4 * i))
    canvas.getContext('2d')!.putImageData(new ImageData(pixels, canvas.width), 0, 0)
  }

  private async choose(i: number): Promise<void> {
    this.chosen = i
    for (const button of one('chips').querySelectorAll<HTMLButtonElement>('button'))
      button.setAttribute('aria-pressed', String(button.dataset.image === String(i)))
    try {
      const loaded = await loadChip(this.dataset, i)
      if (this.chosen !== i) return
      one('chip-note').hidden = true
      this.open(loaded)
      centresTable(one('centres'), loaded.image!.labels?.centres)
      document.body.dataset.chip = String(i)
    } catch (error) {
      this.fail(error as Error)
    }
  }

  private fail(error: Error): void {
    one('chip-note').hidden = false
    one('chip-note').textContent = `The image could not be shown: ${error.message}`
  }

  /** Arrow keys select images, page keys change the page. */
  private onKey(event: KeyboardEvent): void {
    const buttons = [...one('chips').querySelectorAll<HTMLButtonElement>('button')]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (at < 0) return
    const columns = buttons.filter((b) => b.offsetTop === buttons[0].offsetTop).length
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key]
    if (step !== undefined) buttons[Math.max(0, Math.min(buttons.length - 1, at + step))].focus()
    else if (event.key === 'PageDown' || event.key === 'PageUp') {
      this.showPage(event.key === 'PageDown' ? 1 : -1)
      one('chips').querySelector('button')?.focus()
    } else return
    event.preventDefault()
  }
}
