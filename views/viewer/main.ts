import { ChipsSide } from './chips-side.js'
import { DataPanel } from './data-panel.js'
import { type DatasetData, loadOpened, type ResultData } from './data.js'
import { element, one, showFacts, type Side, startTheme } from './dom.js'
import { MotionSide } from './motion-side.js'
import { SceneSide } from './scene-side.js'
import { TargetSide } from './target-side.js'

/** The page: figures of one result at a time beside its target, scene or dataset. */
class Application {
  private readonly panel = new DataPanel()

  /** @param results  one, two to compare, or none for a dataset */
  constructor(
    private readonly results: ResultData[],
    private readonly dataset: DatasetData | null,
  ) {}

  start(): void {
    const choice = one<HTMLSelectElement>('result')
    one('result-choice').hidden = this.results.length < 2
    this.results.forEach((r, i) => choice.append(element('option', r.place, { value: String(i) })))
    choice.addEventListener('change', () => this.open(Number(choice.value)))
    startTheme(one<HTMLButtonElement>('theme'), () => this.panel.recolour())
    if (this.dataset) this.openDataset(this.dataset)
    else this.open(0)
  }

  private open(index: number): void {
    const result = this.results[index]
    const other = this.results.length > 1 ? this.results[1 - index] : null
    const brief = result.facts.filter(([k]) =>
      ['Aspect', 'Radar', 'Pulses', 'Band', 'Resolution'].includes(k),
    )
    this.head(result.name, [result.place, ...brief.map(([, v]) => v)], result.facts)
    one('chips-panel').hidden = true
    one('target-panel').hidden = false
    document.body.classList.toggle('no-target', !hasSide(result))
    this.panel.setSide(() => this.sideOf(result, other))
    this.panel.open(result, other)
    this.panel.recolour()
  }

  private sideOf(result: ResultData, other: ResultData | null): Side | null {
    if (!hasSide(result)) return null
    if (result.coverage)
      return new SceneSide(result, (shown, tab) => this.panel.open(shown, other, true, tab), this.panel)
    return result.moving ? new MotionSide(result) : new TargetSide(result, this.panel)
  }

  private openDataset(dataset: DatasetData): void {
    const { name, place, facts } = dataset
    this.head(name, [place, ...facts.slice(0, 2).map(([k, v]) => `${k.toLowerCase()}: ${v}`)], facts)
    one('target-panel').hidden = true
    one('chips-panel').hidden = false
    let opened = false
    const show = (chip: ResultData): void => {
      showFacts([...chip.facts, ...facts])
      this.panel.open(chip, null, opened)
      opened = true
    }
    this.panel.setSide(() => new ChipsSide(dataset, show))
  }

  private head(name: string, brief: string[], facts: [string, string][]): void {
    one('title').textContent = name
    document.title = `${name} – isar view`
    one('subtitle').textContent = brief.join('  ·  ')
    showFacts(facts)
  }
}

/** Whether there is a view beside the figures, or at least a note why there is none. */
const hasSide = ({ target, scene, moving, targetNote, sceneNote }: ResultData): boolean =>
  Boolean(target ?? scene ?? moving ?? targetNote ?? sceneNote)

async function start(): Promise<void> {
  const { results, dataset } = await loadOpened()
  new Application(results, dataset ?? null).start()
}

start().catch((error: Error) => {
  const failure = document.querySelector<HTMLElement>('#failure')!
  failure.textContent = `The result could not be shown: ${error.message}`
  failure.hidden = false
})
