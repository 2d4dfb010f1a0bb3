import { cellAt, edgesInCell, facetsInCell, placeIn } from './cell.js'
import { currentsMesh } from './currents.js'
import { type CurrentsData, loadCurrents, loadRays, type RaysData, type ResultData } from './data.js'
import type { DataPanel } from './data-panel.js'
import { one } from './dom.js'
import { type Mechanism, mechanisms } from './hot-spot.js'
import { showHotSpot } from './hot-spot-panel.js'
import { liveTarget } from './live/live-target.js'
import { MaterialLegend } from './materials.js'
import type { Side } from './side.js'
import { TargetBar } from './target-bar.js'
import type { Colouring } from './target-mesh.js'
import { CURRENT_DEPTH, TargetPanel } from './target-panel.js'
import {
  highest,
  type ImageGridData,
  imageGrid,
  nearest,
  type Peak,
  type Settings,
  type TabName,
} from '../plots/index.js'

/** Facets and edges of mechanisms this far below the strongest are not marked [dB]. */
const MARKED_DEPTH = 20

const UNDRAWN = { layer: 'vv', top: null, depth: 50, colours: 'inferno' } as const

/** The target of a result, its rays as they arrive, and the mechanisms of hot spots of its image. */
export class TargetSide implements Side {
  private readonly target: TargetPanel | null = null
  private readonly bar: TargetBar
  private readonly aspectRays: RaysData[] = []
  private spot: Peak | null = null
  private settings: Readonly<Settings> | null = null
  private readonly legend: MaterialLegend | null = null
  /** The mesh for currents, once it was asked for. */
  private currents: CurrentsData | null = null
  private closed = false

  constructor(
    private readonly result: ResultData,
    private readonly panel: DataPanel,
  ) {
    const { view, image } = result
    one('hot-spot').replaceChildren()
    one('target-view').replaceChildren()
    if (result.target) this.target = new TargetPanel(one('target-view'), result)
    this.bar = new TargetBar(result.name, this.target?.scene ?? null, 'target', () => this.colour())
    // Without an image there is no single aspect to view from.
    if (!image) this.bar.hideViews(['radar', 'image'])
    one('rays-choice').hidden = !view.aspects?.length
    this.offerCurrents(view.currents)
    one('colour-choice').hidden = !image && !view.target?.materials
    one<HTMLSelectElement>('target-colour').value = image ? 'image' : 'plain'
    this.note(result.target ? undefined : view.targetNote)
    if (!this.target) return
    if (view.target!.materials)
      this.legend = new MaterialLegend(one('target-view'), result, this.target.scene)
    panel.setLive(liveTarget(result, this.target.scene))
    void this.loadAspects(this.target)
  }

  draw(tab: TabName, settings: Readonly<Settings>): void {
    this.settings = settings
    this.panel.mark(tab === 'image' && this.spot ? [this.spot.x, this.spot.y] : null)
    this.colour()
  }

  /** The brightest pixel within half a cell of a point selected in the image. */
  pick(tab: TabName, x: number, y: number): void {
    const { image } = this.result
    if (tab !== 'image' || !image) return
    const grid = imageGrid(image, this.settings!.layer)
    let best: Peak | null = null
    grid.y.forEach((gy, r) => {
      if (Math.abs(gy - y) > image.rangeResolutionM / 2) return
      grid.x.forEach((gx, c) => {
        const level = grid.levels[r * grid.x.length + c]
        if (Math.abs(gx - x) <= image.crossRangeResolutionM / 2 && level > (best?.level ?? -Infinity))
          best = { x: gx, y: gy, level }
      })
    })
    if (!best) return
    this.spot = best
    this.panel.mark([(best as Peak).x, (best as Peak).y])
    this.trace(best)
  }

  recolour(ground: string): void {
    this.target?.scene.setGround(ground)
  }

  close(): void {
    this.closed = true
    this.bar.close()
    this.panel.setLive(null)
    this.target?.scene.close()
    one('hot-spot').replaceChildren()
  }

  /** Offers the mesh for currents, which is loaded when it is first shown. */
  private offerCurrents(path?: string): void {
    const [choice, box] = [one('currents-choice'), one<HTMLInputElement>('show-currents')]
    choice.hidden = path === undefined
    box.checked = false
    const show = async (): Promise<void> => {
      try {
        this.currents ??= await loadCurrents(path!)
        this.note()
      } catch (error) {
        box.checked = false
        this.note((error as Error).message)
      }
      if (!this.closed) this.colour()
    }
    this.bar.listen(box, () => void show())
  }

  private note(text?: string): void {
    one('target-note').hidden = text === undefined
    one('target-note').textContent = text ?? ''
  }

