import { type Command, Option } from 'commander'
import { buildEdgeScene, type EdgeScene } from '../../cpu-diffraction/index.js'
import { type NpyArray, writeNpz } from '../../formats/index.js'
import {
  focusedRadius,
  formImage,
  imageCorrelation,
  type SweepPlan,
  type WindowName,
  WINDOWS,
} from '../../isar/index.js'
import { frequencyTotal } from '../../pipeline/index.js'
import { InputError } from '../../scene/index.js'
import { suffix } from '../rcs-csv.js'
import { channelMatrix } from '../rcs-table.js'
import { folderPlace, writeJson, writeResult } from '../results.js'
import { loadTarget, type LoadedTarget } from '../solver.js'
import { MOST_FACETS_KEPT, targetNpz } from '../target-file.js'
import { Console } from './console.js'
import { bendForBands } from './curved.js'
import { fastOptions, fastRequest, type FastRun, runFast } from './fast.js'
import { addSolverOptions, checkOption, solverOptions, type SolverOptions } from './options.js'
import { parseCount, parsePositive } from './quantity.js'
import { strip } from './rcs.js'
import { runForCommand } from './run.js'
import { addSweepOptions, describePlan, sweepJob, sweepPlan } from './sweep-options.js'

interface ImageRequest {
  plan: SweepPlan
  window: WindowName
  polarFormat: boolean
  size?: { rows: number; cols: number }
  dynamicRangeDb: number
}

/** Options of the image itself; none of them changes the sweep. */
export const imageOptions = (): Option[] => [
  new Option('--window <name>', 'spectral window').choices([...WINDOWS]).default('hamming'),
  new Option('--size <ROWSxCOLS>', 'pixels of the image'),
  new Option('--dynamic-range <dB>', 'levels shown below the maximum').default('50'),
  new Option(
    '--polar-format',
    'resample to a rectangular wavenumber grid first: keeps wide apertures in focus',
  ),
]

export function renderCommand(command: Command): void {
  command.argument('<mesh>', '.stl, .obj, .ply, .glb or .gltf')
  addSweepOptions(command)
  for (const option of [...imageOptions(), ...fastOptions(), checkOption()]) command.addOption(option)
  addSolverOptions(command).action(runRender)
}

async function imageRequest(
  raw: Record<string, string | undefined>,
  loaded: LoadedTarget,
  options: SolverOptions,
): Promise<ImageRequest> {
  return {
    plan: await sweepPlan(raw, loaded.target.positions, options.phaseCentre),
    window: raw.window as WindowName,
    polarFormat: Boolean(raw.polarFormat),
    size: raw.size === undefined ? undefined : parseSize(raw.size),
    dynamicRangeDb: parsePositive(raw.dynamicRange!, '--dynamic-range'),
  }
}

function parseSize(text: string): { rows: number; cols: number } {
  const match = /^(\d+)x(\d+)$/i.exec(text.trim())
  if (!match) throw new InputError(`--size "${text}": write ROWSxCOLS, like 512x512`)
  return {
    rows: parseCount(match[1], '--size rows', 2, 16384),
    cols: parseCount(match[2], '--size columns', 2, 16384),
  }
}

