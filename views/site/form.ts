import { SECOND_ORDER } from '../../cpu-diffraction/engine/mechanisms.js'
import { C0, InputError, type Unit } from '../../scene/index.js'
import { element, one } from '../viewer/dom.js'
import { resolvingStep } from '../../run/lobes.js'
import type { RunSweep, SolveOptions, TargetAnswer } from '../viewer/solver/messages.js'

/** Samples beside the page (`isar site` copies them), the smallest first. */
export const SAMPLES = ['cube', 'drone', 'vehicle', 'aircraft']

const input = (id: string): HTMLInputElement => one<HTMLInputElement>(id)
const value = (id: string): number => Number(input(id).value)
const chosen = (id: string): string => one<HTMLSelectElement>(id).value

/** Target sizes in wavelengths, and resolution cells across the target, that a run begins with. */
const BY_GPU = { wavelengths: 20, cells: 32, raysPerWavelength: 10 }
const BY_CPU = { wavelengths: 10, cells: 16, raysPerWavelength: 6 }
/** Steps of a whole turn [degrees]. */
const STEPS = [3, 2, 1.5, 1, 0.9, 0.75, 0.6, 0.5, 0.45, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1]
const MOST_ASPECTS = 100_000

export const unitsChosen = (): Unit => chosen('units') as Unit

/** Fills the lists of the form, and shows the fields of what is computed. */
export function prepareForm(): void {
  one('sample').append(...SAMPLES.map((name) => element('option', name, { value: name })))
  for (const id of ['what', 'method']) one(id).addEventListener('input', showFields)
  showFields()
}

export function showFields(): void {
  for (const [of, shown] of [
    ['rcs', chosen('what') === 'rcs'],
    ['image', chosen('what') === 'image'],
    ['sbr', chosen('method') === 'sbr'],
  ] as const)
    for (const label of document.querySelectorAll<HTMLElement>(`.of-${of}`)) {
      label.hidden = !shown
      label.querySelector<HTMLInputElement | HTMLSelectElement>('input, select')!.disabled = !shown
    }
}

/** Values to begin with for a target: small where the CPU computes, and a cut whose step shows the lobes. @param has  fields that stay as they are */
export function suggest({ radiusM, gpu }: TargetAnswer, has: (id: string) => boolean = () => false): void {
  const set = (id: string, x: number): void => {
    if (!has(id)) input(id).value = String(Number(x.toPrecision(2)))
  }
  const { wavelengths, cells, raysPerWavelength } = gpu && !gpu.isSoftware ? BY_GPU : BY_CPU
  set('frequency', (wavelengths * C0) / (2 * radiusM) / 1e9)
  set('resolution', (2 * radiusM) / cells)
  // As wide as the sphere about the target: its lobes are no narrower.
  const lobe = ((C0 / freqChosen() / (4 * radiusM)) * 180) / Math.PI
  const step = resolvingStep({ lobe }, 'curve')
  set('phi-step', STEPS.find((one) => one <= step) ?? step)
  set('rays-per-wavelength', raysPerWavelength)
}

/** @throws InputError for a cut without directions */
export function sweepChosen(): RunSweep {
  const thetaDeg = value('theta')
  const freqHz = freqChosen()
  if (chosen('what') === 'image')
    return {
      what: 'image',
      centreHz: freqHz,
      resolutionM: value('resolution'),
      thetaDeg,
      phiDeg: value('phi'),
    }
  const [from, to, step] = ['phi-from', 'phi-to', 'phi-step'].map(value)
  // A last step that rounding has shortened counts.
  const count = Math.floor((to - from) / step + 1e-9) + 1
  if (!(count >= 1 && count <= MOST_ASPECTS))
    throw new InputError(
      `φ from ${from} to ${to} in steps of ${step} gives no 1 to ${MOST_ASPECTS} directions`,
    )
  return { what: 'rcs', freqHz, thetaDeg, phiDeg: Array.from({ length: count }, (_, i) => from + i * step) }
}

/** The frequency, the middle one of an image [Hz]. */
export const freqChosen = (): number => value('frequency') * 1e9

/** What the tab Live begins with: rays, since it would wait for the factors of each frequency, and the frequency [Hz]. */
export const liveChosen = () => ({
  options: (): SolveOptions => ({ ...optionsChosen(), method: undefined }),
  freqHz: freqChosen(),
})

export function optionsChosen(): SolveOptions {
  const edges = chosen('edges')
  return {
    device: chosen('device') as SolveOptions['device'],
    ...(chosen('method') === 'mom' && { method: 'mom' }),
    raysPerWavelength: value('rays-per-wavelength'),
    maxBounces: value('bounces'),
    edges: edges !== 'none',
    secondOrder: edges === 'second' ? SECOND_ORDER : [],
  }
}