  /** Fetches the rays of all aspects one by one; each adds to the shown hot spot. */
  private async loadAspects(target: TargetPanel): Promise<void> {
    for (const { path } of this.result.view.aspects ?? []) {
      try {
        const loaded = await (this.result.traceRays ?? loadRays)(path)
        if (this.closed) return
        this.aspectRays.push(loaded)
        target.addRays(loaded)
      } catch (error) {
        this.note(`Rays could not be traced: ${(error as Error).message}`)
        return
      }
      this.colour()
      if (this.spot) this.trace(this.spot)
    }
    document.body.dataset.rays = 'ready'
  }

  /** Shows the origin of a hot spot: mechanisms, rays, facets and edges. */
  private trace(spot: Peak): void {
    const { x, y } = spot
    const { image, history, target, view } = this.result
    if (!image) return
    const below = this.belowScale(image, spot.level)
    const cell = cellAt(image, y, x)
    const channel = this.settings!.layer.slice(0, 2)
    const groups =
      this.aspectRays.length > 0 && history && below === null
        ? mechanisms(this.aspectRays, cell, image, history, channel, this.partOf())
        : null
    const strong = groups?.filter((g) => g.level > groups[0].level - MARKED_DEPTH) ?? []
    const near = target && below === null ? facetsInCell(target, cell) : []
    const inCell = target && below === null ? edgesInCell(target, cell) : []
    const show = (of: readonly Mechanism[]): number => {
      // Without contributions, mark the geometry in the cell.
      const facets = of.length > 0 ? [...new Set(of.flatMap((g) => g.facets))] : near
      const edges = of.length > 0 ? of.flatMap((g) => g.edge ?? []) : inCell
      this.target?.mark(facets, edges)
      this.target?.showPaths(of)
      one('target-view').dataset.marked = String(facets.length)
      one('target-view').dataset.markedEdges = edges.join(' ')
      return facets.length
    }
    const facets = show(strong)
    showHotSpot(
      one('hot-spot'),
      {
        place: placeIn(image, spot, 3),
        level: spot.level,
        unit: image.unit ?? 'dBsm',
        below,
        value: pixelAt(image, this.settings!.layer, spot),
        groups,
        aspects: [this.aspectRays.length, view.aspects?.length ?? 0],
        facets: target ? facets : null,
        edges: inCell.length,
        edgesKnown: this.aspectRays.some((l) => l.edges.edge.length > 0),
      },
      (group) => show(group === null ? strong : [group]),
    )
  }

  /** How far a level below the picture's scale is below the brightest pixel [dB]; null on the scale. */
  private belowScale(image: ImageGridData, level: number): number | null {
    const { layer, top, depth } = this.settings!
    const brightest = highest(imageGrid(image, layer).levels)
    return level < (top ?? brightest) - depth ? brightest - level : null
  }

  /** Names of facets' parts, of a mesh of several. */
  private partOf(): ((facet: number) => string) | undefined {
    const { facetGroup, groupNames } = this.result.target ?? {}
    return facetGroup && groupNames && ((facet) => groupNames[facetGroup[facet]])
  }

  private colour(): void {
    const { image } = this.result
    // Live shows its own direction, and paints its own image.
    const { live } = document.body.dataset
    if (!this.target || live === 'image') return
    // Beside live RCS alone no figure has been drawn yet.
    const { layer, top, depth, colours } = this.settings ?? UNDRAWN
    const has: Record<Colouring, boolean> = {
      plain: true,
      image: image !== undefined && !live,
      field: this.aspectRays.length > 0 && !live,
      material: this.result.target?.facetMaterial !== undefined,
    }
    const grid = image ? imageGrid(image, layer) : null
    const high = top ?? (grid ? highest(grid.levels) : 0)
    const colouring = this.bar.colouring(has)
    this.legend?.show(colouring === 'material')
    const low = high - depth
    const currents = one<HTMLInputElement>('show-currents').checked ? this.currents : null
    this.target.scene.replaceFacets(currents ? currentsMesh(currents, colours) : [])
    if (currents) return this.target.scene.scale.show({ low: 0, high: 1, unit: 'quality 2r/R', colours })
    this.target.scene.scale.show(
      colouring === 'image'
        ? { low, high, unit: 'dBsm', colours }
        : colouring === 'field'
          ? { low: -CURRENT_DEPTH, high: 0, unit: 'dB below a mirror', colours }
          : null,
    )
    this.target.colour(colouring, grid, low, high, colours, layer.slice(0, 2))
  }
}

/** Complex value of the pixel of a peak, re and im [m]. */
function pixelAt(
  { layers, rangeM, crossRangeM }: ImageGridData,
  layer: string,
  { x, y }: Peak,
): [number, number] {
  const { data } = layers.find(({ name }) => name === layer)!
  const at = 2 * (nearest(rangeM, y) * crossRangeM.length + nearest(crossRangeM, x))
  return [data[at], data[at + 1]]
}
