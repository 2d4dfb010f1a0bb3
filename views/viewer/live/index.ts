import { rcsCsv } from '../../../formats/rcs-table.js'
import { type Channel, CHANNELS } from '../../../rays/index.js'
import { C0, direction } from '../../../scene/index.js'
import {
  type Figure,
  highest,
  imageGrid,
  type ImageGridData,
  type Settings,
  shown,
  type View,
  viewOf,
} from '../../figures/index.js'
import { facing } from '../geometry.js'
import type { TargetData } from '../data.js'
import { download, element } from '../dom.js'
import { projectImage } from '../target-bar.js'
import { PlotPanel } from '../plot-panel.js'
import type { SceneView } from '../scene-view.js'
import { Stopped } from '../solver/solver.js'
import { anglesOf, DECIMALS, levelOf, liveView, wrapPhi } from './sweep.js'
import { LiveSession, LiveSolver, type LiveTarget } from './session.js'

/** Levels shown below the top [dB]. */
const IMAGE_DEPTH = 40
const COLOURS = 'inferno'

/** The image as a figure. */
function liveImageView(name: string, image: ImageGridData, channel: Channel): View {
  const settings: Settings = { layer: channel, depth: IMAGE_DEPTH, top: null, colours: COLOURS, compare: 'own', polar: false, slider: 0 } // prettier-ignore
  return viewOf({ name, place: 'live', image }, null, 'image', settings)
}

/** Paints the facets that face the radar with the image. */
function imageOnTarget(
  scene: SceneView,
  { positions, triangles }: TargetData,
  image: ImageGridData,
  channel: Channel,
): void {
  const { r } = direction(image.thetaDeg, image.phiDeg)
  const grid = imageGrid(image, channel)
  const high = highest(grid.levels)
  scene.mesh.setFlags('lit', (t) => facing(positions, triangles, t, r))
  projectImage(scene, image, grid, high - IMAGE_DEPTH, high, COLOURS)
  scene.mesh.colour('image')
  scene.scale.show({ low: high - IMAGE_DEPTH, high, unit: 'dBsm', colours: COLOURS })
  scene.draw()
}

/** Command that computes the same without a browser. */
const COMMAND = 'isar rcs'

/** Channels of the read-out; VH is HV. */
const READ: readonly Channel[] = ['vv', 'hh', 'hv']
const [FINEST, COARSEST] = [0.05, 30]

const one = <T extends HTMLElement>(id: string): T => document.querySelector<T>(`#live-${id}`)!
const input = (id: string): HTMLInputElement => one<HTMLInputElement>(id)

/**
 * The panel "Live": RCS in the view direction, computed while the view rotates, cuts over azimuth, and small images.
 * Nothing is computed while it is closed.
 */
export class LivePanel {
  private readonly panel = document.querySelector<HTMLElement>('#live')!
  private readonly plot: PlotPanel
  private target: LiveTarget | null = null
  private session: LiveSession | null = null
  private solver: LiveSolver | null = null
  private closeSolver: (() => void) | null = null

  constructor() {
    this.plot = new PlotPanel(one('plot'), {
      onRead: (text) => (one('cursor').textContent = text || '\u00a0'),
      onCursor: () => {},
      onWindow: () => {},
      onPick: (phi) => {
        if (!this.showsImage) this.viewFrom(anglesOf(this.target!.scene.orbit.eye)[0], phi)
      },
      onKey: () => false,
    })
    one('retry').addEventListener('click', () => this.start())
    one('channel').addEventListener('input', () => this.draw())
    one('show').addEventListener('input', () => {
      this.session?.setImage(this.showsImage)
      this.unpaint()
      this.draw()
    })
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
    scene.showResult(false)
    this.unpaint()
    scene.orbit.holdElevation(input('hold').checked)
    this.start()
  }

