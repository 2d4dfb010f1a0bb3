import '../viewer/style.css'
import '../viewer/live/live.css'
import './site.css'
import { writeNpz } from '../formats/npz.js'
import { historyArrays, imageArrays } from '../src/formed-images.js'
import { rcsCsv } from '../src/rcs-csv.js'
import { tableArrays } from '../src/rcs-table.js'
import { DataPanel } from '../viewer/data-panel.js'
import { element, one } from '../viewer/dom.js'
import { download } from '../viewer/export.js'
import { TargetSide } from '../viewer/target-side.js'
import { startTheme } from '../viewer/theme.js'
import { optionsChosen, prepareForm, SAMPLES, suggest, sweepChosen, unitsChosen } from './form.js'
import type { RaysData } from '../viewer/data.js'
import type { Answer, Request, SolveOptions, TargetAnswer } from './messages.js'
import { Run } from './result.js'

/** Time between two drawings of a cut that grows [ms]. */
const REDRAW_MS = 250

/** The page: a form, the solver's worker, and the viewer's panels of target and figures. */
class Site {
  private readonly worker = new Worker(new URL('solver-worker.ts', import.meta.url), { type: 'module' })
  private readonly panel: DataPanel
  private side: TargetSide | null = null
  private target: TargetAnswer | null = null
  private name = ''
  private run: Run | null = null
  private state: 'empty' | 'opening' | 'ready' | 'solving' | 'done' = 'empty'
  /** Requests for rays, by their numbers. */
  private readonly asked = new Map<number, (rays: RaysData) => void>()
  private rays = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    this.panel = new DataPanel({
      onDraw: (tab, settings) => this.side?.draw(tab, settings),
      onPick: (tab, x, y) => this.side?.pick(tab, x, y),
    })
    this.worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => this.onAnswer(data))
    this.worker.addEventListener('error', (event) => {
      event.preventDefault()
      this.fail(event.message || 'the solver could not be loaded; reload the page')
    })
    prepareForm()
    startTheme(one<HTMLButtonElement>('theme'), () => this.recolour())
    one('run').addEventListener('submit', (event) => {
      event.preventDefault()
      if (this.state === 'solving') this.send({ kind: 'stop' })
      else this.solve()
    })
    one('sample').addEventListener(
      'input',
      () => void this.openSample(one<HTMLSelectElement>('sample').value),
    )
    one('file').addEventListener('change', () => this.openFirst(one<HTMLInputElement>('file').files))
    one('units').addEventListener('input', () => this.openFirst(one<HTMLInputElement>('file').files))
    this.takeDrops()
    one('save-npz').addEventListener('click', () => this.save('npz'))
    one('save-csv').addEventListener('click', () => this.save('csv'))
    one('save-image').addEventListener('click', () => this.save('image'))
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
      this.openFirst(event.dataTransfer?.files ?? null)
    })
  }

  private openFirst(files: FileList | null): void {
    if (files?.[0]) void this.openFile(files[0])
  }

  private async openFile(file: File): Promise<void> {
    this.open(file.name, new Uint8Array(await file.arrayBuffer()), unitsChosen())
    const select = one<HTMLSelectElement>('sample')
    select.querySelector('.own')?.remove()
    select.append(element('option', file.name, { class: 'own', value: '' }))
    select.value = ''
  }

  private async openSample(name: string): Promise<void> {
    if (name === '') return
    try {
      const response = await fetch(`samples/${name}.stl`)
      if (!response.ok) throw new Error(`it answers ${response.status}`)
      this.open(`${name}.stl`, new Uint8Array(await response.arrayBuffer()), 'm')
    } catch (error) {
      this.fail(`the sample ${name} could not be had from this page's server: ${(error as Error).message}`)
    }
  }

  private open(file: string, bytes: Uint8Array, units: ReturnType<typeof unitsChosen>): void {
    this.name = file.replace(/\.[^.]*$/, '')
    this.run = null
    this.show('opening')
    this.send({ kind: 'open', name: file, bytes, units })
  }

  private solve(): void {
    try {
      const request = { kind: 'solve', sweep: sweepChosen(), options: optionsChosen() } as const
      const run = new Run(this.name, this.target!, (phi) => this.traceRays(run, Number(phi), request.options))
      this.run = run
      this.show('solving')
      this.send(request)
    } catch (error) {
      this.fail((error as Error).message)
    }
  }

  private send(request: Request): void {
    one('failure').hidden = true
    this.worker.postMessage(request, [])
  }

  private onAnswer(answer: Answer): void {
    const { run } = this
    if (answer.kind === 'target') {
      this.target = answer
      suggest(answer)
      document.body.classList.add('empty')
      this.showTarget(new Run(this.name, answer, undefined))
      this.show('ready')
    } else if (answer.kind === 'refused') this.fail(answer.message)
    else if (answer.kind === 'rays') {
      this.asked.get(answer.id)?.(answer.rays)
      this.asked.delete(answer.id)
    } else if (answer.kind === 'stopped') {
      if (this.state === 'solving') this.end()
    } else if (run && answer.kind === 'started') run.started = answer
    else if (run && answer.kind === 'row') {
      run.fields.set(answer.aspect, answer.field)
      this.timer ??= setTimeout(() => this.showRun(), REDRAW_MS)
      this.status()
    } else if (run && answer.kind === 'done') {
      run.done = answer
      this.end()
    }
  }

  private traceRays({ started }: Run, phiDeg: number, options: SolveOptions): Promise<RaysData> {
    const { freqHz, thetaDeg } = started!
    const id = this.rays++
    this.send({
      kind: 'rays',
      id,
      thetaDeg,
      phiDeg,
      freqHz: (freqHz[0] + freqHz[freqHz.length - 1]) / 2,
      options,
    })
    return new Promise((done) => this.asked.set(id, done))
  }

  private end(): void {
    clearTimeout(this.timer)
    if (this.run!.fields.size > 0) this.showRun()
    this.show(this.run!.fields.size > 0 ? 'done' : 'ready')
  }

  private fail(message: string): void {
    one('failure').textContent = message
    one('failure').hidden = false
    if (this.state === 'solving' && this.run) this.end()
    else if (this.state === 'opening') this.show('empty')
  }

  /** Shows what has been computed so far; with the image the target is seen from its radar. */
  private showRun(): void {
    this.timer = undefined
    const { run } = this
    if (!run?.started || run.fields.size === 0) return
    const first = document.body.classList.contains('empty')
    const result = run.result()
    document.body.classList.remove('empty')
    if (result.image) {
      one<HTMLSelectElement>('target-colour').value = 'image'
      this.showTarget(run)
    }
    this.panel.open(result, null, !first && !result.image, result.image ? 'image' : 'cut')
    this.facts(result.view.facts)
    if (first) this.recolour()
  }

  private showTarget(run: Run): void {
    this.side?.close()
    delete document.body.dataset.rays
    this.side = new TargetSide(run.result(), this.panel)
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
    const bar = one<HTMLProgressElement>('progress')
    bar.hidden = state !== 'solving'
    if (run && total) {
      bar.max = total
      bar.value = run.fields.size
    }
    const gpu = target?.gpu ? `GPU: ${target.gpu.name}` : 'no WebGPU here: the CPU computes'
    const texts = {
      empty: '',
      opening: `reading ${this.name} …`,
      ready: `${target?.facets} facets · ${gpu}`,
      solving: total ? `${run!.fields.size} of ${total} aspects · ${run!.started!.device}` : 'starting …',
      done: run?.done
        ? `${total} aspects in ${run.done.seconds.toFixed(1)} s · ${run.started!.device}`
        : `stopped after ${run?.fields.size} of ${total} aspects`,
    }
    one('status').textContent = texts[state]
  }

  private recolour(): void {
    const ground = getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()
    this.side?.recolour(ground)
    if (!document.body.classList.contains('empty')) this.panel.redraw()
  }

  private save(what: 'npz' | 'csv' | 'image'): void {
    const run = this.run!
    const image = run.done?.image
    const name = `${run.name}-${image ? 'phase-history' : 'rcs'}`
    if (what === 'csv')
      return download(`${name}.csv`, new Blob([...rcsCsv(run.table())], { type: 'text/csv' }))
    const arrays =
      what === 'image'
        ? imageArrays(image!.formed.images)
        : image
          ? historyArrays(image.formed.history)
          : tableArrays(run.table())
    const bytes = writeNpz(arrays)
    download(`${what === 'image' ? `${run.name}-image` : name}.npz`, new Blob([bytes as BlobPart]))
  }
}

void new Site()
