/**
 * Solves the random bodies (bodies.ts) by the method of moments: the truth that the mechanisms are judged and fitted by.
 *
 *     node dist/reproduction/truth/make.js FOLDER [--part 0/4] [--device gpu|cpu] [--workers N] [--largest UNKNOWNS] [--only NAME-PART] [--first N] [--count N]
 *     node dist/reproduction/truth/make.js FOLDER --collect FILE
 *
 * Each body is written to FOLDER as soon as it is solved; those that are there already are left. `--part i/n`: every n-th body from the
 * i-th, for processes beside each other. A body that fails is reported in a line and left out. `--collect` joins what is in
 * FOLDER, and in FILE, in FILE.
 */
import { availableParallelism } from 'node:os'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  cpuBackend,
  estimateUnknowns,
  gpuBackend,
  meshForCurrents,
  type MomentBackend,
  prepareFullWave,
} from '../../full-wave/index.js'
import type { GpuContext } from '../../gpu/index.js'
import { symmetrise } from '../../rays/index.js'
import { prepareTarget, wavelength, wavenumber } from '../../scene/index.js'
import { openNodeGpu } from '../../run/node-gpu.js'
import { argumentsOf } from '../kit.js'
import { bodies, type Body, MONOSTATIC } from './bodies.js'
import { HEADER, linesOf, type Solved, truthLine } from './truth.js'

/** Most RWG functions that a mesh may have beyond the estimate. */
const BEYOND = 1.15
/** A solution of a body that takes longer is given up [ms]. */
const LONGEST = 120_000

const { values, words } = argumentsOf({
  part: '0/1',
  device: 'gpu',
  workers: availableParallelism(),
  largest: 14_000,
  only: '',
  first: 0,
  count: Infinity,
  collect: '',
})
const [folder] = words
if (folder === undefined) throw new Error('a folder is missing')
mkdirSync(folder, { recursive: true })
if (values.collect === '') await solveAll()
else collect(values.collect)
process.exit(0)

/** Solves the bodies of this part that are not there yet. */
async function solveAll(): Promise<void> {
  const [part, parts] = values.part.split('/').map(Number)
  const some = [...bodies()]
    .slice(values.first, values.first + values.count)
    .filter(({ name }, i) => i % parts === part && name.includes(values.only))
  const start = performance.now()
  let backend: (MomentBackend & { context?: GpuContext }) | null = null
  let failed = 0
  for (const [i, body] of some.entries()) {
    const file = join(folder, `${body.name}.csv`)
    if (existsSync(file)) continue
    const began = performance.now()
    try {
      const target = prepareTarget(body.mesh, { smoothAngleDeg: 20 })
      const estimate = estimateUnknowns(target)(wavelength(body.freqHz))
      if (estimate > values.largest) {
        say(`${body.name}: about ${estimate} unknowns, left out`)
        continue
      }
      backend ??= await openBackend()
      const solved = await solveBody(body, backend, BEYOND * values.largest)
      writeFileSync(`${file}.new`, truthLine(body, solved))
      renameSync(`${file}.new`, file)
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      const all = ((performance.now() - start) / 1000).toFixed(0)
      say(`${i + 1}/${some.length} ${body.name}: ${solved.unknowns} unknowns (about ${estimate}), residual ${solved.residual.toExponential(0)}, power ${(100 * solved.powerError).toFixed(2)} %, ${seconds} s; ${all} s so far`) // prettier-ignore
    } catch (error) {
      failed++
      say(`${body.name}: failed: ${String(error instanceof Error ? error.message : error).split('\n')[0]}`)
      // A device that is lost or a thread that hangs is not met again.
      const old = backend
      backend = null
      await Promise.race([old?.close(), new Promise((done) => setTimeout(done, 5000))]).catch(() => {})
      old?.context?.device.destroy()
    }
  }
  say(`done: ${failed} failed`)
}

async function openBackend(): Promise<MomentBackend & { context?: GpuContext }> {
  const { workers } = values
  if (values.device === 'cpu') return cpuBackend(workers)
  const context = await openNodeGpu(true)
  if (context === null) throw new Error('no hardware GPU was found; take --device cpu')
  return { ...gpuBackend(context, workers), context }
}

/** @param most  RWG functions */
async function solveBody(body: Body, backend: MomentBackend, most: number): Promise<Solved> {
  const target = prepareTarget(body.mesh, { smoothAngleDeg: 20 })
  const mesh = meshForCurrents({ ...target, facetGroup: undefined }, wavelength(body.freqHz))
  if (mesh.triangles.length / 2 > most) throw new Error(`${mesh.triangles.length / 3} triangles are too many`)
  const signal = AbortSignal.timeout(LONGEST)
  const wave = await prepareFullWave({ mesh, k: wavenumber(body.freqHz), backend }, undefined, signal)
  try {
    const { fields, residual, powerError } = await wave.solve([...body.monostatic, ...body.bistatic], signal)
    for (let i = 0; i < MONOSTATIC; i++) symmetrise(fields.subarray(8 * i, 8 * i + 8))
    return { fields, unknowns: wave.unknowns, residual, powerError }
  } finally {
    wave.destroy()
  }
}

/** One file of all that is in the folder, or was in the file already. */
function collect(file: string): void {
  const lines = linesOf(file)
  const made = readdirSync(folder).filter((one) => one.endsWith('.csv'))
  for (const one of made) for (const [name, line] of linesOf(join(folder, one))) lines.set(name, line)
  writeFileSync(file, [HEADER, ...[...lines.values()].sort(), ''].join('\n'))
  say(`${lines.size} bodies in ${file}`)
}

function say(line: string): void {
  console.log(line)
}
