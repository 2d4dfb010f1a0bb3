import { expect, test } from 'vitest'
import { BACKPROJECTION_KERNEL, backprojectionConstants } from '../../gpu/imaging/engine.js'
import { GPUECO_KERNELS } from '../../gpu/gpueco/kernels.js'
import { kernelSource } from '../../gpu/kernel.js'
import { snakeCase } from '../../gpu/layout.js'
import { PROPAGATION_KERNELS, propagationConstants } from '../../gpu/propagation/kernels.js'
import { SBR_KERNELS, sbrConstants, withSheets } from '../../gpu/sbr/kernels.js'
import { QUERY_KERNEL } from '../helpers/ray-query.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

const lanes = { FREQUENCY_LANES: 4, SUM_DIGITS: 5, MATERIAL_COSINES: 64, MAX_WORDS: 64 }
const sbr = { ...sbrConstants({ depth: 4 }, 'lists', 7), ...lanes }
const raster = { FREQUENCY_LANES: 4, FREQUENCY_BLOCKS: 1, RASTER_LANES: 8 }
const propagation = { ...propagationConstants(7), STACK_SIZE: 20, WORKGROUP: 64, SPHERES: 1, COUNT: 0 }
const kernels = [
  ...[...Object.values(SBR_KERNELS), QUERY_KERNEL].map((kernel) => [kernel, sbr] as const),
  ...Object.values(SBR_KERNELS).map((kernel) => [withSheets(kernel), sbr] as const),
  ...Object.values(GPUECO_KERNELS).map((kernel) => [kernel, raster] as const),
  ...Object.values(PROPAGATION_KERNELS).map((kernel) => [kernel, propagation] as const),
  [BACKPROJECTION_KERNEL, backprojectionConstants(64)] as const,
].map(([kernel, constants]) => [kernel.name, kernel, constants] as const)

test.each(kernels)('%s: bindings are those of the contract, in order', (_, contract, constants) => {
  const reflected = new WgslReflect(kernelSource(contract, constants as Record<string, number>))
  const bindings = reflected.getBindGroups()[0].filter((b) => b !== undefined && b.binding >= 2)
  expect(bindings.map((b) => [b.binding, b.name, b.access])).toEqual(
    contract.buffers.map(({ name, access }, i) => [2 + i, snakeCase(name), access]),
  )
  expect(reflected.entry.compute.map((e) => e.name)).toEqual(['main'])
})
