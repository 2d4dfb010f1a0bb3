import {
  BufferAttribute,
  BufferGeometry,
  EdgesGeometry,
  type Object3D,
  Points,
  PointsMaterial,
  Sphere,
} from 'three'
import {
  colourIndex,
  coloursOf,
  gainsOf,
  highest,
  NOTHING,
  type PathData,
  placeOfReceiver,
  receiverAt,
  setOf,
  type Settings,
  shown,
  type TabName,
} from '../figures/index.js'
import { loadPaths, type ResultData, type SceneData } from './data.js'
import type { DataPanel } from './data-panel.js'
import { choiceTable, element, one, type Side } from './dom.js'
import { framing } from './geometry.js'
import { dots, label } from './scene-parts.js'
import { type DrawnRay, SceneView } from './scene-view.js'
import { TargetBar } from './target-bar.js'

/** Paths drawn and listed, the strongest ones. */
const MOST_DRAWN = 20
const MOST_ROWS = 12
/** Maximum number of facets for which outlines are found. */
const MOST_OUTLINED = 200_000
const OUTLINE_DEG = 10
const WALLS = 0.22
const CHOSEN = 0x3ad1ff
/** Of receivers without a path, as in figures. */
const NO_PATH = [0xdf, 0xe3, 0xe8]
const TRANSMITTER = '#e0342b'

/** The walls of a propagation result, its transmitter, its receivers by their path gain, and the paths to one of them. */
export class SceneSide implements Side {
  private readonly scene: SceneView | null = null
  private readonly bar: TargetBar
  private settings: Readonly<Settings> | null = null
  private receiver: number | null = null
  /** Of what the views show [m]. */
  private radius = 1
  private wanted: number | null = null

  /** @param open  shows the result with paths of a receiver, or without, on a tab */
  constructor(
    private readonly result: ResultData,
    private readonly open: (result: ResultData, tab?: TabName) => void,
    private readonly panel: DataPanel,
  ) {
    const { scene, coverage, sceneNote } = result
    if (scene) {
      this.scene = new SceneView(one('target-view'), wallsOf(scene), null, 'Scene in three dimensions: arrow keys rotate it, plus and minus zoom, T views it from above, H resets the view') // prettier-ignore
      this.scene.mesh.makeTranslucent(WALLS)
      const { box, homeFrom } = framing(scene, coverage!.positionM)
      this.scene.frame(box, homeFrom)
      this.radius = box.getBoundingSphere(new Sphere()).radius
      this.scene.onPick(
        () => coverage!.positionM,
        (receiver) => void this.choose(receiver),
      )
    }
    this.bar = new TargetBar(result.name, this.scene, 'scene', () => {})
    this.bar.note(sceneNote ?? 'Click a receiver here or in its figure to show its paths.')
    document.body.dataset.rays = 'ready'
  }

  draw(tab: TabName, settings: Readonly<Settings>): void {
    this.settings = settings
    const set = setOf(tab)
    const { coverage } = this.result
    const here = this.receiver !== null && set !== null && this.setOf(this.receiver) === set
    this.panel.mark(here ? placeOfReceiver(coverage!, set, this.receiver!, this.settings.log) : null)
    this.drawObjects()
  }

  pick(tab: TabName, x: number, y: number): void {
    const set = setOf(tab)
    if (set !== null) void this.choose(receiverAt(this.result.coverage!, set, x, y, this.settings?.log))
  }

  recolour(ground: string): void {
    this.scene?.setGround(ground)
  }

  close(): void {
    this.wanted = null
    this.bar.close()
    this.scene?.close()
  }

  private setOf(receiver: number): number {
    return this.result.coverage!.sets.findIndex((s) => receiver < s.first + s.count)
  }

  /** Shows the paths of a receiver if they are listed. */
  private async choose(receiver: number): Promise<void> {
    const { result } = this
    this.wanted = receiver
    const set: TabName = `set-${this.setOf(receiver)}`
    const listed = result.scene?.listed.includes(receiver) ?? false
    try {
      const paths = listed ? await loadPaths(result.scene!.pathsAt, receiver) : null
      if (this.wanted !== receiver) return
      this.receiver = receiver
      const has = paths !== null && paths.list.length > 0
      result.paths = has ? paths : undefined
      this.open(result, has ? undefined : set)
      this.describe()
    } catch (error) {
      this.bar.note(`The paths could not be read: ${(error as Error).message}`)
    }
  }

