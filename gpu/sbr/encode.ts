import { bindKernel } from '../kernel.js'
import type { AspectSlot } from './aspect-slot.js'
import { COUNTERS, SEARCHERS, type SbrKernels } from './kernels.js'
import type { Lists } from './lists.js'
import type { Batch } from './plan.js'
import type { SceneBuffers } from './scene-buffers.js'
import { STEP_STRIDE } from './uniforms.js'

const MANY_FACETS = 100_000
const STRIPS = 8

/** Bind groups of one aspect, one per kernel. */
export type AspectBinds = Record<keyof SbrKernels, GPUBindGroup>

export function bindAspect(
  device: GPUDevice,
  kernels: SbrKernels,
  slot: AspectSlot,
  lists: Lists,
  scene: SceneBuffers,
): AspectBinds {
  const { capacities: _, ...buffers } = lists
  const named = { ...scene, ...buffers, counters: slot.counters, totals: slot.totals! }
  return Object.fromEntries(
    Object.entries(kernels).map(([name, kernel]) => [
      name,
      bindKernel(device, kernel, slot.job!, slot.step!, named),
    ]),
  ) as AspectBinds
}

/** The field kernels of a traced batch: contributions, sums over frequencies and reduction. */
export function encodeField(
  encoder: GPUCommandEncoder,
  kernels: SbrKernels,
  binds: AspectBinds,
  slot: AspectSlot,
  lists: Lists,
  batch: Batch,
): void {
  const sum = kernels.sumFrequencies
  copyArguments(encoder, slot)
  encoder.copyBufferToBuffer(slot.counters, 4 * COUNTERS.groupArgs, slot.args, 4 * COUNTERS.frequencyArgs, 4)
  batch.frequencySteps.forEach(({ step, count }, i) => {
    const field = encoder.beginComputePass(slot.timer.pass('field', batch.index))
    if (i === 0) {
      field.setPipeline(kernels.contributions.pipeline)
      field.setBindGroup(0, binds.contributions, [STEP_STRIDE * batch.levelSteps[0]])
      field.dispatchWorkgroupsIndirect(slot.args, 4 * COUNTERS.groupArgs)
    }
    field.setPipeline(sum.pipeline)
    field.setBindGroup(0, binds.sumFrequencies, [STEP_STRIDE * step])
    field.dispatchWorkgroupsIndirect(
      slot.args,
      4 * (sum.contract.name === 'sum_nodes' ? COUNTERS.groupArgs : COUNTERS.frequencyArgs),
    )
    field.end()
    const reduce = encoder.beginComputePass(slot.timer.pass('reduction', batch.index))
    reduce.setPipeline(kernels.reduce.pipeline)
    reduce.setBindGroup(0, binds.reduce, [STEP_STRIDE * step])
    reduce.dispatchWorkgroups(Math.ceil((8 * count) / 64), Math.ceil(lists.capacities.groups / 64))
    reduce.end()
  })
}

/** Tracing, level by level: fills the lists of leaves, quads and groups. */
export function encodeTracing(
  encoder: GPUCommandEncoder,
  kernels: SbrKernels,
  binds: AspectBinds,
  slot: AspectSlot,
  lists: Lists,
  batch: Batch,
  facets: number,
): void {
  encoder.copyBufferToBuffer(slot.counterStart, 0, slot.counters, 0, 4 * COUNTERS.perAspect)
  const search = batch.index === 0 && lists.capacities.facetLists > 0
  encoder.clearBuffer(lists.candidates, 0, 4 * lists.capacities.tiles)
  if (search) encoder.clearBuffer(lists.facetCandidates)
  let pass = encoder.beginComputePass(slot.timer.pass('trace', batch.index))
  const use = (kernel: keyof SbrKernels, step: number): void => {
    pass.setPipeline(kernels[kernel].pipeline)
    pass.setBindGroup(0, binds[kernel], [STEP_STRIDE * step])
  }
  if (search) {
    use('searchFacets', batch.levelSteps[0])
    pass.dispatchWorkgroups(Math.ceil((SEARCHERS * facets) / 64), 2)
  }
  use('markTiles', batch.levelSteps[0])
  // Few facets are spread over many workgroups by rows of tiles, since some may cover the whole batch.
  pass.dispatchWorkgroups(Math.ceil(facets / 64), facets > MANY_FACETS ? 1 : Math.min(STRIPS, batch.tiles.nj))
  pass.end()
  batch.levelSteps.forEach((step, level) => {
    copyArguments(encoder, slot)
    if (level === 0)
      encoder.copyBufferToBuffer(slot.counters, 4 * COUNTERS.tileArgs, slot.args, 4 * COUNTERS.rayArgs, 4)
    pass = encoder.beginComputePass(slot.timer.pass('trace', batch.index))
    if (level === 0) {
      use('traceTiles', step)
      pass.dispatchWorkgroupsIndirect(slot.args, 4 * COUNTERS.rayArgs)
      use('sortTiles', step)
      pass.dispatchWorkgroupsIndirect(slot.args, 4 * COUNTERS.tileArgs)
    } else {
      use('traceChildren', step)
      pass.dispatchWorkgroupsIndirect(slot.args, 4 * (COUNTERS.itemArgs + 4 * (level - 1)))
      use('sortChildren', step)
      pass.dispatchWorkgroupsIndirect(slot.args, 4 * (COUNTERS.chunkArgs + 4 * (level - 1)))
    }
    pass.end()
  })
}

function copyArguments(encoder: GPUCommandEncoder, slot: AspectSlot): void {
  encoder.copyBufferToBuffer(slot.counters, 0, slot.args, 0, 4 * COUNTERS.argsEnd)
}
