import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Command } from 'commander'
import { isSoftwareAdapter } from '../../gpu/index.js'
import { mayHaveGpu } from '../solver.js'

interface DeviceReport {
  gpus: {
    name: string
    software: boolean
    timestamps: boolean
    two_float_exact: boolean
    limits: Record<string, number>
    problem?: string
  }[]
  cpu: { model: string; cores: number; memory_bytes: number }
  auto: 'gpu' | 'cpu'
  reason: string
}

const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupStorageSize',
  'maxStorageBuffersPerShaderStage',
] as const

export function devicesCommand(command: Command): void {
  command.option('--json', 'print the report as JSON').action(async ({ json }: { json?: boolean }) => {
    const report = await describeDevices()
    process.stdout.write(json ? JSON.stringify(report) + '\n' : formatReport(report))
    // Dawn's threads would keep the process alive.
    process.exit(0)
  })
}

async function describeDevices(): Promise<DeviceReport> {
  const gpus: DeviceReport['gpus'] = []
  if (mayHaveGpu()) {
    const { findAdapter } = await import('../node-gpu.js')
    const adapter = await findAdapter()
    if (adapter) {
      const { openDevice } = await import('../../gpu/device.js')
      const { twoFloatIsExact } = await import('../../gpu/self-test.js')
      const entry: DeviceReport['gpus'][number] = {
        name: [adapter.info.vendor, adapter.info.architecture, adapter.info.description]
          .filter(Boolean)
          .join(' '),
        software: isSoftwareAdapter(adapter.info),
        timestamps: adapter.features.has('timestamp-query'),
        two_float_exact: false,
        limits: Object.fromEntries(LIMITS.map((k) => [k, adapter.limits[k]])),
      }
      try {
        entry.two_float_exact = await twoFloatIsExact((await openDevice(adapter)).device)
      } catch (error) {
        entry.problem = (error as Error).message
      }
      gpus.push(entry)
    }
  }
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