  close(): void {
    this.session?.close()
    this.closeSolver?.()
    this.session = null
    this.solver = null
    this.closeSolver = null
    if (!this.target || this.panel.hidden) return
    this.panel.hidden = true
    this.target.scene.showResult(true)
    this.unpaint()
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
    const { open, radiusM, freqHz, scene } = this.target!
    one('problem').hidden = true
    one('retry').hidden = true
    const { source, close } = open()
    this.closeSolver = close
    source.then(
      (of) => {
        if (this.closeSolver !== close) return
        this.solver = new LiveSolver(of, radiusM)
        this.session = new LiveSession(this.solver, this.frequency() ?? freqHz, {
          onChange: () => this.draw(),
          onEnd: (error) => this.stop(error),
        })
        this.session.setImage(this.showsImage)
        // The fields may hold what is being typed.
        this.session.viewFrom(anglesOf(scene.orbit.eye))
        return this.draw()
      },
      (error: Error) => {
        if (!(error instanceof Stopped)) this.stop(error)
      },
    )
    this.onRotate()
    this.draw()
  }

  /** Shows why nothing more can be computed; computed results remain visible. */
  private stop({ message }: Error): void {
    this.session = null
    this.closeSolver?.()
    this.closeSolver = null
    const command = element('code', COMMAND)
    one('problem').replaceChildren(
      `Live RCS is off: ${message.replace(/\.$/, '')}. `,
      command,
      ' computes the same where it runs.',
    )
    one('problem').hidden = false
    one('retry').hidden = false
    this.draw()
  }

  private get showsImage(): boolean {
    return one<HTMLSelectElement>('show').value === 'image'
  }

  /** The target in the colours that are chosen for it; those of the opened result, which is of another direction, only when closed. */
  private unpaint(): void {
    const { dataset } = document.body
    dataset.live = this.panel.hidden ? '' : 'cut'
    document.querySelector('#target-colour')!.dispatchEvent(new Event('input'))
    if (dataset.live && this.showsImage) dataset.live = 'image'
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
    const { session, channel } = this
    one<HTMLButtonElement>('sweep').disabled = !session
    one<HTMLButtonElement>('csv').disabled = !session?.sweep?.fields.length || session.isSweeping
    one('sweep').textContent = session?.isSweeping ? 'Stop' : 'Sweep φ'
    one('note').textContent = this.note()
    const progress = one<HTMLProgressElement>('progress')
    progress.hidden = !session?.isSweeping
    if (session?.sweep) {
      progress.max = session.sweep.phiDeg.length
      progress.value = session.sweep.fields.length
    }
    one('status').textContent = this.status()
    if (!session) return
    const { now, freqHz } = session
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
    const view = this.view(session)
    one('plot').hidden = !view
    if (view) this.plot.show(view, this.label())
  }

  private view({ now, freqHz, trace, sweep, image }: LiveSession): View | null {
    const { channel, showsImage } = this
    const { name, scene, data } = this.target!
    if (showsImage) {
      this.panel.dataset.image = image ? image.angles.join(' ') : ''
      if (!image) return null
      imageOnTarget(scene, data, image.image, channel)
      return liveImageView(name, image.image, channel)
    }
    const polar = one<HTMLSelectElement>('show').value === 'polar'
    const raysPerWavelength = this.solver!.raysPerWavelength(freqHz)
    return liveView({ name, freqHz, channel, raysPerWavelength, now, trace, sweep, polar })
  }

  private label(): string {
    const { name } = this.target!
    return this.showsImage
      ? `ISAR image of ${name} from the view direction: arrow keys move the cursor`
      : `RCS over azimuth of ${name}: arrow keys move the cursor, Enter rotates the view there`
  }

  private status(): string {
    const { session, solver } = this
    if (!this.closeSolver) return ''
    if (!session?.now || !solver) return 'starting …'
    const rays = `${solver.raysPerWavelength(session.freqHz)} rays/λ`
    return [solver.device, rays, `${(1000 * session.now.seconds).toFixed(1)} ms`].join('  ·  ')
  }

  /** Note on the input, the view or the sweep. */
  private note(): string {
    if (input('frequency').getAttribute('aria-invalid') === 'true') return 'Give a frequency above 0.'
    return [this.target?.note, this.session?.note, this.sweepNote()].filter(Boolean).join(' ')
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
