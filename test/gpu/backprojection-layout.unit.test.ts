import { expect, it } from 'vitest'
import { kernelSource } from '../../gpu/kernel.js'
import { snakeCase } from '../../gpu/layout.js'
import {
  BACKPROJECTION_JOB,
  BACKPROJECTION_KERNEL,
  BACKPROJECTION_STEP,
  backprojectionConstants,
} from '../../gpu/imaging/engine.js'

// The package's main file is not the one that Node can import.
const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

it('the kernel of backprojection has the bindings of its contract and the offsets of the host', () => {
  const reflected = new WgslReflect(kernelSource(BACKPROJECTION_KERNEL, backprojectionConstants(64)))
  const bindings = reflected.getBindGroups()[0]
  expect(bindings.map((b) => [b.binding, b.name, b.access])).toEqual([
    [0, 'job', 'read'],
    [1, 'step_', 'read'],
    ...BACKPROJECTION_KERNEL.buffers.map(({ name, access }, i) => [2 + i, snakeCase(name), access]),
  ])
  for (const block of [BACKPROJECTION_JOB, BACKPROJECTION_STEP]) {
    const found = reflected.structs.find((s) => s.name === block.name)!
    expect(found.members.map((m) => [m.name, m.offset / 4])).toEqual(
      Object.entries(block.at).map(([name, word]) => [snakeCase(name), word]),
    )
    expect(found.size).toBe(block.size)
  }
})
