import { bindKernel } from '../kernel.js'
import type { AspectSlot } from './aspect-slot.js'
import { COUNTERS, type SbrKernels } from './kernels.js'
import type { Lists } from './lists.js'
import type { Batch } from './plan.js'
import type { SceneBuffers } from './scene-buffers.js'
import { STEP_STRIDE } from './uniforms.js'

/** Bind groups of one aspect; levels of refinement take turns in reading and writing the two item lists. */
export type AspectBinds = Record<
  'traceTiles' | 'traceOdd' | 'traceEven' | 'contributions' | 'sumFrequencies' | 'reduce',
  GPUBindGroup
>

export function bindAspect(
  device: GPUDevice,
  kernels: SbrKernels,
  slot: AspectSlot,
  lists: Lists,
  scene: SceneBuffers,
): AspectBinds {
  const bind = (kernel: keyof SbrKernels, itemsIn: GPUBuffer, itemsOut: GPUBuffer): GPUBindGroup =>
    bindKernel(device, kernels[kernel], slot.job!, slot.step!, {
      ...scene,
      ...lists,
      itemsIn,
      itemsOut,
      counters: slot.counters,
      totals: slot.totals!,
    } as unknown as Record<string, GPUBuffer>)
  const { itemsA, itemsB } = lists
  return {
    traceTiles: bind('traceTiles', itemsB, itemsA),
    traceOdd: bind('traceChildren', itemsA, itemsB),
    traceEven: bind('traceChildren', itemsB, itemsA),
    contributions: bind('contributions', itemsA, itemsB),
    sumFrequencies: bind('sumFrequencies', itemsA, itemsB),
    reduce: bind('reduce', itemsA, itemsB),
  }
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
  copyArguments(encoder, slot)
  encoder.copyBufferToBuffer(slot.counters, 4 * COUNTERS.groupArgs, slot.args, 4 * COUNTERS.frequencyArgs, 4)
  batch.frequencySteps.forEach(({ step, count }, i) => {
    const field = encoder.beginComputePass(slot.timer.pass('field', batch.index))
    if (i === 0) {
      field.setPipeline(kernels.contributions.pipeline)
      field.setBindGroup(0, binds.contributions, [STEP_STRIDE * batch.levelSteps[0]])
      field.dispatchWorkgroupsIndirect(slot.args, 4 * COUNTERS.groupArgs)
    }
    field.setPipeline(kernels.sumFrequencies.pipeline)
    field.setBindGroup(0, binds.sumFrequencies, [STEP_STRIDE * step])
    field.dispatchWorkgroupsIndirect(slot.args, 4 * COUNTERS.frequencyArgs)
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
  batch: Batch,
): void {
  encoder.copyBufferToBuffer(slot.counterStart, 0, slot.counters, 0, 4 * COUNTERS.perAspect)
  batch.levelSteps.forEach((step, level) => {
    if (level > 0) copyArguments(encoder, slot)
    const pass = encoder.beginComputePass(slot.timer.pass('trace', batch.index))
    pass.setPipeline(kernels[level === 0 ? 'traceTiles' : 'traceChildren'].pipeline)
    pass.setBindGroup(0, binds[level === 0 ? 'traceTiles' : level % 2 ? 'traceOdd' : 'traceEven'], [
      STEP_STRIDE * step,
    ])
    if (level === 0) pass.dispatchWorkgroups(batch.tiles.ni * batch.tiles.nj)
    else pass.dispatchWorkgroupsIndirect(slot.args, 4 * (COUNTERS.childArgs + 4 * (level - 1)))
    pass.end()
  })
}

function copyArguments(encoder: GPUCommandEncoder, slot: AspectSlot): void {
  encoder.copyBufferToBuffer(slot.counters, 0, slot.args, 0, 4 * 32)
}
