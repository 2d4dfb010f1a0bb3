import { Mesh, type Object3D } from 'three'
import { type Channel, CHANNELS } from '../../rays/index.js'
import { direction } from '../../scene/index.js'
import {
  type Colours,
  colourIndex,
  coloursOf,
  type Grid,
  highest,
  imageGrid,
  type ImageGridData,
  nearest,
  type Peak,
  type Settings,
  shown,
  type TabName,
} from '../figures/index.js'
import { aspectOf, cellAt, edgesInCell, facetsInCell, facing, groupsAtEdge, placeIn } from './geometry.js'
import type { DataPanel } from './data-panel.js'
import { type CurrentsData, loadCurrents, loadRays, type RaysData, type ResultData } from './data.js'
import { choiceTable, element, one, type Side } from './dom.js'
import { type Mechanism, mechanisms, restOf, sumOf } from './hot-spot.js'
import { materialColour, MaterialLegend, projectImage, TargetBar } from './target-bar.js'
import { liveTarget } from './live/session.js'
import { type Colouring, segments, TargetMesh } from './scene-parts.js'
import { type DrawnRay, SceneView } from './scene-view.js'

const LINE = 0x10151c

/** The mesh for currents: triangles coloured by quality, 0 to 1, and their edges. */
function currentsMesh({ positions, triangles, quality }: CurrentsData, colours: Colours): Object3D[] {
  const table = coloursOf(colours)
  const mesh = new TargetMesh({ positions, triangles })
  const tints = new Uint8Array(3 * quality.length)
  const ends: number[] = []
  const drawn = new Set<number>()
  for (let t = 0; t < quality.length; t++) {
    const from = 3 * colourIndex(quality[t], 0, 1)
    tints.set(table.subarray(from, from + 3), 3 * t)
    for (let i = 0; i < 3; i++) {
      const [a, b] = [triangles[3 * t + i], triangles[3 * t + ((i + 1) % 3)]]
      const edge = (Math.min(a, b) * positions.length) / 3 + Math.max(a, b)
      if (drawn.has(edge)) continue
      drawn.add(edge)
      ends.push(...positions.subarray(3 * a, 3 * a + 3), ...positions.subarray(3 * b, 3 * b + 3))
    }
  }
  mesh.setTints(tints)
  mesh.colour('material')
  return [new Mesh(mesh.geometry, mesh.material), segments(ends, LINE, 0.6)]
}

interface HotSpot {
  /** For the reader. */
  place: string
  /** Of the image's pixel. */
  level: number
  unit: string
  /** Of a pixel below the picture's scale: how far it is below the brightest [dB]; null of others. */
  below: number | null
  /** Its complex value, re and im [m]. */
  value: [number, number]
  /** Its mechanisms; null while no rays are known. */
  groups: Mechanism[] | null
  /** Number of aspects with known rays, and of all traced ones. */
  aspects: [number, number]
  /** Null without a target. */
  facets: number | null
  /** Edges in the cell. */
  edges: number
  /** Whether edges are among the mechanisms. */
  edgesKnown: boolean
  /** Names of the groups that meet at an edge. */
  groupsOf: (edge: number) => string[]
}

/** Mechanisms listed at once, of those so far below the strongest [dB]; the others are folded, and so many of them listed. */
const MOST_ROWS = 6
const LISTED_DEPTH = 30
const MOST_FOLDED = 24

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** Lists the mechanisms of a hot spot; a mechanism's button shows it alone (null: all of them). */
function showHotSpot(host: HTMLElement, spot: HotSpot, choose: (group: Mechanism | null) => void): void {
  const { place, level, unit, below, value, groups, aspects, facets, edges, edgesKnown, groupsOf } = spot
  const head = element('p')
  host.replaceChildren(head)
  if (below !== null) {
    head.append(element('strong', 'Nothing here'), ` at ${place}: ${shown(level, 1)} ${unit}, ${shown(below, 0)} dB below the brightest pixel and off the picture’s scale.`) // prettier-ignore
    return
  }
  head.append(element('strong', 'Hot spot'), ` at ${place}: ${shown(level, 1)} ${unit}. `)
  if (facets !== null)
    head.append(`${counted(facets, 'facet')} marked; ${counted(edges, 'diffracting edge')} in its cell.`)
  if (!groups) return
  if (groups.length === 0) {
    host.append(element('p', `No ray${edgesKnown ? ' and no edge' : ''} falls here.`))
    return
  }
  const known = aspects[0] < aspects[1] ? `${aspects[0]} of ${aspects[1]}` : String(aspects[1])
  const sum = (of: Mechanism[]): string => `${of.length > 0 ? shown(sumOf(of), 1) : '−∞'} dBsm`
  const parts = edgesKnown
    ? `rays ${sum(groups.filter((g) => g.edge === null))}, edges ${sum(groups.filter((g) => g.edge !== null))}`
    : 'edges not counted'
  const found = groups.filter((g) => g.paths.length > 0)
  const listed = found.slice(0, MOST_ROWS).filter((g) => g.level > found[0].level - LISTED_DEPTH)
  const folded = found.slice(listed.length)
  host.append(
    element(
      'p',
      `${edgesKnown ? 'Rays and edges' : 'Rays'} of ${known} aspect${aspects[1] === 1 ? '' : 's'} add up to ${sum(groups)} (${parts}). ` +
        `The rest of the pixel, ${shown(restOf(groups, value), 1)} dBsm, is sidelobes of other spots and what is not traced: aspects in between, ${edgesKnown ? 'second order' : 'edges'}.`,
    ),
  )
  const all = [...listed, ...folded.slice(0, MOST_FOLDED)]
  const table = choiceTable(
    [`Path over ${groups.some((g) => g.parts) ? 'parts' : 'surfaces'}, or edge`, 'Bounces', 'Level [dBsm]', 'Rays'], // prettier-ignore
    all.map((g) => [
      nameOf(g, groupsOf),
      g.edge === null ? String(g.surfaces.length) : '–',
      shown(g.level, 1),
      g.edge === null ? String(g.paths.length) : '–',
    ]),
    (row) => choose(row === null ? null : all[row]),
  )
  host.append(table)
  if (folded.length > 0)
    host.append(foldButton([...table.rows].slice(1 + listed.length), folded, sum(folded)))
}

