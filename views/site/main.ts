import { readNpz } from '../../formats/npz.js'
import { isMeshFile } from '../../formats/read-mesh.js'
import { short } from '../../isar/levels.js'
import { boundingBox, C0, InputError, type Unit } from '../../scene/index.js'
import { historiesData, imageData, readRcsCsv } from '../server/result-file.js'
import { DataPanel } from '../viewer/data-panel.js'
import type { RaysData, ResultData } from '../viewer/data.js'
import { element, one, showFacts, startTheme } from '../viewer/dom.js'
import type { PlanAnswer, SolveOptions, TargetAnswer } from '../viewer/solver/messages.js'
import { Solver, Stopped } from '../viewer/solver/solver.js'
import '../viewer/style.css'
import { TargetSide } from '../viewer/target-side.js'
import {
  freqChosen,
  liveChosen,
  optionsChosen,
  prepareForm,
  SAMPLES,
  suggest,
  sweepChosen,
  unitsChosen,
  fillFrom,
  linkTo,
  clearGroups,
  materialsChosen,
  showGroups,
} from './form.js'
import { Run, save } from './result.js'
import './site.css'

/** Size of the target in metres and wavelengths, beside the units. @param freqHz  0 without one */
function showSize({ target }: TargetAnswer, freqHz: number): void {
  const { min, max } = boundingBox(target)
  const size = [0, 1, 2].map((a) => max[a] - min[a])
  const wavelengths = (Math.hypot(...size) * freqHz) / C0
  one('size').textContent =
    `${size.map((x) => short(x, 3)).join(' × ')} m${wavelengths > 0 ? `, ${short(wavelengths, 3)} wavelengths across` : ''}`
}

/** The line that tells what the run of the form would take. `data-plan` is `ready` when it is that of the form as it stands. */
class PlanLine {
  private asked = 0
  private asking: Promise<unknown> = Promise.resolve()

  /** @param ask  rejects for a run that is impossible */
  constructor(private readonly ask: () => Promise<PlanAnswer>) {}

  /** What is shown is of a form or target of before. */
  hold(): number {
    one('plan').dataset.plan = 'waiting'
    return ++this.asked
  }

  /** The form has changed, or the target. Of several changes the last counts. */
  async change(): Promise<void> {
    const number = this.hold()
    const host = one('plan')
    await this.asking
    if (number !== this.asked) return
    const answered = this.answer()
    this.asking = answered
    const { text, warnings } = await answered
    if (number !== this.asked) return
    host.replaceChildren(text, ...warnings.map((line) => element('strong', line)))
    host.dataset.plan = 'ready'
  }

  private async answer(): Promise<{ text: string; warnings: string[] }> {
    try {
      return await this.ask()
    } catch (error) {
      return { text: '', warnings: error instanceof InputError ? [error.message] : [] }
    }
  }
}

interface File {
  name: string
  bytes: Uint8Array
}

interface Given {
  /** A mesh, and files that it names. */
  mesh: File[]
  /** A materials file, and its tables. */
  library: File[]
  /** A table or image to be shown again. */
  result: File | null
}

const isMaterials = ({ name }: File): boolean => /\.json$/i.test(name)
const isMesh = ({ name }: File): boolean => isMeshFile(name)
const isResult = ({ name }: File): boolean => /\.(npz|csv)$/i.test(name)
const isTable = ({ name }: File): boolean => /\.csv$/i.test(name)

