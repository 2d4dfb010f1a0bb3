import { Vector3 } from 'three'
import { direction } from '../../scene/index.js'
import {
  mapAt,
  type MotionData,
  nearest,
  overTime,
  type Settings,
  shown,
  type TabName,
} from '../figures/index.js'
import type { MovingData, ResultData } from './data.js'
import { element, one, type Side } from './dom.js'
import { colourLegend, materialColour, TargetBar } from './target-bar.js'
import { Poses } from './geometry.js'
import { SceneView } from './scene-view.js'

/** Facets this many steps of a map's axes from a selected point are marked: two make a resolution cell. */
const NEAR = 2
/** Most echoes of a selection: facets times columns. */
const MOST_ECHOES = 4e6

/** Of the colours of materials those unlike that of marks. */
const PARTS = [1, 3, 4, 7, 5]
const partColour = (part: number) => materialColour(part === 0 ? 0 : PARTS[(part - 1) % PARTS.length])

/** A moving target at the time of the figures' cursor, and what of it has a Doppler and range that are selected. */
export class MotionSide implements Side {
  private readonly moving: MovingData
  private readonly motion: MotionData
  private readonly scene: SceneView
  private readonly bar: TargetBar
  private readonly poses: Poses
  private column = -1

  constructor({ name, moving, motion }: ResultData) {
    this.moving = moving!
    this.motion = motion!
    const { positions, triangles, facetPart, parts, thetaDeg, phiDeg } = this.moving
    const still = { positions, triangles, edges: new Float64Array() }
    this.scene = new SceneView(one('target-view'), still, direction(thetaDeg, phiDeg), 'Moving target in three dimensions: arrow keys rotate it, plus and minus zoom, R views it from the radar, H resets the view') // prettier-ignore
    const { mesh } = this.scene
    const { center } = mesh.geometry.boundingSphere!
    this.poses = new Poses(this.moving, this.motion.timeS, new Vector3().copy(center).toArray())
    this.scene.keepTurning()
    mesh.setTints(Uint8Array.from({ length: 3 * facetPart.length }, (_, i) => partColour(facetPart[Math.floor(i / 3)])[i % 3])) // prettier-ignore
    mesh.colour('material')
    const rates = parts.map((part, i) => ({ name: `${part.name}, ${shown(part.rate, 1)} rev/s`, colour: partColour(i + 1) })) // prettier-ignore
    if (rates.length > 0) one('target-view').append(colourLegend(rates))
    this.bar = new TargetBar(name, this.scene, 'motion', () => {})
    this.bar.note(
      'At the time of the cursor, without the way that the target has gone. Click a map to mark what has that Doppler.',
    )
    document.body.dataset.rays = 'ready'
  }

  draw(_tab: TabName, { slider }: Readonly<Settings>): void {
    if (slider === this.column) return
    this.column = slider
    this.scene.mesh.move((corners) => this.poses.corners(slider, corners))
    this.mark(() => false)
    one('hot-spot').replaceChildren()
    one('target-view').dataset.time = String(this.motion.timeS[slider])
    this.scene.draw()
  }

  /** Marks the facets at a point of a map, hidden ones too: of a range-Doppler map those that pass it during its interval. */
  pick(tab: TabName, x: number, y: number): void {
    if (!overTime(tab)) return
    const { motion, moving } = this
    const maps = tab === 'range-doppler' ? motion.maps! : null
    const axis = maps?.dopplerHz ?? motion.dopplerHz
    const step = axis[1] - axis[0]
    const rate = step * axis.length
    const wanted = axis[Math.max(0, nearest(axis, maps ? x : y))]
    const range = maps ? maps.rangeM[Math.max(0, nearest(maps.rangeM, y))] : 0
    const reach = maps ? NEAR * (maps.rangeM[1] - maps.rangeM[0]) : Infinity
    const columns = maps
      ? this.columnsOf(maps.timeS[mapAt(motion, this.column)], 1 / (2 * step))
      : [this.column]
    const found = new Set<number>()
    for (const column of columns) {
      const { rangeM, dopplerHz } = this.poses.echoes(column)
      dopplerHz.forEach((doppler, t) => {
        const off = doppler - wanted
        // Doppler folds over at the pulse rate.
        const near = Math.abs(off - rate * Math.round(off / rate)) <= NEAR * step
        if (near && Math.abs(rangeM[t] - range) <= reach) found.add(t)
      })
    }
    this.mark((t) => found.has(t))
    const names = [...new Set(Array.from(found, (t) => moving.facetPart[t]))].sort((a, b) => a - b)
    const of = names.map((part) => (part === 0 ? 'the body' : moving.parts[part - 1].name)).join(', ')
    const where = `${shown(wanted, 0)} Hz${maps ? `, range ${shown(range, 2)} m` : ` at ${shown(motion.timeS[this.column], 4)} s`}`
    const what =
      found.size === 0
        ? 'no facet moves so.'
        : `${found.size} facet${found.size === 1 ? '' : 's'} of ${of}, seen or hidden${maps ? ', at some time of this map' : ''}.`
    one('hot-spot').replaceChildren(element('p', [element('strong', where), `: ${what}`]))
    one('target-view').dataset.marked = String(found.size)
  }

  /** Columns of the spectrogram in an interval about a time [s]; of many facets every few. */
  private columnsOf(middle: number, interval: number): number[] {
    const inside = Array.from(this.motion.timeS.keys()).filter(
      (i) => Math.abs(this.motion.timeS[i] - middle) <= interval / 2,
    )
    const every = Math.ceil((inside.length * this.moving.facetPart.length) / MOST_ECHOES)
    return inside.filter((_, i) => i % every === 0)
  }

  recolour(ground: string): void {
    this.scene.setGround(ground)
  }

  close(): void {
    this.bar.close()
    this.scene.close()
  }

  private mark(of: (facet: number) => boolean): void {
    this.scene.mesh.setFlags('mark', of)
    this.scene.draw()
  }
}
