import { bindKernel } from '../kernel.js'
import { DYNAMIC_STRIDE } from '../layout.js'
import type { AspectSlot } from './aspect-slot.js'
import {
  type AspectBinds,
  FREQUENCY_LANES,
  type KernelName,
  RAY_GROUPS,
  SEARCHERS,
  type SbrKernels,
} from './kernels.js'
import type { Lists } from './lists.js'
import type { MaterialTables } from './materials.js'
import type { Batch } from './plan.js'
import type { SceneBuffers } from './scene-buffers.js'

const MANY_FACETS = 100_000
const STRIPS = 8

/** What the kernels of an aspect run on. */
export interface Encoding {
  binds: AspectBinds
  slot: AspectSlot
  lists: Lists
  /** Facets of the target. */
  facets: number
  /** Workgroups that a dispatch over a list has at the most; each takes every so many entries of the list. */
  workgroups: number
}

export function bindAspect(
  device: GPUDevice,
  kernels: SbrKernels,
  slot: AspectSlot,
  lists: Lists,
  scene: SceneBuffers & Partial<MaterialTables['buffers']>,
): AspectBinds {
  const { capacities: _, ...buffers } = lists
  const named = { ...scene, ...buffers, counters: slot.counters, totals: slot.totals! }
  return Object.fromEntries(
    Object.entries(kernels).map(([name, kernel]) => [
      name,
      { kernel, group: bindKernel(device, kernel, slot.job!, slot.step!, named) },
    ]),
  )
}

/** Sets a kernel, and the uniforms of its dispatch. */
function use(pass: GPUComputePassEncoder, { binds }: Encoding, name: KernelName, step: number): void {
  const { kernel, group } = binds[name]!
  pass.setPipeline(kernel.pipeline)
  pass.setBindGroup(0, group, [DYNAMIC_STRIDE * step])
}

/** The field kernels of a traced batch: contributions, sums over frequencies and reduction. */
export function encodeField(encoder: GPUCommandEncoder, on: Encoding, batch: Batch): void {
  const { binds, slot, lists, workgroups } = on
  const groups = Math.min(workgroups, lists.capacities.groups)
  batch.frequencySteps.forEach(({ step, count, changes }, i) => {
    const field = encoder.beginComputePass(slot.timer.pass('field', batch.index))
    if (i === 0) {
      use(field, on, 'contributions', batch.levelSteps[0])
      field.dispatchWorkgroups(groups)
      if (binds.materialAmplitudes) {
        use(field, on, 'materialAmplitudes', batch.levelSteps[0])
        field.dispatchWorkgroups(groups)
      }
    }
    if (changes) {
      use(field, on, 'extrapolate', step)
      field.dispatchWorkgroups(groups)
    }
    const byNodes = binds.sumNodes ? 'sumNodes' : binds.sumMaterialNodes && 'sumMaterialNodes'
    use(field, on, byNodes ?? (binds.sumMaterials ? 'sumMaterials' : 'sumFrequencies'), step)
    field.dispatchWorkgroups(groups, byNodes ? 1 : Math.ceil(count / FREQUENCY_LANES))
    field.end()
    const reduce = encoder.beginComputePass(slot.timer.pass('reduction', batch.index))
    use(reduce, on, 'reduce', step)
    reduce.dispatchWorkgroups(Math.ceil((8 * count) / 64), Math.ceil(lists.capacities.groups / 64))
    reduce.end()
  })
}

/** Tracing, level by level: fills the lists of leaves, quads and groups. */
export function encodeTracing(encoder: GPUCommandEncoder, on: Encoding, batch: Batch): void {
  const { slot, lists, facets } = on
  const first = batch.levelSteps[0]
  slot.nextBatch(encoder, batch.index)
  const search = batch.index === 0 && lists.capacities.facetLists > 0
  encoder.clearBuffer(lists.candidates, 0, 4 * lists.capacities.tiles)
  if (search) encoder.clearBuffer(lists.facetCandidates)
  const pass = encoder.beginComputePass(slot.timer.pass('trace', batch.index))
  if (search) {
    use(pass, on, 'searchFacets', first)
    pass.dispatchWorkgroups(Math.ceil((SEARCHERS * facets) / 64), 2)
  }
  use(pass, on, 'markTiles', first)
  // Few facets are spread over many workgroups by rows of tiles, since some may cover the whole batch.
  pass.dispatchWorkgroups(Math.ceil(facets / 64), facets > MANY_FACETS ? 1 : Math.min(STRIPS, batch.tiles.nj))
  encodeTiles(pass, on, batch)
  pass.end()
}

/**
 * Tiles, then the children of the cells that were subdivided. How many there are stands in the counters; a
 * dispatch takes its arguments from the host all the same, since those that lie in a buffer cost the calling thread ten
 * times as much (decision 003).
 */
function encodeTiles(pass: GPUComputePassEncoder, on: Encoding, batch: Batch): void {
  const { lists, workgroups } = on
  const { items, chunks } = lists.capacities
  const tiles = Math.min(workgroups, batch.tiles.ni * batch.tiles.nj)
  batch.levelSteps.forEach((step, level) => {
    if (level === 0) {
      use(pass, on, 'traceTiles', step)
      pass.dispatchWorkgroups(tiles, RAY_GROUPS)
      use(pass, on, 'sortTiles', step)
      pass.dispatchWorkgroups(tiles)
    } else {
      use(pass, on, 'traceChildren', step)
      pass.dispatchWorkgroups(Math.min(workgroups, Math.ceil(items / 32)))
      use(pass, on, 'sortChildren', step)
      pass.dispatchWorkgroups(Math.min(workgroups, chunks))
    }
  })
}
