// Reads the files whose paths come in, one a line, as far as a run would before its first ray, and answers for each with one
// line of JSON. The parent kills it where it takes too long.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildEdgeScene } from '../../../dist/cpu-diffraction/index.js'
import { createCpuEngine } from '../../../dist/cpu-sbr/index.js'
import { FilesHash, readMesh, readNpz } from '../../../dist/formats/index.js'
import { readMaterials } from '../../../dist/formats/materials-file.js'
import { buildRayScene } from '../../../dist/rays/index.js'
import { slab } from '../../../dist/scene/materials/index.js'
import { direction, InputError, prepareTarget, wavelength } from '../../../dist/scene/index.js'
import { verifyDataset } from '../../../dist/dataset/index.js'
import { readDatasetConfig } from '../../../dist/dataset/variant.js'
import { readMeasurement } from '../../../dist/src/imaging/read-history.js'
import { readSicdImage } from '../../../dist/src/imaging/sicd.js'
import { openResult } from '../../../dist/views/server/open-result.js'
import { loadScene } from '../../../dist/propagation/scene/load-scene.js'

/**
 * Files that a package reads in a thread of its own, which is ended after 20 s: some damaged ones keep it busy for ever, and it has up to 2 GiB of
 * memory. It reserves 10 GiB of addresses, so what was touched counts.
 */
const isCad = (path) => /\.(step|igs)$/.test(path)
const mostSeconds = (path) => (isCad(path) ? 25 : 2)
const mostMiB = (path) => (isCad(path) ? 2304 : 1024)

/** Targets whose field is computed, one in so many of those that can be read. */
const SOLVED = 5
let meshes = 0

async function readTarget(path) {
  const target = prepareTarget(await readMesh(path), { smoothAngleDeg: 20 })
  const rays = buildRayScene(target)
  buildEdgeScene(target, 160, rays.origin)
  if (meshes++ % SOLVED > 0) return
  const d = direction(61, 33)
  const f0 = (2 * wavelength(1)) / target.diagonal
  const { field } = await createCpuEngine(rays, target.area, 0).field({
    aspect: { tx: d, rx: d },
    band: { f0, df: 0, n: 1 },
    options: { raysPerWavelength: 8, maxBounces: 2, subdivisions: 1, formulation: 'all-bounces' },
  })
  if (!field.every(Number.isFinite)) throw new Error('the field is not finite')
}

/** Materials that are read are evaluated: numbers, or a refusal of a frequency outside a table. */
async function readMaterialsFile(path) {
  const { materials } = await readMaterials(path, new FilesHash())
  const out = new Float64Array(8)
  for (const material of materials.values())
    for (const c of [0, 0.3, 1]) {
      slab(material, 10e9, c, out)
      if (!out.every(Number.isFinite)) throw new Error(`${material.name} at ${c}: ${out}`)
    }
}

async function readDataset(manifest) {
  const folder = mkdtempSync(join(tmpdir(), 'isar-fuzz-dataset-'))
  try {
    copyFileSync(manifest, join(folder, 'manifest.json'))
    await verifyDataset(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const read = async (path) => {
  if (path.endsWith('.npz')) readNpz(readFileSync(path))
  else if (path.endsWith('.cphd')) await readMeasurement([path])
  else if (path.endsWith('.nitf')) await readSicdImage(path)
  else if (path.endsWith('.dataset.json')) await readDatasetConfig(path)
  else if (path.endsWith('.csv')) await openResult(path)
  else if (path.endsWith('.manifest.json')) await readDataset(path)
  else if (path.endsWith('.materials.json')) await readMaterialsFile(path)
  else if (path.endsWith('.scene.json')) await loadScene(path)
  else await readTarget(path)
}

/** Most address space that was ever asked for [MiB]: also memory that was never touched. */
const peakMiB = (path) =>
  Number(
    new RegExp(`${isCad(path) ? 'VmHWM' : 'VmPeak'}:\\s*(\\d+)`).exec(
      readFileSync('/proc/self/status', 'utf8'),
    )[1],
  ) / 1024

const PLAIN = /^[^\p{Cc}]{1,1000}$/u
let start
const polluted = () => Object.keys(Object.prototype).length + Object.keys(Array.prototype).length > 0

for await (const path of createInterface({ input: process.stdin })) {
  const before = peakMiB(path)
  start ??= before
  const cpu = process.cpuUsage()
  let outcome = 'read'
  let message = ''
  try {
    await read(path)
  } catch (error) {
    outcome = error instanceof InputError ? 'refused' : 'crashed'
    message = outcome === 'refused' ? error.message : String(error.stack)
    if (outcome === 'refused' && !PLAIN.test(message.replaceAll(path, ''))) outcome = 'muddled'
  }
  const { user, system } = process.cpuUsage(cpu)
  const peak = peakMiB(path)
  if (polluted()) outcome = 'polluted'
  else if (peak - start > mostMiB(path) && peak > before) outcome = 'too much memory'
  else if (user + system > 1e6 * mostSeconds(path)) outcome = 'too slow'
  process.stdout.write(
    `${JSON.stringify({ outcome, message: message.slice(0, 1500), seconds: (user + system) / 1e6, megabytes: peak - start })}\n`,
  )
}
