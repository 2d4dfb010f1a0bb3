import type { GpuProbe } from './machine.js'

// A process of its own, whose last line of output is what came of trying the GPU out.
let result: GpuProbe
try {
  const { reportGpu } = await import('../gpu-report.js')
  result = { gpu: await reportGpu() }
} catch (error) {
  result = { gpu: null, failure: (error as Error).message.split('\n')[0] }
}
process.stdout.write(`\n${JSON.stringify(result)}\n`, () => process.exit(0))
