import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Command } from 'commander'
import type { GpuReport } from '../../run/node-gpu.js'
import type { Console } from './console.js'
import { mayHaveGpu } from '../../run/find-gpu.js'

interface DeviceReport {
  gpus: GpuReport[]
  cpu: { model: string; cores: number; memory_bytes: number }
  auto: 'gpu' | 'cpu'
  reason: string
}

export function devicesCommand(command: Command, out: Console): void {
  command.option('--json', 'print the report as JSON').action(async ({ json }: { json?: boolean }) => {
    const report = await describeDevices()
    out.print(json ? JSON.stringify(report) + '\n' : formatReport(report))
  })
}

async function describeDevices(): Promise<DeviceReport> {
  const found = mayHaveGpu() ? await (await import('../../run/node-gpu.js')).reportGpu() : null
  const gpus = found ? [found] : []
  const usable = gpus.find((g) => !g.software && g.two_float_exact)
  return {
    gpus,
    cpu: { model: cpus()[0]?.model ?? 'unknown', cores: availableParallelism(), memory_bytes: totalmem() },
    auto: usable ? 'gpu' : 'cpu',
    reason: usable
      ? 'a hardware GPU was found'
      : gpus.length === 0
        ? 'no GPU was found (a Vulkan driver and libvulkan.so.1 are needed)'
        : gpus[0].software
          ? 'the only adapter is a software one; --device gpu uses it all the same'
          : (gpus[0].problem ?? 'the GPU fails the arithmetic test'),
  }
}

function formatReport(report: DeviceReport): string {
  const lines = report.gpus.flatMap((g) => [
    `gpu   ${g.name}${g.software ? ' (software)' : ''}`,
    `      timestamps ${g.timestamps ? 'yes' : 'no'}, two-float arithmetic ${g.two_float_exact ? 'exact' : 'NOT exact'}${g.problem ? `, ${g.problem}` : ''}`,
    ...Object.entries(g.limits).map(([k, v]) => `      ${k} ${v}`),
  ])
  const { model, cores, memory_bytes } = report.cpu
  return [
    ...(lines.length ? lines : ['gpu   none found']),
    `cpu   ${model}, ${cores} cores, ${(memory_bytes / 2 ** 30).toFixed(0)} GiB`,
    `auto  ${report.auto}: ${report.reason}`,
    '',
  ].join('\n')
}