async function runRender(mesh: string, raw: Record<string, unknown>): Promise<void> {
  const options = solverOptions(raw)
  const out = new Console(options.quiet)
  const preview = fastRequest(raw, options)
  const given = await loadTarget(mesh, options.units, options.smoothAngleDeg, options.cache)
  const request = await imageRequest(raw as Record<string, string>, given, options)
  const { plan } = request
  const place = folderPlace(options.out ?? `${given.name}-render`)
  const job = sweepJob(plan, options.phaseCentre)
  const fast = preview && { ...preview, looks: Math.min(preview.looks, job.aspects.length) }
  const loaded = bendForBands(given, options, job.bands, out)
  for (const note of plan.notes) out.warn(note)
  if (!fast) warnDefocus(plan, request, out)
  const mechanisms = mechanismNames(options)
  const claimed = options.channels.flatMap((c) => mechanisms.map((m) => pictureName(c, m)))
  const kept = loaded.scene.count <= MOST_FACETS_KEPT ? ['target.npz'] : []
  const results = [...claimed, 'image.npz', 'phase-history.npz', ...kept, 'meta.json', 'timing.json']
  const { window, polarFormat, size, dynamicRangeDb } = request
  const resolved = { ...options, window, polarFormat, size, dynamicRangeDb, sweep: describePlan(plan) }
  const run: FastRun = fast
    ? await runFast(loaded, options, fast, job, place, results, strip({ ...resolved, fast: fast.looks }), out)
    : await runForCommand('render', loaded, options, job, place, results, strip(resolved), out)

  const pictures: string[] = []
  const images: Record<string, NpyArray> = {}
  const history: Record<string, NpyArray> = {}
  const peaks: Record<string, number> = {}
  const alike: Record<string, number> = {}
  const { imageDbsm, imagePng, imageTitle } = await import('../figures/index.js')
  const shape = [plan.freqHz.length, plan.phiDeg.length]
  const aspect = { thetaDeg: plan.thetaDeg, phiDeg: centre(plan.phiDeg) }
  for (const channel of options.channels)
    for (const [mechanism, fields] of Object.entries(run.fields)) {
      const name = channel + suffix(mechanism)
      const f = channelMatrix(fields, plan.freqHz.length, channel)
      history[`f_${name}`] = { data: f, shape, dtype: '<c16' }
      const image = formImage({ ...plan, f }, { ...plan.window, window, polarFormat, size })
      if (name === options.channels[0]) for (const note of image.notes) out.warn(note)
      if (run.full) {
        // In focus, as the preview is.
        const whole = channelMatrix(run.full, plan.freqHz.length, channel)
        const focused = { ...plan.window, window, polarFormat: true, size: image }
        alike[channel] = imageCorrelation(image.image, formImage({ ...plan, f: whole }, focused).image)
        out.say(`compare   ${channel}: correlation with the full image ${alike[channel].toFixed(4)}`)
      }
      images[`image_${name}`] = { data: image.image, shape: [image.rows, image.cols], dtype: '<c16' }
      images.range_m = { data: image.rangeM, shape: [image.rows], dtype: '<f8' }
      images.cross_range_m = { data: image.crossRangeM, shape: [image.cols], dtype: '<f8' }
      peaks[name] = imageDbsm(image.image).reduce((a, b) => Math.max(a, b))
      const title = imageTitle({
        name:
          mechanism !== 'total'
            ? `${loaded.name} (${mechanismTitle(mechanism)})`
            : fast
              ? `${loaded.name} (approximate: ${fast.looks === 1 ? 'one look' : `${fast.looks} looks`})`
              : loaded.name,
        channel,
        ...aspect,
        f0: plan.freqHz[0],
        f1: plan.freqHz[plan.freqHz.length - 1],
        apertureDeg: plan.apertureDeg,
        rangeResolutionM: plan.rangeResolutionM,
        crossRangeResolutionM: plan.crossRangeResolutionM,
        window,
      })
      // Parts are drawn on the total's scale, so that the pictures compare.
      const png = await imagePng({ ...image, ...title, aspect, dynamicRangeDb, maxDbsm: peaks[channel] })
      const picture = pictureName(channel, mechanism)
      await writeResult(place, picture, png)
      pictures.push(picture)
    }
  await writeResult(place, 'image.npz', writeNpz(images))
  const axis = (data: Float64Array): NpyArray => ({ data, shape: [data.length], dtype: '<f8' })
  history.freq_hz = axis(plan.freqHz)
  history.theta_deg = axis(new Float64Array(plan.phiDeg.length).fill(plan.thetaDeg))
  history.phi_deg = axis(plan.phiDeg)
  await writeResult(place, 'phase-history.npz', writeNpz(history))
  if (kept.length > 0)
    await writeResult(place, 'target.npz', targetNpz(loaded.target, edgesOf(loaded, options)))
  await writeJson(place, 'timing.json', run.timing)
  const correlation = run.full ? { correlation_with_full_image: alike } : {}
  await writeJson(place, 'meta.json', { ...run.meta, image_peak_dbsm: peaks, ...correlation })
  run.discard()
  out.say(`wrote     ${pictures.map((p) => place.file(p)).join(' ')}`)
  if (options.json)
    process.stdout.write(
      JSON.stringify({
        command: 'render',
        out: place.folder,
        images: pictures.map((p) => place.file(p)),
        image_peak_dbsm: peaks,
        ...correlation,
        aspects: job.aspects.length,
        frequencies: frequencyTotal(job),
        seconds: run.timing.total,
        device: run.timing.device,
      }) + '\n',
    )
}

/** The edges that diffract, for the viewer. */
const edgesOf = (
  { target }: LoadedTarget,
  { diffraction, maxWedgeAngleDeg }: SolverOptions,
): EdgeScene | null => (diffraction === 'none' ? null : buildEdgeScene(target, maxWedgeAngleDeg))

/** Mechanisms a run writes: the total first. */
function mechanismNames(options: SolverOptions): string[] {
  if (!options.mechanisms) return ['total']
  const bounces = Array.from({ length: options.sbr.maxBounces }, (_, m) => `b${m + 1}`)
  return ['total', ...bounces, ...(options.diffraction === 'none' ? [] : ['edge'])]
}

const mechanismTitle = (name: string): string => (name === 'edge' ? 'edges' : `bounce ${name.slice(1)}`)

const pictureName = (channel: string, mechanism: string): string =>
  `image-${channel}${suffix(mechanism).replace('_', '-')}.png`

const centre = (phi: Float64Array): number => (phi[0] + phi[phi.length - 1]) / 2

/** The small-angle image smears away from the phase centre; say where, unless it was asked to be focused. */
function warnDefocus(plan: SweepPlan, request: ImageRequest, out: Console): void {
  if (request.polarFormat) return
  const { rangeM, crossRangeM } = plan.extent
  const reach = Math.hypot(Math.max(...rangeM.map(Math.abs)), Math.max(...crossRangeM.map(Math.abs)))
  const focused = focusedRadius(plan)
  if (reach > 1.5 * focused)
    out.say(
      `note      beyond ${focused.toFixed(1)} m of the phase centre the image smears (the target reaches ${reach.toFixed(1)} m); --polar-format focuses it everywhere`,
    )
}
