import { rcsCsv } from '../../src/rcs-csv.js'
import { type Figure, shown } from '../../plots/index.js'
import { C0, direction } from '../../scene/index.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import type { ResultData } from '../data.js'
import { element } from '../dom.js'
import { download } from '../export.js'
import { PlotPanel } from '../plot-panel.js'
import type { SceneView } from '../scene-view.js'
import { anglesOf, DECIMALS, wrapPhi } from './angles.js'
import { levelOf, liveView } from './live-view.js'
import type { Opened } from './messages.js'
import { LiveSession } from './session.js'
import type { SolverTarget } from './solver.js'

/** The target of the shown result. */
export interface LiveTarget extends SolverTarget {
  name: string
  scene: SceneView
  /** Radius of the bounding sphere [m]. */
  radiusM: number
  /** Initial frequency [Hz]. */
  freqHz: number
  /** Whether all of it conducts; what does not is computed as if it did. */
  conducts: boolean
}

/** Initial frequency without data [Hz]. */
const DEFAULT_HZ = 10e9

/** The panel's input from a result with a target. */
export function liveTarget({ name, target, view, history }: ResultData, scene: SceneView): LiveTarget {
  const { positions, triangles } = target!
  const { maxWedgeAngleDeg, conducts } = view.target!
  const radiusM = scene.mesh.geometry.boundingSphere!.radius
  const freqHz = history ? history.freqHz[history.freqHz.length >> 1] : DEFAULT_HZ
  return { name, scene, mesh: { positions, triangles }, maxWedgeAngleDeg, radiusM, freqHz, conducts }
}

const NO_WEBGPU = 'this browser offers no WebGPU; use a current Chrome, Edge, Firefox or Safari'
/** Command that computes the same without a browser. */
const COMMAND = 'isar rcs --method gpueco'

/** Channels of the read-out; VH is HV. */
const READ: readonly Channel[] = ['vv', 'hh', 'hv']
const [FINEST, COARSEST] = [0.05, 30]

const one = <T extends HTMLElement>(id: string): T => document.querySelector<T>(`#live-${id}`)!
const input = (id: string): HTMLInputElement => one<HTMLInputElement>(id)

/**
 * The panel "Live": RCS in the view direction, computed on the visitor's GPU while the view rotates, and cuts over azimuth.
 * Nothing is computed while it is closed.
 */
export class LivePanel {
  private readonly panel = document.querySelector<HTMLElement>('#live')!
  private readonly plot: PlotPanel
  private target: LiveTarget | null = null
  private session: LiveSession | null = null
  private device: Opened | null = null

  constructor() {
    this.plot = new PlotPanel(one('plot'), {
      onRead: (text) => (one('cursor').textContent = text || '\u00a0'),
      onCursor: () => {},
      onWindow: () => {},
      onPick: (phi) => this.viewFrom(anglesOf(this.target!.scene.orbit.eye)[0], phi),
      onKey: () => false,
    })
    one('retry').addEventListener('click', () => this.start())
    for (const id of ['channel', 'polar']) one(id).addEventListener('input', () => this.draw())
    for (const id of ['theta', 'phi'])
      input(id).addEventListener('change', () =>
        this.viewFrom(Number(input('theta').value), Number(input('phi').value)),
      )
    input('hold').addEventListener('input', () =>
      this.target?.scene.orbit.holdElevation(input('hold').checked),
    )
    input('frequency').addEventListener('change', () => {
      const freqHz = this.frequency()
      if (freqHz) this.session?.setFrequency(freqHz)
      this.draw()
    })
    one('sweep').addEventListener('click', () => this.onSweep())
    one('csv').addEventListener('click', () => this.save())
  }

  /** Sets another target, or none; the panel closes. */
  show(target: LiveTarget | null): void {
    this.close()
    this.target = target
    if (target) input('frequency').value = String(Number((target.freqHz / 1e9).toPrecision(6)))
  }

  open(): void {
    if (!this.panel.hidden) return
    const { scene } = this.target!
    this.panel.hidden = false
    scene.onRotate = () => this.onRotate()
    scene.orbit.holdElevation(input('hold').checked)
    this.start()
  }

  close(): void {
    this.session?.close()
    this.session = null
    this.panel.hidden = true
    if (!this.target) return
    this.target.scene.onRotate = null
    this.target.scene.orbit.holdElevation(false)
  }

  /** The channel drawn. */
  get channel(): Channel {
    return one<HTMLSelectElement>('channel').value as Channel
  }

  /** The figure on white paper; null before there is one. */
  forFile(): Figure | null {
    return one('plot').hidden ? null : this.plot.forFile()
  }

  /** Redraws the figure in other colours. */
  redraw(): void {
    this.plot.redraw()
  }

  private start(): void {
    one('problem').hidden = true
    one('retry').hidden = true
    this.device = null
    if (!navigator.gpu) this.stop(new Error(NO_WEBGPU))
    else
      this.session = new LiveSession(this.target!, this.frequency() ?? this.target!.freqHz, {
        onOpened: (device) => {
          this.device = device
          one('status').title = `target prepared in ${device.prepareSeconds.toFixed(2)} s`
          this.draw()
        },
        onChange: () => this.draw(),
        onEnd: (error) => this.stop(error),
      })
    this.onRotate()
    this.draw()
  }