/** Hides the rows of weaker mechanisms until it is pressed. */
function foldButton(rows: HTMLTableRowElement[], folded: Mechanism[], sum: string): HTMLButtonElement {
  const first = rows.length < folded.length ? ` (the first ${rows.length} listed)` : ''
  const button = element('button', `${counted(folded.length, 'weaker part')}, together ${sum}${first}`, { type: 'button', 'aria-expanded': 'false' }) // prettier-ignore
  const fold = (hide: boolean): void => {
    for (const row of rows) row.hidden = hide
    button.setAttribute('aria-expanded', String(!hide))
  }
  fold(true)
  button.addEventListener('click', () => fold(button.getAttribute('aria-expanded') === 'true'))
  return button
}

const nameOf = ({ edge, parts, surfaces }: Mechanism, groupsOf: (edge: number) => string[]): string =>
  edge !== null
    ? [`edge ${edge}`, groupsOf(edge).join(' and ')].filter(Boolean).join(', ')
    : parts
      ? parts.join(' → ')
      : `surface ${surfaces.join(' → ')}`

/** Maximum number of rays drawn per mechanism, and of mechanisms drawn. */
const MOST_RAYS = 10
const MOST_GROUPS = 5
/** Dynamic range of the induced current below that of a mirror [dB]. */
const CURRENT_DEPTH = 40
/** Colour of facets without current. */
const DARK = [87, 92, 98]

/** The target of a result: colours, marks and rays in the scene. */
class TargetPanel {
  readonly scene: SceneView
  private current: Float32Array | null = null
  private readonly lit = new Set<number>()

  constructor(
    host: HTMLElement,
    private readonly result: ResultData,
  ) {
    const { image, target } = result
    this.scene = new SceneView(host, target!, image ? aspectOf(image) : null)
    this.setLit()
  }

  /** Adds the rays of an aspect, which determine the lit facets. The first is the centre aspect, whose currents are shown. */
  addRays({ facets, current }: RaysData): void {
    this.current ??= current
    for (const t of facets) this.lit.add(t)
    this.setLit()
    this.scene.draw()
  }

  /** Colours the facets. @param grid,low,high  the image's levels and the scale that it is drawn with */
  colour(
    colouring: Colouring,
    grid: Grid | null,
    low: number,
    high: number,
    colours: Colours,
    channel: string,
  ): void {
    const { mesh } = this.scene
    const { image } = this.result
    if (colouring === 'image' && grid && image) {
      this.setLit()
      projectImage(this.scene, image, grid, low, high, colours)
    }
    if (colouring === 'field' && this.current)
      mesh.setTints(currentTints(this.current, colours, channel as Channel))
    const { facetMaterial } = this.result.target!
    if (colouring === 'material' && facetMaterial) mesh.setTints(materialTints(facetMaterial))
    mesh.colour(colouring)
    this.scene.draw()
  }

  mark(facets: readonly number[], edges: readonly number[]): void {
    const marked = new Set(facets)
    this.scene.mesh.setFlags('mark', (t) => marked.has(t))
    const all = this.result.target!.edges
    const ends = new Float64Array(6 * edges.length)
    edges.forEach((e, i) => ends.set(all.subarray(6 * e, 6 * e + 6), 6 * i))
    this.scene.markEdges(ends)
  }

