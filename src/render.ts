import { focusedRadius, type SweepPlan } from '../isar/index.js'
import type { Hooks } from './hooks.js'
import { refuseFast } from './fast.js'
import type { MeshSource } from './mesh-source.js'
import { formImages, type ImageSettings } from './formed-images.js'
import type { RenderResult } from './rendered.js'
import { type Caller, run } from './run.js'
import type { RunSettings } from './run-plan.js'
import { strip } from './settings.js'
import { describePlan, openSweep, type Sweep } from './sweep-job.js'

/** What is rendered. */
export interface RenderRequest {
  sweep: Sweep
  image: ImageSettings
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
  { sweep, image, references: asked }: RenderRequest,
  settings: RunSettings,
  { store, hooks, record }: Caller,
): Promise<Rendered> {
  if (asked !== undefined) refuseFast(settings, (setting) => hooks.nameOf(setting))
  const { target, plan, job } = await openSweep(mesh, sweep, settings, hooks, asked)
  for (const note of plan.notes) hooks.warn(note)
  if (!image.polarFormat) noteDefocus(plan, hooks)
  const references = job.groups?.length
  const resolved = strip({
    ...settings,
    ...image,
    ...record,
    sweep: describePlan(plan),
    ...(references && { fast: references }),
  })
  const solved = await run({ command: 'render', target, job, settings, record: resolved, store, hooks })
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

/** Notes where the small-angle image is defocused, away from the phase centre. */
function noteDefocus(plan: SweepPlan, hooks: Hooks): void {
  const { rangeM, crossRangeM } = plan.extent
  const reach = Math.hypot(Math.max(...rangeM.map(Math.abs)), Math.max(...crossRangeM.map(Math.abs)))
  const focused = focusedRadius(plan)
  if (reach > 1.5 * focused)
    hooks.to.onNote?.(
      'note',
      `beyond ${focused.toFixed(1)} m of the phase centre the image is defocused (the target reaches ${reach.toFixed(1)} m); ${hooks.nameOf('polarFormat')} focuses it everywhere`,
    )
}