/** What files are: tables (.csv) beside a materials file are its own. */
async function sortFiles(list: FileList | null): Promise<Given> {
  const files = await Promise.all(
    Array.from(list ?? [], async (file) => ({
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  )
  const library = files.find(isMaterials)
  const result = files.find((f) => isResult(f) && !(library && isTable(f))) ?? null
  const mesh = files.find(isMesh) ?? (library || result ? undefined : files[0])
  const others = files.filter((f) => f !== library && f !== mesh && f !== result)
  return { mesh: mesh ? [mesh, ...others] : [], library: library ? [library, ...others] : [], result }
}

/** Takes files that are dropped on the page. */
function takeDrops(give: (files: FileList | null) => void): void {
  document.addEventListener('dragover', (event) => {
    event.preventDefault()
    document.body.classList.add('dropping')
  })
  document.addEventListener('dragleave', () => document.body.classList.remove('dropping'))
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    document.body.classList.remove('dropping')
    give(event.dataTransfer?.files ?? null)
  })
}

/** Time between two drawings of a cut that grows [ms]. */
const REDRAW_MS = 250

/** The page: a form, the solver, and the viewer's panels of target and figures. */
class Site {
  private readonly solver = new Solver()
  private readonly panel = new DataPanel()
  private target: TargetAnswer | null = null
  /** The mesh first, then other files that were given with it. */
  private files: File[] = []
  private library: File[] = []
  private units: Unit = 'm'
  /** Until another mesh has been opened, which may take several attempts: fields for which no values are suggested then. */
  private unsuggested: ((id: string) => boolean) | null = null
  /** Number of the last target asked for. */
  private asked = 0
  private run: Run | null = null
  private stopping = new AbortController()
  /** Ends images of the tab Live. */
  private pausing = new AbortController()
  private state: 'empty' | 'opening' | 'ready' | 'solving' | 'done' | 'opened' = 'empty'
  /** The mesh that is being opened. */
  private opening: Promise<void> = Promise.resolve()
  /** Compute was asked for before the target was open. */
  private wantsRun = false
  private readonly plan = new PlanLine(async () => this.solver.plan(sweepChosen(), optionsChosen()))
  private timer: ReturnType<typeof setTimeout> | undefined
  /** Time of the last drawing of a run [ms]. */
  private shownAt = -Infinity

  constructor() {
    prepareForm()
    startTheme(one<HTMLButtonElement>('theme'), () => this.panel.recolour())
    one('run').addEventListener('submit', (event) => {
      event.preventDefault()
      this.go()
    })
    one('run').addEventListener('input', () => this.changed())
    // A field that is wrong must be there to be seen.
    one('run').addEventListener('invalid', () => (one<HTMLDetailsElement>('expert').open = true), { capture: true }) // prettier-ignore
    one<HTMLButtonElement>('go').disabled = false
    const sample = one<HTMLSelectElement>('sample')
    sample.addEventListener('input', () => {
      this.opening = this.openSample(sample.value)
    })
    const [file, library] = [one<HTMLInputElement>('file'), one<HTMLInputElement>('materials-file')]
    file.addEventListener('change', () => void this.give(file.files))
    library.addEventListener('change', () => {
      this.library = []
      if (library.files?.length) void this.give(library.files)
      else this.opening = this.open()
    })
    one('units').addEventListener('input', () => {
      // A sample's unit is known.
      if (one<HTMLSelectElement>('sample').value === '') this.opening = this.open(unitsChosen())
    })
    for (const id of ['groups', 'ground', 'ground-height'])
      one(id).addEventListener('change', () => {
        this.opening = this.open()
      })
    takeDrops((files) => void this.give(files))
    for (const what of ['npz', 'csv', 'image'] as const)
      one(`save-${what}`).addEventListener('click', () => save(this.run!, what))
    one<HTMLSelectElement>('live-show').value = 'image'
    // A link to another run is another page.
    addEventListener('hashchange', () => location.reload())
    this.begin()
  }

  /** Begins with the run that the address names, or with the first sample. */
  private begin(): void {
    const link = fillFrom(location.hash)
    if (link) sampleChoice().value = link.sample
    this.opening = this.openSample(link?.sample ?? SAMPLES[0], link?.has)
    this.wantsRun = link !== null
  }

  /** Computes or stops; what could not be opened is tried again first, with the form as it is now. */
  private go(): void {
    if (this.state === 'solving') return this.stopping.abort()
    if (this.target && (this.state === 'ready' || this.state === 'done' || this.state === 'opened'))
      return void this.solve()
    if (this.state !== 'opening')
      this.opening = this.files.length > 0 ? this.open() : this.openSample(sampleChoice().value)
    this.wantsRun = true
  }

  private changed(): void {
    if (this.target) showSize(this.target, freqChosen())
    if (this.state !== 'empty') void this.plan.change()
  }

  /** Takes a mesh with files that it names, a materials file with its tables, or a result to be shown again, beside its mesh if that is given too. */
  private async give(list: FileList | null): Promise<void> {
    const { mesh, library, result } = await sortFiles(list)
    if (library.length > 0) this.library = library
    if (mesh.length > 0) {
      this.files = mesh
      const select = one<HTMLSelectElement>('sample')
      select.querySelector('.own')?.remove()
      select.append(element('option', mesh[0].name, { class: 'own', value: '' }))
      select.value = ''
      clearGroups()
      this.wantsRun = false
      this.opening = this.open(unitsChosen())
    } else if (library.length > 0) this.opening = this.open()
    await this.opening
    if (result) this.showOpened(result, mesh.length > 0)
  }

  /** Shows a result of before. @param withTarget  given with it; where that could not be opened its failure stays */
  private showOpened({ name, bytes }: File, withTarget: boolean): void {
    try {
      const opened = openedResult(name, bytes)
      this.stopping.abort()
      this.run = null
      const own = withTarget && this.target ? new Run(this.name, this.target, this.live()).result() : null
      if (own || !withTarget) one('failure').hidden = true
      this.showResult({ ...own, ...opened })
      this.show('opened')
    } catch (error) {
      this.fail((error as Error).message)
    }
  }

  /** @param has  fields of the form that a link has filled */
  private async openSample(name: string, has?: (id: string) => boolean): Promise<void> {
    if (name === '') return
    this.wantsRun = false
    this.files = []
    const number = this.startOpening()
    try {
      const response = await fetch(`samples/${name}.stl`)
      if (!response.ok) throw new Error(`it answers ${response.status}`)
      const bytes = new Uint8Array(await response.arrayBuffer())
      if (number !== this.asked) return
      this.files = [{ name: `${name}.stl`, bytes }]
    } catch (error) {
      if (number !== this.asked) return
      this.fail(`the sample ${name} could not be had from this page's server: ${(error as Error).message}`)
      return this.show('empty')
    }
    if (!has) clearGroups()
    await this.open('m', has)
  }

  /** Until it is open there is no target. @returns its number */
  private startOpening(): number {
    this.target = null
    this.show('opening')
    this.plan.hold()
    one('failure').hidden = true
    return ++this.asked
  }

  private get name(): string {
    return this.files[0].name.replace(/\.[^.]*$/, '')
  }

  /** Opens the mesh with the materials and the ground that are chosen. @param units  of another mesh, for which values are suggested but in fields of a link */
  private async open(units?: Unit, has?: (id: string) => boolean): Promise<void> {
    const { files, library } = this
    if (files.length === 0) return
    this.units = units ?? this.units
    if (units) this.unsuggested = has ?? (() => false)
    this.stopping.abort()
    this.panel.setLive(null)
    this.run = null
    const number = this.startOpening()
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
      showGroups(target, library.length > 0)
      if (this.unsuggested) suggest(target, this.unsuggested)
      this.unsuggested = null
      this.changed()
      this.showResult(new Run(this.name, target, this.live()).result())
      this.show('ready')
      const { wantsRun } = this
      this.wantsRun = false
      // A link may hold what the form refuses.
      if (wantsRun && one<HTMLFormElement>('run').reportValidity()) void this.solve()
    } catch (error) {
      if (error instanceof Stopped || number !== this.asked) return
      this.wantsRun = false
      one('plan').replaceChildren()
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
      const sample = sampleChoice().value
      // The address is a link to this run; of a visitor's own files there is none.
      const isOwn = sample === '' || this.library.length > 0
      history.replaceState(null, '', isOwn ? location.pathname + location.search : linkTo(sample))
      if (this.state === 'opened') this.showResult(new Run(this.name, this.target!, this.live()).result())
      this.show('solving')
      own.done = await this.solver.solve(
        sweep,
        options,
        {
          onStarted: (started) => {
            own.started = started
            // The GPU may have failed, and the CPU computes.
            if (options.device === 'auto') void this.plan.change()
          },
          onRow: ({ aspect, field }) => {
            own.fields.set(aspect, field)
            this.showLater(own)
          },
          onPart: ({ part, left }) => {
            own.solved = part
            own.left = left
            if (part > 0) this.showLater(own)
          },
        },
        signal,
      )
    } catch (error) {
      if (!(error instanceof Stopped)) this.fail((error as Error).message)
    }
    if (!run || this.run !== run) return
    run.left = undefined
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

  /** What a run begins with is shown at once, and what follows a few times a second: drawing takes from the threads that compute. */
  private showLater(run: Run): void {
    if (this.run !== run) return
    this.timer ??= setTimeout(() => this.showRun(), this.shownAt + REDRAW_MS - performance.now())
  }

  /** Shows what has been computed so far; with the image the target is seen from its radar. */
  private showRun(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.shownAt = performance.now()
    const { run } = this
    this.status()
    if (!run?.started || run.fields.size === 0) return
    const result = run.result()
    const tab = result.image ? 'image' : 'cut'
    if (result.image) {
      one<HTMLSelectElement>('target-colour').value = 'image'
      this.showResult(result)
    }
    const shown = document.body.dataset.shown === tab
    this.panel.open(result, null, shown && !result.image, tab)
    document.body.dataset.shown = tab
    showFacts(result.facts)
  }

  /** Shows a result beside its target; of a run in progress the target alone. */
  private showResult(result: ResultData): void {
    delete document.body.dataset.rays
    delete document.body.dataset.shown
    document.body.classList.remove('empty')
    document.body.classList.toggle('no-target', !result.target)
    this.panel.setSide(() => (result.target ? new TargetSide(result, this.panel) : null))
    if (!result.target) this.panel.setLive(null)
    if (this.run === null) {
      this.panel.open(result, null)
      showFacts(result.facts)
    }
    this.panel.recolour()
  }

  private show(state: Site['state']): void {
    this.state = state
    document.body.dataset.state = state
    one('go').textContent = state === 'solving' ? 'Stop' : 'Compute'
    const { run } = this
    for (const id of ['save-npz', 'save-csv']) one(id).hidden = state !== 'done'
    one('save-image').hidden = state !== 'done' || !run?.done?.image
    this.status()
  }

  private status(): void {
    const { run, target, state } = this
    const total = run?.started?.phiDeg.length
    Object.assign(one('progress'), { hidden: state !== 'solving', value: run?.part ?? 0 })
    const texts = {
      empty: '',
      opening: 'reading …',
      ready: `${target?.facets} facets`,
      opened: 'opened',
      solving: total ? `${run!.progress()} · ${run!.started!.device}` : 'starting …',
      done: run?.done
        ? `${total} aspects in ${run.done.seconds.toFixed(1)} s · ${run.started!.device}`
        : `stopped after ${run?.progress()}`,
    }
    one('status').textContent = texts[state]
  }
}

const sampleChoice = (): HTMLSelectElement => one<HTMLSelectElement>('sample')

void new Site()

/** What a table or image of this page, `isar rcs` or `isar render` shows, as `isar view` opens it. @throws InputError for another file */
function openedResult(
  name: string,
  bytes: Uint8Array,
): Pick<ResultData, 'name' | 'place' | 'facts' | 'image' | 'history'> {
  const arrays = /\.csv$/i.test(name) ? readRcsCsv(new TextDecoder().decode(bytes), name) : readNpz(bytes)
  const isImage = Object.keys(arrays).some((key) => key.startsWith('image_'))
  const image = isImage ? imageData(arrays, null) : undefined
  if (!image && !('freq_hz' in arrays))
    throw new InputError(
      `${name}: neither a table nor an image; give what this page, isar rcs or isar render wrote`,
    )
  const [history] = image ? [] : historiesData(arrays)
  const facts: [string, string][] = history
    ? [
        ['Aspects', String(history.phiDeg.length)],
        ['Frequencies', String(history.freqHz.length)],
      ]
    : []
  return {
    name: name.replace(/\.\w+$/, ''),
    place: name,
    facts: [['File', name], ...facts],
    ...(image ? { image } : { history }),
  }
}