  /** Shows why nothing more can be computed; computed results remain visible. */
  private stop({ message }: Error): void {
    this.session = null
    const command = element('code', COMMAND)
    one('problem').replaceChildren(
      `Live RCS is off: ${message.replace(/\.$/, '')}. `,
      command,
      ' computes the same where it runs.',
    )
    one('problem').hidden = false
    one('retry').hidden = !navigator.gpu
    this.draw()
  }

  /** The frequency entered [Hz]; null if invalid. */
  private frequency(): number | null {
    const freqHz = Number(input('frequency').value) * 1e9
    const valid = Number.isFinite(freqHz) && freqHz > 0
    input('frequency').setAttribute('aria-invalid', String(!valid))
    return valid ? freqHz : null
  }

  private viewFrom(thetaDeg: number, phiDeg: number): void {
    const theta = Math.min(180, Math.max(0, thetaDeg))
    this.target!.scene.orbit.lookFrom(direction(theta, wrapPhi(phiDeg)))
    this.onRotate()
  }

  private onRotate(): void {
    const angles = anglesOf(this.target!.scene.orbit.eye)
    for (const [i, id] of ['theta', 'phi'].entries()) input(id).value = angles[i].toFixed(DECIMALS)
    this.session?.viewFrom(angles)
  }

  private onSweep(): void {
    const { session } = this
    if (!session) return
    if (session.isSweeping) return session.stopSweep()
    const step = Math.min(COARSEST, Math.max(FINEST, Number(input('step').value) || 1))
    input('step').value = String(step)
    void session.startSweep(anglesOf(this.target!.scene.orbit.eye)[0], step)
  }

  private draw(): void {
    const { session, device, channel } = this
    one<HTMLButtonElement>('sweep').disabled = !device || !session
    one<HTMLButtonElement>('csv').disabled = !session?.sweep?.fields.length || session.isSweeping
    one('sweep').textContent = session?.isSweeping ? 'Stop' : 'Sweep φ'
    one('note').textContent = this.note()
    const progress = one<HTMLProgressElement>('progress')
    progress.hidden = !session?.isSweeping
    if (session?.sweep) {
      progress.max = session.sweep.phiDeg.length
      progress.value = session.sweep.fields.length
    }
    one('status').textContent = session ? this.status() : ''
    if (!session) return
    const { now, freqHz, trace, sweep } = session
    this.panel.dataset.at = now ? [freqHz, ...now.angles].join(' ') : ''
    one('rcs').replaceChildren(
      ...READ.map((c) => {
        const level = element(
          'span',
          `${c.toUpperCase()} ${now ? shown(levelOf(now.field, c), 2) : '–'} dBsm`,
        )
        level.classList.toggle('chosen', c === channel)
        return level
      }),
    )
    const polar = input('polar').checked
    const view = liveView({ name: this.target!.name, freqHz, channel, now, trace, sweep, polar })
    one('plot').hidden = !view
    if (view)
      this.plot.show(
        view,
        `RCS over azimuth of ${this.target!.name}: arrow keys move the cursor, Enter rotates the view there`,
      )
  }

  private status(): string {
    if (!this.device) return 'starting …'
    const { device, isSoftware } = this.device
    const took = this.session?.now ? `  ·  ${(1000 * this.session.now.seconds).toFixed(1)} ms` : ''
    return device + (isSoftware ? ' (software: slow)' : '') + took
  }

  /** Note on the input or the sweep. */
  private note(): string {
    if (input('frequency').getAttribute('aria-invalid') === 'true') return 'Give a frequency above 0.'
    const metal = this.target?.conducts === false ? 'Without its materials: as if all of it were metal.' : ''
    return [metal, this.sweepNote()].filter(Boolean).join(' ')
  }

  private sweepNote(): string {
    const sweep = this.session?.sweep
    if (!sweep) return ''
    if (this.session!.isSweeping) return `${sweep.fields.length} of ${sweep.phiDeg.length}`
    const lobeDeg = ((C0 / sweep.freqHz / (4 * this.target!.radiusM)) * 180) / Math.PI
    return sweep.phiDeg[1] > lobeDeg ? `Lobes λ/2D are ${lobeDeg.toPrecision(2)}°: take finer steps.` : ''
  }

  private save(): void {
    const { freqHz, thetaDeg, phiDeg, fields } = this.session!.sweep!
    const aspects = phiDeg.slice(0, fields.length).map((phi) => {
      const tx = direction(thetaDeg, phi)
      return { tx, rx: tx }
    })
    const table = {
      freqHz: [freqHz],
      aspects,
      bistatic: false,
      channels: [...CHANNELS],
      fields: { total: fields },
    }
    download(
      `${this.target!.name}-live-${Number((freqHz / 1e9).toPrecision(6))}GHz-theta${thetaDeg}.csv`,
      new Blob([...rcsCsv(table)], { type: 'text/csv' }),
    )
  }
}
