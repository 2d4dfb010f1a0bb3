import '../viewer/style.css'
import '../viewer/live/live.css'
import './site.css'
import { isMeshFile } from '../formats/mesh-endings.js'
import type { Unit } from '../scene/index.js'
import { DataPanel } from '../viewer/data-panel.js'
import type { RaysData } from '../viewer/data.js'
import { element, one } from '../viewer/dom.js'
import type { SolveOptions, TargetAnswer } from '../viewer/solver/messages.js'
import { Solver, Stopped } from '../viewer/solver/solver.js'
import { TargetSide } from '../viewer/target-side.js'
import { startTheme } from '../viewer/theme.js'
import { liveChosen, optionsChosen, prepareForm, SAMPLES, suggest, sweepChosen, unitsChosen } from './form.js'
import { clearGroups, materialsChosen, showGroups } from './materials-form.js'
import { Run } from './result.js'
import { save } from './save.js'

/** Time between two drawings of a cut that grows [ms]. */
const REDRAW_MS = 250

interface File {
  name: string
  bytes: Uint8Array
}

const isMaterials = ({ name }: File): boolean => /\.json$/i.test(name)
const isMesh = ({ name }: File): boolean => isMeshFile(name)

/** The page: a form, the solver, and the viewer's panels of target and figures. */
class Site {
  private readonly solver = new Solver()
  private readonly panel: DataPanel
  private side: TargetSide | null = null
  private target: TargetAnswer | null = null
  /** The mesh first, then other files that were given with it. */
  private files: File[] = []
  private library: File[] = []
  private units: Unit = 'm'
  /** Number of the last target asked for. */
  private asked = 0
  private run: Run | null = null
  private stopping = new AbortController()
  /** Ends images of the tab Live. */
  private pausing = new AbortController()
  private state: 'empty' | 'opening' | 'ready' | 'solving' | 'done' = 'empty'
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    this.panel = new DataPanel({
      onDraw: (tab, settings) => this.side?.draw(tab, settings),
      onPick: (tab, x, y) => this.side?.pick(tab, x, y),
    })
    prepareForm()
    startTheme(one<HTMLButtonElement>('theme'), () => this.recolour())
    one('run').addEventListener('submit', (event) => {
      event.preventDefault()
      if (this.state === 'solving') this.stopping.abort()
      else void this.solve()
    })
    const sample = one<HTMLSelectElement>('sample')
    sample.addEventListener('input', () => void this.openSample(sample.value))
    const [file, library] = [one<HTMLInputElement>('file'), one<HTMLInputElement>('materials-file')]
    file.addEventListener('change', () => void this.give(file.files))
    library.addEventListener('change', () => {
      this.library = []
      void (library.files?.length ? this.give(library.files) : this.open())
    })
    one('units').addEventListener('input', () => {
      // A sample's unit is known.
      if (one<HTMLSelectElement>('sample').value === '') void this.open(unitsChosen())
    })
    for (const id of ['groups', 'ground', 'ground-height'])
      one(id).addEventListener('change', () => void this.open())
    this.takeDrops()
    for (const what of ['npz', 'csv', 'image'] as const)
      one(`save-${what}`).addEventListener('click', () => save(this.run!, what))
    one<HTMLSelectElement>('live-show').value = 'image'
    void this.openSample(SAMPLES[0])
  }

  private takeDrops(): void {
    document.addEventListener('dragover', (event) => {
      event.preventDefault()
      document.body.classList.add('dropping')
    })
    document.addEventListener('dragleave', () => document.body.classList.remove('dropping'))
    document.addEventListener('drop', (event) => {
      event.preventDefault()
      document.body.classList.remove('dropping')
      void this.give(event.dataTransfer?.files ?? null)
    })
  }

  /** Takes a mesh with files that it names, or a materials file with its tables. */
  private async give(list: FileList | null): Promise<void> {
    const files = await Promise.all(
      Array.from(list ?? [], async (file) => ({
        name: file.name,
        bytes: new Uint8Array(await file.arrayBuffer()),
      })),
    )
    if (files.length === 0) return
    const library = files.find(isMaterials)
    const mesh = files.find(isMesh) ?? (library ? undefined : files[0])
    const others = files.filter((f) => f !== library && f !== mesh)
    if (library) this.library = [library, ...others]
    if (!mesh) return this.open()
    this.files = [mesh, ...others]
    const select = one<HTMLSelectElement>('sample')
    select.querySelector('.own')?.remove()
    select.append(element('option', mesh.name, { class: 'own', value: '' }))
    select.value = ''
    clearGroups()
    await this.open(unitsChosen())
  }

  private async openSample(name: string): Promise<void> {
    if (name === '') return
    try {
      const response = await fetch(`samples/${name}.stl`)
      if (!response.ok) throw new Error(`it answers ${response.status}`)
      this.files = [{ name: `${name}.stl`, bytes: new Uint8Array(await response.arrayBuffer()) }]
    } catch (error) {
      return this.fail(
        `the sample ${name} could not be had from this page's server: ${(error as Error).message}`,
      )
    }
    clearGroups()
    await this.open('m')
  }

  private get name(): string {
    return this.files[0].name.replace(/\.[^.]*$/, '')
  }

  /** Opens the mesh with the materials and the ground that are chosen. @param units  of another mesh, for which values are suggested */
  private async open(units?: Unit): Promise<void> {
    const { files, library } = this
    if (files.length === 0) return
    const number = ++this.asked
    this.units = units ?? this.units
    this.stopping.abort()
    this.panel.setLive(null)
    this.run = null
    this.show('opening')
    one('failure').hidden = true
    const made = { ...materialsChosen(), ...(library.length > 0 && { materials: library[0].name }) }
    try {
      const target = await this.solver.open({
        name: files[0].name,
        files: [...files, ...library],
        units: this.units,
        made,
      })
      if (number !== this.asked) return
      this.target = target
      showGroups(target)
      if (units) suggest(target)
      document.body.classList.remove('empty')
      this.showTarget(new Run(this.name, target, this.live()))
      this.show('ready')
    } catch (error) {
      if (error instanceof Stopped || number !== this.asked) return
      this.fail((error as Error).message)
      this.show('empty')
    }
  }

  /** What the tab Live computes with: the solver of this page. Its images make way for runs. */
  private live() {
    const { gpu } = this.target!
    const paused = (signal?: AbortSignal) =>
      AbortSignal.any([this.pausing.signal, ...(signal ? [signal] : [])])
    const solve: Solver['solve'] = (sweep, options, events, signal) =>
      this.solver.solve(sweep, options, events, sweep.what === 'image' ? paused(signal) : signal)
    return { solver: { solve }, gpu, ...liveChosen() }
  }

  private async solve(): Promise<void> {
    one('failure').hidden = true
    this.pausing.abort()
    this.pausing = new AbortController()
    const { signal } = (this.stopping = new AbortController())
    let run: Run | null = null
    try {
      const [sweep, options] = [sweepChosen(), optionsChosen()]
      const own = new Run(this.name, this.target!, this.live(), (phi) => this.rays(own, Number(phi), options))
      run = this.run = own
      this.show('solving')
      own.done = await this.solver.solve(
        sweep,
        options,
        {
          onStarted: (started) => (own.started = started),
          onRow: ({ aspect, field }) => {
            own.fields.set(aspect, field)
            if (this.run !== own) return
            this.timer ??= setTimeout(() => this.showRun(), REDRAW_MS)
            this.status()
          },
          onPart: ({ part }) => {
            own.solved = part
            this.status()
          },
        },
        signal,
      )
    } catch (error) {
      if (!(error instanceof Stopped)) this.fail((error as Error).message)
    }
    if (!run || this.run !== run) return
    clearTimeout(this.timer)
    this.showRun()
    this.show(run.fields.size > 0 ? 'done' : 'ready')
  }

  private rays({ started }: Run, phiDeg: number, options: SolveOptions): Promise<RaysData> {
    const { freqHz, thetaDeg } = started!
    const middle = (freqHz[0] + freqHz[freqHz.length - 1]) / 2
    return this.solver.rays({ thetaDeg, phiDeg, freqHz: middle }, options)
  }

  private fail(message: string): void {
    one('failure').textContent = message
    one('failure').hidden = false
  }

  /** Shows what has been computed so far; with the image the target is seen from its radar. */
  private showRun(): void {
    this.timer = undefined
    const { run } = this
    if (!run?.started || run.fields.size === 0) return
    const result = run.result()
    const tab = result.image ? 'image' : 'cut'
    if (result.image) {
      one<HTMLSelectElement>('target-colour').value = 'image'
      this.showTarget(run)
    }
    const shown = document.body.dataset.shown === tab
    this.panel.open(result, null, shown && !result.image, tab)
    document.body.dataset.shown = tab
    this.facts(result.view.facts)
  }

  private showTarget(run: Run): void {
    this.side?.close()
    delete document.body.dataset.rays
    delete document.body.dataset.shown
    const result = run.result()
    this.side = new TargetSide(result, this.panel)
    if (!result.history) {
      this.panel.open(result, null)
      this.facts(result.view.facts)
    }
    this.recolour()
  }

  private facts(facts: [string, string][]): void {
    one('facts')
      .querySelector('dl')!
      .replaceChildren(...facts.flatMap(([k, v]) => [element('dt', k), element('dd', v)]))
  }

  private show(state: Site['state']): void {
    this.state = state
    document.body.dataset.state = state
    const go = one<HTMLButtonElement>('go')
    go.disabled = state === 'empty' || state === 'opening'
    go.textContent = state === 'solving' ? 'Stop' : 'Compute'
    const { run } = this
    for (const id of ['save-npz', 'save-csv']) one(id).hidden = state !== 'done'
    one('save-image').hidden = state !== 'done' || !run?.done?.image
    this.status()
  }

  private status(): void {
    const { run, target, state } = this
    const total = run?.started?.phiDeg.length
    Object.assign(one('progress'), { hidden: state !== 'solving', value: run?.part ?? 0 })
    const gpu = target?.gpu ? `GPU: ${target.gpu.name}` : 'no WebGPU here: the CPU computes'
    const texts = {
      empty: '',
      opening: 'reading …',
      ready: `${target?.facets} facets · ${gpu}`,
      solving: total ? `${run!.progress()} · ${run!.started!.device}` : 'starting …',
      done: run?.done
        ? `${total} aspects in ${run.done.seconds.toFixed(1)} s · ${run.started!.device}`
        : `stopped after ${run?.progress()}`,
    }
    one('status').textContent = texts[state]
  }

  private recolour(): void {
    const ground = getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()
    this.side?.recolour(ground)
    if (!document.body.classList.contains('empty')) this.panel.redraw()
  }
}

void new Site()
