import { type NpyArray, vector, writeNpz } from '../../formats/npz.js'
import { channelMatrix, rcsCsv, type RcsTable, tableArrays } from '../../formats/rcs-table.js'
import { CHANNELS } from '../../rays/index.js'
import { historyArrays, imageArrays } from '../../run/formed-images.js'
import { direction } from '../../scene/index.js'
import type { HistoryData } from '../figures/index.js'
import { traceAngles } from '../server/manifest.js'
import type { ResultData } from '../viewer/data.js'
import { download } from '../viewer/dom.js'
import {
  DEFAULTS,
  type DoneAnswer,
  imageData,
  layersOf,
  type StartedAnswer,
  type TargetAnswer,
} from '../viewer/solver/messages.js'

/** A run as its aspects arrive, and its result as the panels of the viewer take it. */
export class Run {
  /** By aspect 8 numbers per frequency [m]. */
  readonly fields = new Map<number, Float64Array>()
  started: StartedAnswer | null = null
  done: DoneAnswer | null = null
  /** Finished part of a run; the aspects of full wave come all at the end. */
  solved = 0
  /** Time left, for the reader. */
  left: string | undefined

  constructor(
    readonly name: string,
    private readonly target: TargetAnswer,
    private readonly solver: ResultData['solver'],
    private readonly traceRays?: ResultData['traceRays'],
  ) {}

  /** The finished part, 0 to 1. */
  get part(): number {
    const { plan, phiDeg } = this.started ?? {}
    return plan ? this.solved : phiDeg ? this.fields.size / phiDeg.length : 0
  }

  /** How far it is, for the reader. */
  progress(): string {
    const { plan, phiDeg } = this.started ?? {}
    const done = plan
      ? `${Math.floor(100 * this.part)} %`
      : `${this.fields.size} of ${phiDeg?.length} aspects`
    return [done, ...(this.left ? [`${this.left} left`] : []), ...(plan ? [plan] : [])].join(' · ')
  }

  /** Aspects whose rays the page traces; the path is the azimuth. Over a ground none, as in `isar view`. */
  private aspects(): ResultData['aspects'] {
    if (this.target.target.groundM !== undefined) return []
    const { phiDeg } = this.started!
    const [first, last] = [phiDeg[0], phiDeg[phiDeg.length - 1]]
    return traceAngles((first + last) / 2, last - first).map((phi) => ({ path: String(phi), phiDeg: phi }))
  }

  /** The table of `isar rcs`, of the aspects that have arrived. */
  table(): RcsTable {
    const { freqHz, thetaDeg, phiDeg } = this.started!
    const computed = [...this.fields.keys()].sort((a, b) => a - b)
    return {
      freqHz: [...freqHz],
      aspects: computed.map((a) => {
        const d = direction(thetaDeg, phiDeg[a])
        return { tx: d, rx: d }
      }),
      bistatic: false,
      channels: [...CHANNELS],
      fields: { total: computed.map((a) => this.fields.get(a)!) },
    }
  }

  /** What there is to show; the target alone before the first aspect. */
  result(): ResultData {
    const { name, started, done } = this
    const { target, materials } = this.target
    const place = 'computed in this page'
    const image = done?.image && imageData(done.image, target)
    return {
      name,
      place,
      facts: this.facts(),
      solver: this.solver,
      target: {
        ...target,
        maxWedgeAngleDeg: DEFAULTS.maxWedgeAngleDeg,
        conducts: true,
        ...(target.facetMaterial && { materials }),
      },
      ...(started && this.fields.size > 0 && { history: this.history() }),
      ...(image && { image, aspects: this.aspects(), traceRays: this.traceRays }),
    }
  }

  private history(): HistoryData {
    const { freqHz, aspects, fields } = this.table()
    return {
      freqHz: Float64Array.from(freqHz),
      thetaDeg: Float64Array.from(aspects, ({ tx }) => tx.thetaDeg),
      phiDeg: Float64Array.from(aspects, ({ tx }) => tx.phiDeg),
      bistatic: false,
      layers: layersOf((c) => channelMatrix(fields.total, freqHz.length, c)),
    }
  }

  private facts(): ResultData['facts'] {
    const { started, done, target } = this
    const facts: ResultData['facts'] = [['Facets', String(target.facets)]]
    if (target.materials.length > 1)
      facts.push(['Materials', target.materials.slice(1).map(({ name }) => name).join(', ')]) // prettier-ignore
    if (started)
      facts.push([started.plan ? 'Full wave' : 'Rays', started.device], ['Aspects', String(started.phiDeg.length)], ['Frequencies', String(started.freqHz.length)]) // prettier-ignore
    if (done?.fullWave) {
      const unknowns = done.fullWave.map((report) => report.unknowns)
      facts.push(['Unknowns', [...new Set([Math.min(...unknowns), Math.max(...unknowns)])].join(' to ')])
    }
    if (done) facts.push(['Time', `${done.seconds.toFixed(1)} s`])
    for (const note of [...target.warnings, ...(started?.notes ?? [])]) facts.push(['Note', note])
    return facts
  }
}

/** Arrays of image.npz, and the image's aspect, which no meta.json tells here. */
function imageFile({ plan, formed }: NonNullable<DoneAnswer['image']>): Record<string, NpyArray> {
  const { thetaDeg, phiDeg } = imageData({ plan, formed })
  const aspect = { theta_deg: vector(Float64Array.of(thetaDeg)), phi_deg: vector(Float64Array.of(phiDeg)) }
  return { ...imageArrays(formed.images), ...aspect }
}

/** Saves a run as `isar rcs` and `isar render` write it. @param what  amplitudes as npz or CSV, or the images */
export function save(run: Run, what: 'npz' | 'csv' | 'image'): void {
  const image = run.done?.image
  const name = `${run.name}-${image ? 'phase-history' : 'rcs'}`
  if (what === 'csv') return download(`${name}.csv`, new Blob([...rcsCsv(run.table())], { type: 'text/csv' }))
  const arrays =
    what === 'image'
      ? imageFile(image!)
      : image
        ? historyArrays(image.formed.history)
        : tableArrays(run.table())
  const file = what === 'image' ? `${run.name}-image` : name
  download(`${file}.npz`, new Blob([writeNpz(arrays) as BlobPart]))
}