  /** Draws some rays of each mechanism, evenly chosen. */
  showPaths(groups: readonly Mechanism[]): void {
    const { image } = this.result
    if (!image) return this.scene.setRays([])
    const reach = 0.9 * this.scene.mesh.geometry.boundingSphere!.radius
    const drawn = groups
      .filter((g) => g.edge === null)
      .slice(0, MOST_GROUPS)
      .flatMap(({ paths, surfaces, rays }) => {
        const { r } = direction(image.thetaDeg, rays.phiDeg)
        const away = (from: number[]): number[] => from.map((x, c) => x + reach * r[c])
        return paths
          .filter((_, i) => i % Math.ceil(paths.length / MOST_RAYS) === 0)
          .map((p): DrawnRay => {
            const hits = surfaces.map((_, m) => {
              const at = 3 * (rays.hitStart[p] + m)
              return [rays.hits[at], rays.hits[at + 1], rays.hits[at + 2]]
            })
            return { points: [away(hits[0]), ...hits, away(hits.at(-1)!)], bounces: hits.length }
          })
      })
    this.scene.setRays(drawn)
  }

  /** Facets that rays have met; those that face the radar before there are any. */
  private setLit(): void {
    const { image, target } = this.result
    if (!image) return
    const { positions, triangles } = target!
    const { r } = aspectOf(image)
    this.scene.mesh.setFlags('lit', (t) =>
      this.lit.size > 0 ? this.lit.has(t) : facing(positions, triangles, t, r),
    )
  }
}

const materialTints = (of: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: 3 * of.length }, (_, i) => materialColour(of[Math.floor(i / 3)])[i % 3])

/** Colours of the induced current: the scale ends at that of a mirror. */
function currentTints(current: Float32Array, colours: Colours, channel: Channel): Uint8Array {
  const table = coloursOf(colours)
  const c = CHANNELS.indexOf(channel)
  const tints = new Uint8Array((3 * current.length) / 4)
  for (let t = 0; 4 * t < current.length; t++) {
    const value = current[4 * t + c]
    const from = 3 * colourIndex(20 * Math.log10(value + 1e-12), -CURRENT_DEPTH, 0)
    tints.set(value > 0 ? table.subarray(from, from + 3) : DARK, 3 * t)
  }
  return tints
}

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
  private readonly result: ResultData

  constructor(
    given: ResultData,
    private readonly panel: DataPanel,
  ) {
    // An image of an unknown aspect has no place on the target.
    const isPlaced = Number.isFinite(given.image?.thetaDeg)
    const result = (this.result = isPlaced ? given : { ...given, image: undefined })
    const { image } = result
    if (result.target) this.target = new TargetPanel(one('target-view'), result)
    this.bar = new TargetBar(result.name, this.target?.scene ?? null, 'target', () => this.colour())
    // Without an image there is no single aspect to view from.
    if (!image) this.bar.hideViews(['radar', 'image'])
    one('rays-choice').hidden = !result.aspects?.length
    this.offerCurrents(result.currents)
    one('colour-choice').hidden = !image && !result.target?.materials
    one<HTMLSelectElement>('target-colour').value = image ? 'image' : 'plain'
    this.bar.note(result.target ? undefined : result.targetNote)
    if (!this.target) return
    if (result.target!.materials)
      this.legend = new MaterialLegend(one('target-view'), result, this.target.scene)
    panel.setLive(liveTarget(result, this.target.scene))
    this.colour()
    void this.loadAspects(this.target)
  }

  draw(tab: TabName, settings: Readonly<Settings>): void {
    this.settings = settings
    this.panel.mark(tab === 'image' && this.spot ? [this.spot.x, this.spot.y] : null)
    // Of a cut nothing is seen on the target, which is as slow to draw as the curve that grows.
    if (this.result.image || this.currents) this.colour()
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
  }

  /** Offers the mesh for currents, which is loaded when it is first shown. */
  private offerCurrents(path?: string): void {
    const [choice, box] = [one('currents-choice'), one<HTMLInputElement>('show-currents')]
    choice.hidden = path === undefined
    box.checked = false
    const show = async (): Promise<void> => {
      try {
        this.currents ??= await loadCurrents(path!)
        this.bar.note()
      } catch (error) {
        box.checked = false
        this.bar.note((error as Error).message)
      }
      if (!this.closed) this.colour()
    }
    this.bar.listen(box, () => void show())
  }

  /** Fetches the rays of all aspects one by one; each adds to the shown hot spot. */
  private async loadAspects(target: TargetPanel): Promise<void> {
    for (const { path } of this.result.aspects ?? []) {
      try {
        const loaded = await (this.result.traceRays ?? loadRays)(path)
        if (this.closed) return
        this.aspectRays.push(loaded)
        target.addRays(loaded)
      } catch (error) {
        this.bar.note(`Rays could not be traced: ${(error as Error).message}`)
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
    const { image, history, target, aspects } = this.result
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
        aspects: [this.aspectRays.length, aspects?.length ?? 0],
        facets: target ? facets : null,
        edges: inCell.length,
        edgesKnown: this.aspectRays.some((l) => l.edges.edge.length > 0),
        groupsOf: (edge) => (target ? groupsAtEdge(target, edge) : []),
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
