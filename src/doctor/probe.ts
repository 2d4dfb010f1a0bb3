import type { GpuProbe } from './checks.js'

// Runs in a process of its own; its last line of output is the result of trying the GPU.
let result: GpuProbe
try {
  const { reportGpu } = await import('../../run/node-gpu.js')
  result = { gpu: await reportGpu() }
} catch (error) {
  result = { gpu: null, failure: (error as Error).message.split('\n')[0] }
}
process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0))
