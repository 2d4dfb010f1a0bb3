import { imageSmear, needsPolarFormat, type SweepPlan } from '../isar/index.js'
import type { Target } from '../scene/index.js'
import type { Hooks } from './hooks.js'
import { refuseFast } from './fast.js'
import type { MeshSource } from './mesh-source.js'
import { formImages, type RequestedImage } from './formed-images.js'
import type { RenderResult } from './rendered.js'
import { type Caller, run } from './run.js'
import type { RunSettings } from './run-plan.js'
import { strip } from './settings.js'
import { describePlan, openSweep, type Sweep } from './sweep-job.js'

/** What is rendered. */
export interface RenderRequest {
  sweep: Sweep
  image: RequestedImage
  /** Number of reference aspects of a preview; true: the default number. */
  references?: number | true
}

export interface Rendered {
  result: Omit<RenderResult, 'warnings'>
  /** Number of reference aspects of a preview. */
  references?: number
  /** See `FinishedRun`. */
  closed: Promise<void>
}

/**
 * ISAR images of a target: what `isar render` writes and `renderImage` returns.
 * @throws InputError, the signal's reason, or the engines' failure
 */
export async function render(
  mesh: MeshSource,
  { sweep, image: requested, references: asked }: RenderRequest,
  given: RunSettings,
  { store, hooks, record }: Caller,
): Promise<Rendered> {
  if (asked !== undefined) refuseFast(given, (setting) => hooks.nameOf(setting))
  const { target, plan, job, settings } = await openSweep(mesh, sweep, given, hooks, asked)
  for (const note of plan.notes) hooks.warn(note)
  const { polarFormat, note } = choosePolarFormat(requested, plan, target.target, settings, hooks)
  const image = { ...requested, polarFormat }
  const references = job.groups?.length
  const resolved = strip({
    ...settings,
    ...image,
    ...record,
    sweep: describePlan(plan),
    ...(references && { fast: references }),
  })
  const solved = await run({ command: 'render', target, job, settings, record: resolved, store, hooks })
  if (note) hooks.to.onNote?.('note', note)
  try {
    const { notes, ...formed } = await formImages(
      plan,
      settings.channels,
      solved.fields,
      image,
      (done, total) => hooks.step('images', done, total),
    )
    for (const note of notes) hooks.warn(note)
    const result = {
      name: target.name,
      plan,
      ...formed,
      target: target.target,
      edges: solved.edgeScene,
      meta: { ...solved.meta, image_peak_dbsm: formed.peaksDbsm },
      timing: solved.timing,
      settings: { ...settings, ...image },
    }
    return { result, references, closed: solved.closed }
  } catch (error) {
    await solved.closed
    throw error
  }
}

/** Whether polar format forms the images; a note where it does by itself, or is off where images smear. */
function choosePolarFormat(
  { polarFormat }: RequestedImage,
  plan: SweepPlan,
  { positions }: Target,
  { phaseCentre }: RunSettings,
  hooks: Hooks,
): { polarFormat: boolean; note?: string } {
  if (polarFormat === true) return { polarFormat }
  const smear = imageSmear(plan, positions, phaseCentre)
  if (!needsPolarFormat(smear)) return { polarFormat: false }
  const cells = `smears by up to ${smear.smallAngle.toFixed(1)} cells`
  return polarFormat === 'auto'
    ? { polarFormat: true, note: `polar format: the plain transform ${cells}` }
    : {
        polarFormat: false,
        note: `away from the phase centre the plain transform ${cells}; ${hooks.nameOf('polarFormat')} focuses it`,
      }
}
