import { C0, boundingBox, InputError } from '../../scene/index.js'
import { element, one } from '../viewer/dom.js'
import type { PlanAnswer, TargetAnswer } from '../viewer/solver/messages.js'

const shown = (x: number): string => String(Number(x.toPrecision(3)))

/** Size of the target in metres and wavelengths, beside the units. @param freqHz  0 without one */
export function showSize({ target }: TargetAnswer, freqHz: number): void {
  const { min, max } = boundingBox(target)
  const size = [0, 1, 2].map((a) => max[a] - min[a])
  const wavelengths = (Math.hypot(...size) * freqHz) / C0
  one('size').textContent =
    `${size.map(shown).join(' × ')} m${wavelengths > 0 ? `, ${shown(wavelengths)} wavelengths across` : ''}`
}

/** The line that tells what the run of the form would take. `data-plan` is `ready` when it is that of the form as it stands. */
export class PlanLine {
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
