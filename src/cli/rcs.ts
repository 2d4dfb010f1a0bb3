import type { Command } from 'commander'
import { type Aspect, InputError, uniformBands, wavelength } from '../../scene/index.js'
import type { SweepJob } from '../../pipeline/index.js'
import { COARSER } from '../error-estimate.js'
import { orderOf } from '../model-error.js'
import { aspectGrid, rcsTable, uniformFrequencies, withFrequencies } from '../rcs-sweep.js'
import { filePlace, folderPlace, writeJson, writeResult } from '../results.js'
import { strip } from '../settings.js'
import { rcsCsv } from '../rcs-csv.js'
import { rcsHdf5, rcsNpz } from '../rcs-table.js'
import { Console } from './console.js'
import { bendAndTell } from './curved.js'
import { heading } from './help.js'
import { addSolverOptions, solverOptions } from './options.js'
import { parseBand, parseFrequencies, parseRange } from './quantity.js'
import { openTarget, runForCommand } from './run.js'
import { tellTheta } from './theta.js'

export function rcsCommand(command: Command): void {
  command
    .argument('<mesh>', '.stl, .obj, .ply, .glb or .gltf')
    .optionsGroup(heading('Sweep'))
    .option('--freq <list>', 'one frequency or a list a,b,c (Hz, or with a unit)')
    .option('--band <f0:f1:n>', 'n frequencies from f0 to f1')
    .option('--theta <range>', 'from +z [deg]: a, a:b:step or a,b,c', '90')
    .option('--phi <range>', 'from +x towards +y [deg]', '0')
    .option('--rx-theta <range>', 'receiver, for bistatic runs')
    .option('--rx-phi <range>', 'receiver, for bistatic runs')
    .optionsGroup(heading('Accuracy'))
    .option('--error-estimate', 'error bars, of sampling and of the model')
    .optionsGroup(heading('Output'))
    .option('--plot', 'also draw the curves (SVG and PNG)')
  addSolverOptions(command).action(runRcs)
}

function rcsFrequencies(raw: Record<string, string | undefined>): number[] {
  if (raw.freq !== undefined && raw.band !== undefined)
    throw new InputError('--freq and --band contradict each other; give one of them')
  if (raw.band !== undefined) {
    const { f0, f1, count } = parseBand(raw.band)
    if (count === undefined) throw new InputError(`--band ${raw.band}: rcs needs a count, f0:f1:n`)
    return uniformFrequencies(f0, f1, count)
  }
  if (raw.freq === undefined) throw new InputError('give --freq f or --band f0:f1:n')
  return parseFrequencies(raw.freq.split(','), '--freq')
}

/** The grid of directions that commander's raw options ask for. @throws InputError naming the option */
function rcsAspects(raw: Record<string, string | undefined>): { aspects: Aspect[]; bistatic: boolean } {
  const bistatic = raw.rxTheta !== undefined || raw.rxPhi !== undefined
  const tx = { theta: parseRange(raw.theta!, '--theta'), phi: parseRange(raw.phi!, '--phi') }
  if (!bistatic) return { aspects: aspectGrid(tx), bistatic }
  if (raw.rxTheta === undefined || raw.rxPhi === undefined)
    throw new InputError('a bistatic run needs both --rx-theta and --rx-phi')
  const rx = { theta: parseRange(raw.rxTheta, '--rx-theta'), phi: parseRange(raw.rxPhi, '--rx-phi') }
  return { aspects: aspectGrid(tx, rx), bistatic }
}

async function runRcs(mesh: string, raw: Record<string, unknown>): Promise<void> {
  const options = {
    ...solverOptions(raw),
    ...(raw.errorEstimate ? { coarser: COARSER, orderChange: true } : {}),
  }
  const out = new Console(options.quiet)
  const freqHz = rcsFrequencies(raw as Record<string, string>)
  const { aspects, bistatic } = rcsAspects(raw as Record<string, string>)
  tellTheta([...new Set(aspects.map(({ tx }) => tx.thetaDeg))], '--theta', out)
  if (bistatic) tellTheta([...new Set(aspects.map(({ rx }) => rx.thetaDeg))], '--rx-theta', out)
  const table = options.out ?? ''
  const format = /\.(csv|npz|h5)$/i.exec(table)?.[1]?.toLowerCase() ?? 'csv'
  const bands = uniformBands(freqHz)
  const { given, early } = await openTarget(
    mesh,
    options,
    bands.reduce((most, { n }) => Math.max(most, n), 1),
  )
  const place = /\.(csv|npz|h5)$/i.test(table) ? filePlace(table) : folderPlace(table || `${given.name}-rcs`)
  const name = /\.(csv|npz|h5)$/i.test(table) ? table.split('/').pop()! : 'rcs.csv'
  const job: SweepJob = {
    aspects,
    bands,
    phaseCentre: options.phaseCentre,
  }
  const loaded = bendAndTell(given, options, job.bands, out)
  const resolved = {
    ...options,
    freqHz,
    theta: raw.theta,
    phi: raw.phi,
    rxTheta: raw.rxTheta,
    rxPhi: raw.rxPhi,
  }
  const plots = raw.plot ? ['plot.svg', 'plot.png'] : []
  const run = await runForCommand(
    'rcs',
    loaded,
    { ...options, early },
    job,
    place,
    [name, 'meta.json', 'timing.json', ...plots],
    strip(resolved),
    out,
  )
  if (!run) return
  const computed = rcsTable(
    { freqHz, aspects, bistatic, channels: options.channels },
    run.fields,
    raw.errorEstimate ? orderOf(options.diffraction, options.secondOrder) : undefined,
  )
  const result = withFrequencies(computed, freqHz)
  if (format === 'csv') await writeResult(place, name, rcsCsv(result))
  else if (format === 'npz') await writeResult(place, name, rcsNpz(result))
  else await writeResult(place, name, await rcsHdf5(result))
  if (raw.plot) {
    const { rcsPlot } = await import('../rcs-plot.js')
    const { svg, png } = await rcsPlot(loaded.name, computed)
    await writeResult(place, 'plot.svg', svg)
    await writeResult(place, 'plot.png', png)
  }
  await writeJson(place, 'meta.json', run.meta)
  await writeJson(place, 'timing.json', run.timing)
  await run.discard()
  out.say(`wrote     ${[name, ...plots].map(place.file).join(' ')}`)
  if (options.json)
    process.stdout.write(
      JSON.stringify({
        command: 'rcs',
        out: place.file(name),
        rows: aspects.length * freqHz.length,
        channels: options.channels,
        wavelength_m: wavelength(computed.freqHz[0]),
        seconds: run.timing.total,
        device: run.timing.device,
      }) + '\n',
    )
}
