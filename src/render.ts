import { focusedRadius, type SweepPlan } from '../isar/index.js'
import type { Hooks } from './hooks.js'
import { refuseFast } from './looks.js'
import type { MeshSource } from './mesh-source.js'
import { formImages, type ImageSettings, type RenderResult } from './rendered.js'
import { type Caller, run } from './run.js'
import type { RunSettings } from './run-plan.js'
import { strip } from './settings.js'
import { describePlan, openSweep, type Sweep } from './sweep-job.js'

/** What is rendered. */
export interface RenderRequest {
  sweep: Sweep
  image: ImageSettings
  /** A preview from the rays of so many aspects; true: of as many as are enough. */
  looks?: number | true
}

export interface Rendered {
  result: Omit<RenderResult, 'warnings'>
  /** Aspects that a preview traced. */
  looks?: number
  /** See `FinishedRun`. */
  closed: Promise<void>
}

/**
 * ISAR images of a target: what `isar render` writes and `renderImage` returns.
 * @throws InputError, the signal's reason, or the engines' failure
 */
export async function render(
  mesh: MeshSource,
  { sweep, image, looks: asked }: RenderRequest,
  settings: RunSettings,
  { store, hooks, record }: Caller,
): Promise<Rendered> {
  if (asked !== undefined) refuseFast(settings, (setting) => hooks.nameOf(setting))
  const { target, plan, job } = await openSweep(mesh, sweep, settings, hooks, asked)
  for (const note of plan.notes) hooks.warn(note)
  if (!image.polarFormat) noteDefocus(plan, hooks)
  const looks = job.looks?.length
  const resolved = strip({
    ...settings,
    ...image,
    ...record,
    sweep: describePlan(plan),
    ...(looks && { fast: looks }),
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
    return { result, looks, closed: solved.closed }
  } catch (error) {
    await solved.closed
    throw error
  }
}

/** The small-angle image smears away from the phase centre: says where. */
function noteDefocus(plan: SweepPlan, hooks: Hooks): void {
  const { rangeM, crossRangeM } = plan.extent
  const reach = Math.hypot(Math.max(...rangeM.map(Math.abs)), Math.max(...crossRangeM.map(Math.abs)))
  const focused = focusedRadius(plan)
  if (reach > 1.5 * focused)
    hooks.to.onNote?.(
      'note',
      `beyond ${focused.toFixed(1)} m of the phase centre the image smears (the target reaches ${reach.toFixed(1)} m); ${hooks.nameOf('polarFormat')} focuses it everywhere`,
    )
}