  private describe(): void {
    const { result, receiver } = this
    const at = result.coverage!.positionM.subarray(3 * receiver!, 3 * receiver! + 3)
    const position = Array.from(at, (x) => shown(x, 2)).join(', ')
    const set = result.coverage!.sets[this.setOf(receiver!)]
    const head = element('p', [
      element('strong', `Receiver ${receiver}`),
      ` of ${set.name} at ${position} m. `,
    ])
    one('hot-spot').replaceChildren(head)
    this.scene?.setRays([])
    const { paths } = result
    if (!paths) {
      const others = result.scene && result.scene.listed.length > 0
      head.append(
        result.coverage!.inside.includes(receiver!)
          ? 'It is inside a building.'
          : !this.reached(receiver!)
            ? 'No path found.'
            : others
              ? 'Its paths are not listed: isar propagate --paths lists those of its set.'
              : (result.sceneNote ?? ''),
      )
      return
    }
    const channel = this.settings!.layer
    const level = (p: PathData): number => p.gainDb[channel] ?? Math.max(...Object.values(p.gainDb))
    const list = [...paths.list].sort((a, b) => level(b) - level(a))
    head.append(
      `${paths.count} path${paths.count === 1 ? '' : 's'}, ${list.length > MOST_DRAWN ? `the strongest ${MOST_DRAWN}` : 'all'} drawn:`,
    )
    const show = (of: PathData[]): void => {
      this.scene?.setRays(
        of.map((p) => this.drawn(p)),
        true,
      )
      one('target-view').dataset.paths = String(of.length)
    }
    show(list.slice(0, MOST_DRAWN))
    const rows = list
      .slice(0, MOST_ROWS)
      .map((p, i) => [
        `${i + 1}: ${p.kind}`,
        String(p.pointsM.length),
        shown(level(p), 1),
        shown(1e9 * p.delayS, 2),
        shown(p.lengthM, 2),
      ])
    one('hot-spot').append(
      choiceTable(['Path', 'Bounces', 'Gain [dB]', 'Delay [ns]', 'Length [m]'], rows, (row) =>
        show(row === null ? list.slice(0, MOST_DRAWN) : [list[row]]),
      ),
    )
  }

  /** Whether any channel has a path gain at the receiver, at any frequency. */
  private reached(receiver: number): boolean {
    const { layers, freqHz, positionM } = this.result.coverage!
    return layers.some(({ data }) =>
      freqHz.some((_, n) => {
        const at = 2 * (n * (positionM.length / 3) + receiver)
        return data[at] !== 0 || data[at + 1] !== 0
      }),
    )
  }

  private drawn({ pointsM }: PathData): DrawnRay {
    const { positionM } = this.result.paths!
    return {
      points: [this.result.scene!.transmitterM, ...pointsM, positionM],
      bounces: pointsM.length,
    }
  }

  /** Transmitter, receivers in the colours of the figure's scale, and the selected one. */
  private drawObjects(): void {
    const { scene, coverage } = this.result
    if (!this.scene || !scene || !coverage || !this.settings) return
    const { radius } = this
    const gains = coverage.sets.map((_, s) => gainsOf(coverage, s, this.settings!))
    const high = this.settings.top ?? 5 * Math.ceil(Math.max(...gains.map(highest)) / 5)
    const table = coloursOf(this.settings.colours)
    const inside = new Set(coverage.inside)
    const colours = new Uint8Array(coverage.positionM.length)
    coverage.sets.forEach(({ first }, s) =>
      gains[s].forEach((gain, i) => {
        const from = 3 * colourIndex(gain, high - this.settings!.depth, high)
        colours.set(gain > NOTHING ? table.subarray(from, from + 3) : NO_PATH, 3 * (first + i))
      }),
    )
    this.scene.scale.show({
      low: high - this.settings.depth,
      high,
      unit: 'dB',
      colours: this.settings.colours,
    })
    const objects: Object3D[] = [receivers(coverage.positionM, colours, inside)]
    objects.push(dots(scene.transmitterM, Number.parseInt(TRANSMITTER.slice(1), 16), 10))
    const name = label('TX', TRANSMITTER, 0.8 * radius)
    name.position.set(scene.transmitterM[0], scene.transmitterM[1], scene.transmitterM[2] + 0.06 * radius)
    objects.push(name)
    if (this.receiver !== null) {
      const at = coverage.positionM.subarray(3 * this.receiver, 3 * this.receiver + 3)
      objects.push(dots(at, CHOSEN, 11))
    }
    this.scene.setObjects(objects)
  }
}

/** @param hidden  receivers inside buildings, which are not drawn */
function receivers(positionM: Float64Array, colours: Uint8Array, hidden: ReadonlySet<number>): Points {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positionM), 3))
  if (hidden.size > 0)
    geometry.setIndex(Array.from({ length: positionM.length / 3 }, (_, r) => r).filter((r) => !hidden.has(r)))
  // The colour table is in sRGB.
  const linear = Float32Array.from(colours, (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)) // prettier-ignore
  geometry.setAttribute('color', new BufferAttribute(linear, 3))
  return new Points(geometry, new PointsMaterial({ vertexColors: true, size: 5, sizeAttenuation: false }))
}

/** Walls with the outlines of their faces as edges. */
function wallsOf({ positions, triangles }: SceneData) {
  const geometry = new BufferGeometry()
  const few = triangles.length <= 3 * MOST_OUTLINED
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3))
  geometry.setIndex(new BufferAttribute(few ? triangles : new Uint32Array(), 1))
  const outlines = new EdgesGeometry(geometry, OUTLINE_DEG).attributes.position
  const edges = outlines ? Float64Array.from(outlines.array) : new Float64Array()
  return { positions, triangles, edges }
}
