import { join } from 'node:path'
import { type Check, ok, warning } from './check.js'
import type { GpuProbe, Machine } from './machine.js'
import { vulkanChecks } from './vulkan.js'

/** Storage buffers smaller than this leave little room for large targets [bytes]. */
const SMALL_BUFFER = 2 ** 28

/** What the GPU needs; none of it keeps a run from working on the CPU. */
export async function gpuChecks(machine: Machine): Promise<Check[]> {
  if (machine.platform !== 'linux') return checkAdapter(await machine.probeGpu())
  const files = deviceFiles(machine)
  const nvidia = files.some((file) => file.startsWith('/dev/nvidia'))
  const container = isContainer(machine)
  const checks = [checkFiles(machine, files, container), ...containerChecks(machine, nvidia, container)]
  if (!machine.mayHaveGpu)
    return [...checks, ok('device', 'without a GPU --device auto takes the cpu, in double precision')]
  return [
    ...checks,
    checkDisplay(machine),
    ...(await vulkanChecks(machine, nvidia, container)),
    ...checkAdapter(await machine.probeGpu()),
  ]
}

/** Device files through which drivers reach a GPU. */
function deviceFiles({ list }: Machine): string[] {
  const dev = list('/dev').filter((f) => /^(nvidia\d+|nvidiactl|dxg)$/.test(f))
  const render = list('/dev/dri').filter((f) => f.startsWith('render'))
  return [...dev.map((f) => join('/dev', f)), ...render.map((f) => join('/dev/dri', f))].sort()
}

const isContainer = ({ exists, read, env }: Machine): boolean =>
  exists('/.dockerenv') ||
  exists('/run/.containerenv') ||
  env.KUBERNETES_SERVICE_HOST !== undefined ||
  /docker|kubepods|containerd|lxc/.test(read('/proc/1/cgroup') ?? '')

function checkFiles({ access, read, env }: Machine, files: string[], container: boolean): Check {
  if (files.length === 0) {
    const text = 'no device file of a GPU (/dev/nvidia*, /dev/dri/render*)'
    // A software adapter needs no device file.
    if (env.VK_DRIVER_FILES || env.VK_ICD_FILENAMES)
      return ok('gpu', `${text}; the environment names a driver, which may not need one`)
    return warning(
      'gpu',
      text,
      container
        ? 'start the container with the GPU (docker run --gpus all; AMD and Intel: --device /dev/dri), if the host has one'
        : 'if there is a GPU, install its driver; check that the kernel module is loaded (nvidia-smi, or ls /dev/dri)',
    )
  }
  const shut = files.filter((file) => !access(file))
  if (shut.length > 0)
    return warning(
      'gpu',
      `no permission to use ${shut.join(', ')}`,
      container
        ? `start the container with the group of the file (docker run --group-add $(stat -c %g ${shut[0]}))`
        : 'sudo usermod -aG render,video $USER, then log in again',
    )
  const version = /Kernel Module[^\n]*?\s(\d+\.[\d.]+)/.exec(read('/proc/driver/nvidia/version') ?? '')?.[1]
  if (files.some((f) => /nvidia\d/.test(f)) && version === undefined)
    return warning(
      'gpu',
      `${files.join(', ')}, but NVIDIA's kernel module is not loaded`,
      'sudo modprobe nvidia, or restart after installing the driver',
    )
  return ok('gpu', files.join(', ') + (version ? `, NVIDIA driver ${version}` : ''))
}

function containerChecks({ env }: Machine, nvidia: boolean, container: boolean): Check[] {
  const { NVIDIA_VISIBLE_DEVICES: visible, NVIDIA_DRIVER_CAPABILITIES: capabilities } = env
  if (!container) return []
  if (visible !== undefined && /^(none|void|)$/.test(visible))
    return [
      warning(
        'container',
        `NVIDIA_VISIBLE_DEVICES=${visible} hides the GPUs`,
        'start the container with --gpus all, or -e NVIDIA_VISIBLE_DEVICES=all',
      ),
    ]
  if (!nvidia) return [ok('container', 'this is a container')]
  if (/\b(all|graphics)\b/.test(capabilities ?? ''))
    return [ok('container', `this is a container; NVIDIA_DRIVER_CAPABILITIES=${capabilities}`)]
  return [
    warning(
      'container',
      `NVIDIA_DRIVER_CAPABILITIES is ${capabilities ?? 'not set'}: without "graphics" the Vulkan driver is missing`,
      'start the container with -e NVIDIA_DRIVER_CAPABILITIES=all',
    ),
  ]
}

const checkDisplay = ({ env }: Machine): Check =>
  ok(
    'display',
    env.DISPLAY || env.WAYLAND_DISPLAY ? 'there is one; none is needed' : 'there is none, and none is needed',
  )

function checkAdapter({ gpu, failure }: GpuProbe): Check[] {
  if (failure !== undefined)
    return [
      warning(
        'adapter',
        `the trial of the GPU failed: ${failure}`,
        'update the driver; until then use --device cpu',
      ),
      ok('device', 'use --device cpu: double precision on worker threads'),
    ]
  if (!gpu)
    return [
      warning(
        'adapter',
        'no adapter is found through Vulkan, Metal or Direct3D 12',
        'see the lines above; vulkaninfo --summary (Debian: vulkan-tools) shows what the driver offers',
      ),
      ok('device', '--device auto takes the cpu, in double precision'),
    ]
  const checks = [gpu.software ? softwareAdapter(gpu.name) : ok('adapter', gpu.name)]
  if (gpu.problem !== undefined)
    checks.push(warning('limits', gpu.problem, 'update the driver, or use another GPU'))
  else {
    const buffer = gpu.limits.maxStorageBufferBindingSize
    const text = `buffers up to ${(buffer / 2 ** 30).toFixed(2)} GiB, kernel times ${gpu.timestamps ? 'measured on the device' : 'not measured on the device'}`
    checks.push(
      buffer < SMALL_BUFFER
        ? warning(
            'limits',
            text,
            'large targets may not fit: update the driver, or use --device cpu for them',
          )
        : ok('limits', text),
      gpu.two_float_exact
        ? ok('arithmetic', 'error terms of single-precision sums and products are kept')
        : warning(
            'arithmetic',
            'the driver optimises error terms away: phases would be wrong, so this GPU is refused',
            'update the driver, and report this GPU and driver version',
          ),
    )
  }
  const serves = gpu.two_float_exact && gpu.problem === undefined
  const taken = serves && !gpu.software
  return [
    ...checks,
    ok(
      'device',
      taken
        ? '--device auto takes the GPU'
        : `--device auto takes the cpu, in double precision${serves ? '; --device gpu takes the software adapter' : ''}`,
    ),
  ]
}

const softwareAdapter = (name: string): Check =>
  warning(
    'adapter',
    `${name}: a software adapter, slower than the cpu backend`,
    'if there is a GPU, install its own Vulkan driver; unset VK_DRIVER_FILES and VK_ICD_FILENAMES where they name another',
  )
