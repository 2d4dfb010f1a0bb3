import { dirname, join, resolve } from 'node:path'
import { execFile } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { cacheFolder } from '../../formats/bvh-cache.js'
import type { GpuReport } from '../../run/node-gpu.js'
import { mayHaveGpu } from '../../run/find-gpu.js'

/** Result of checking one thing that runs need. */
export interface Check {
  /** One word: `node`, `threads`, `vulkan`. */
  name: string
  /** `warning`: a run works without it, if slower; `problem`: no run works. */
  verdict: 'ok' | 'warning' | 'problem'
  /** What was found, one line. */
  text: string
  /** How to fix it, one line; absent where nothing is wrong. */
  fix?: string
}

const ok = (name: string, text: string): Check => ({ name, verdict: 'ok', text })

const warning = (name: string, text: string, fix: string): Check => ({
  name,
  verdict: 'warning',
  text,
  fix,
})

const problem = (name: string, text: string, fix: string): Check => ({
  name,
  verdict: 'problem',
  text,
  fix,
})

/** Oldest Node.js that isar runs on (`engines` of package.json). */
const NODE = [20, 19]
const GIB = 2 ** 30
/** Below these, runs of ordinary size may fail (warning), and any run may fail (problem). */
const MEMORY = { warning: 2 * GIB, problem: 0.5 * GIB }

/** What every run needs, also without a GPU. */
export async function baseChecks(machine: Machine): Promise<Check[]> {
  return [
    checkNode(machine),
    checkCores(machine),
    checkMemory(machine),
    await checkThreads(machine),
    checkCache(machine),
  ]
}

function checkNode({ nodeVersion, platform, arch }: Machine): Check {
  const [major, minor] = nodeVersion.split('.').map(Number)
  const text = `Node.js ${nodeVersion} on ${platform}-${arch}`
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return ok('node', text)
  return problem('node', text, `install Node.js ${NODE.join('.')} or later (https://nodejs.org)`)
}

function checkCores({ cores, read }: Machine): Check {
  const text = `${cores} core${cores === 1 ? '' : 's'}`
  const share = cpuShare(read('/sys/fs/cgroup/cpu.max'))
  if (share !== null && share < cores - 0.5)
    return warning(
      'cores',
      `${text}, of which this container may use ${Number(share.toPrecision(2))}`,
      `give --workers ${Math.max(1, Math.floor(share))}, or start the container with more (docker: --cpus)`,
    )
  if (cores > 1) return ok('cores', text)
  return warning('cores', text, 'more cores make edge diffraction, and all of a run without a GPU, faster')
}

/** Cores that a control group grants, from cpu.max ("QUOTA PERIOD" or "max PERIOD"); null: all. */
function cpuShare(limit: string | null): number | null {
  const [quota, period] = (limit ?? 'max').trim().split(' ').map(Number)
  return quota > 0 && period > 0 ? quota / period : null
}

function checkMemory({ memory }: Machine): Check {
  const text = `${(memory / GIB).toFixed(1)} GiB`
  const fix =
    'give the machine or the container more (docker: --memory); every run prints its estimate before it starts'
  if (memory < MEMORY.problem) return problem('memory', text, fix)
  return memory < MEMORY.warning ? warning('memory', text, fix) : ok('memory', text)
}

async function checkThreads({ threadFault }: Machine): Promise<Check> {
  const fault = await threadFault()
  if (fault === null) return ok('threads', 'worker threads start')
  return problem(
    'threads',
    `worker threads do not start: ${fault}`,
    'raise the limit of threads (ulimit -u; docker: --pids-limit)',
  )
}

function checkCache({ cacheFolder, writeFault }: Machine): Check {
  const fault = writeFault(cacheFolder)
  if (fault === null) return ok('cache', `${cacheFolder} can be written`)
  return warning(
    'cache',
    `${cacheFolder} cannot be written (${fault}): the BVHs of large meshes are built again in every run`,
    'set XDG_CACHE_HOME to a folder that can be written',
  )
}

const LOADER = 'libvulkan.so.1'
/** Folders that the loader of shared libraries searches besides its list. */
const LIBRARY_FOLDERS = ['/lib', '/usr/lib', '/lib64', '/usr/lib64', '/usr/local/lib']

/** NVIDIA's driver in containers of some clouds: the Vulkan loader does not search there by default. */
const ELSEWHERE = ['/usr/local/nvidia/share/vulkan/icd.d', '/usr/local/nvidia/vulkan/icd.d']

/** Vulkan's loader and drivers, which WebGPU needs on Linux. */
async function vulkanChecks(machine: Machine, nvidia: boolean, container: boolean): Promise<Check[]> {
  const known = await machine.libraries()
  const found = (library: string): boolean => findLibrary(machine, known, library)
  return [checkLoader(found), ...checkDrivers(machine, found, nvidia, container)]
}

function findLibrary({ env, exists }: Machine, known: Set<string> | null, library: string): boolean {
  const folders = [...(env.LD_LIBRARY_PATH ?? '').split(':').filter(Boolean), ...LIBRARY_FOLDERS]
  return (known?.has(library) ?? false) || folders.some((folder) => exists(join(folder, library)))
}

function checkLoader(found: (library: string) => boolean): Check {
  if (found(LOADER)) return ok('loader', `${LOADER} is there`)
  return warning(
    'loader',
    `${LOADER}, the Vulkan loader, is not found`,
    'install it (Debian, Ubuntu: apt-get install libvulkan1; Fedora: dnf install vulkan-loader)',
  )
}

/** How to install the driver. */
function howToInstall(machine: Machine, lookElsewhere: boolean, nvidia: boolean, container: boolean): string {
  if (!nvidia)
    return 'install the driver (Debian, Ubuntu: apt-get install mesa-vulkan-drivers; Fedora: dnf install mesa-vulkan-drivers)'
  const [elsewhere] = lookElsewhere ? manifestsIn(machine, ELSEWHERE) : []
  if (elsewhere) return `export VK_DRIVER_FILES=${elsewhere}`
  return container
    ? 'start the container with -e NVIDIA_DRIVER_CAPABILITIES=all (it brings libGLX_nvidia.so.0 and nvidia_icd.json)'
    : "install the graphics part of NVIDIA's driver (Debian: nvidia-vulkan-icd; Ubuntu: libnvidia-gl-VERSION)"
}

/** A driver's manifest. */
interface Manifest {
  path: string
  /** The library that it names; null where the file says none that can be read. */
  library: string | null
}

function checkDrivers(
  machine: Machine,
  found: (library: string) => boolean,
  nvidia: boolean,
  container: boolean,
): Check[] {
  const { env, exists } = machine
  const variable = env.VK_DRIVER_FILES ? 'VK_DRIVER_FILES' : env.VK_ICD_FILENAMES ? 'VK_ICD_FILENAMES' : null
  const paths = variable ? env[variable]!.split(':').filter(Boolean) : installedManifests(machine)
  const install = howToInstall(machine, nvidia && !variable, nvidia, container)
  if (paths.length === 0)
    return [warning('driver', 'no Vulkan driver is installed: there is no manifest in vulkan/icd.d', install)]
  const checks: Check[] = []
  const usable: Manifest[] = []
  for (const path of paths) {
    const manifest = readManifest(machine, path)
    const { library } = manifest
    if (!exists(path))
      checks.push(
        warning(
          'driver',
          `${variable} names ${path}, which is not there`,
          `unset ${variable}, or set it to a manifest of /usr/share/vulkan/icd.d or /etc/vulkan/icd.d`,
        ),
      )
    else if (library === null)
      checks.push(warning('driver', `${path} is no manifest that names a library`, install))
    else if (library.includes('/') ? !exists(resolve(dirname(path), library)) : !found(library))
      checks.push(warning('driver', `${path} names ${library}, which is not found`, install))
    else usable.push(manifest)
  }
  if (usable.length > 0) checks.push(ok('driver', usable.map(({ path }) => path).join(', ')))
  if (nvidia && usable.length > 0 && !usable.some(({ path, library }) => /nvidia/i.test(path + library)))
    checks.push(
      warning('driver', 'there is an NVIDIA GPU, but none of these drivers is NVIDIA’s', variable ? `unset ${variable}` : install), // prettier-ignore
    )
  return checks
}

/** Manifests in the folders that the loader searches by default. */
function installedManifests({ env, list }: Machine): string[] {
  const data = (env.XDG_DATA_DIRS || '/usr/local/share:/usr/share').split(':').filter(Boolean)
  const config = (env.XDG_CONFIG_DIRS || '/etc/xdg').split(':').filter(Boolean)
  const home = env.XDG_DATA_HOME || (env.HOME && join(env.HOME, '.local/share'))
  const folders = [...config, '/etc', ...(home ? [home] : []), ...data].map((f) => join(f, 'vulkan/icd.d'))
  return manifestsIn({ list }, [...new Set(folders)])
}

const manifestsIn = ({ list }: Pick<Machine, 'list'>, folders: string[]): string[] =>
  folders.flatMap((folder) =>
    list(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(folder, name)),
  )

function readManifest({ read }: Machine, path: string): Manifest {
  try {
    const { ICD } = JSON.parse(read(path) ?? '') as { ICD?: { library_path?: unknown } }
    const library = ICD?.library_path
    return { path, library: typeof library === 'string' ? library : null }
  } catch {
    return { path, library: null }
  }
}

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

/** Result of trying the GPU in a process of its own, since drivers can crash it. */
export interface GpuProbe {
  /** Null: no adapter. */
  gpu: GpuReport | null
  /** Why the trial itself failed: the library did not load, the process was ended by a signal, or took too long. */
  failure?: string
}

/** What the checks examine; tests supply machines of their own. */
export interface Machine {
  platform: NodeJS.Platform
  arch: string
  /** Without a v. */
  nodeVersion: string
  env: Record<string, string | undefined>
  cores: number
  /** Memory that this process may use [bytes]. */
  memory: number
  cacheFolder: string
  /** Whether there may be a GPU: a device file, or a driver named in the environment. */
  mayHaveGpu: boolean
  exists: (path: string) => boolean
  /** Whether a file can be read and written. */
  access: (path: string) => boolean
  /** Names in a folder; none where it cannot be read. */
  list: (folder: string) => string[]
  /** Text of a file; null where it cannot be read. */
  read: (path: string) => string | null
  /** Names of shared libraries that the system's loader knows; null where it cannot be asked. */
  libraries: () => Promise<Set<string> | null>
  /** Why a file cannot be written in a folder, which is made where it is not there; null where it can. */
  writeFault: (folder: string) => string | null
  /** Why a worker thread does not start; null where it does. */
  threadFault: () => Promise<string | null>
  probeGpu: () => Promise<GpuProbe>
}

/** Time limit of a trial of the GPU [ms]: some drivers compile for many seconds at first use. */
const PROBE_TIME = 60_000

const run = promisify(execFile)

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  // 0 or a huge number means no limit.
  const limit = process.constrainedMemory()
  const total = totalmem()
  return {
    platform: process.platform,
    arch: process.arch,
    nodeVersion: process.versions.node,
    env: process.env,
    cores: availableParallelism(),
    memory: limit > 0 && limit < total ? limit : total,
    cacheFolder: cacheFolder(),
    mayHaveGpu: mayHaveGpu(),
    exists: existsSync,
    access: (path) => !faultOf(() => accessSync(path, constants.R_OK | constants.W_OK)),
    list: (folder) => {
      let names: string[] = []
      faultOf(() => (names = readdirSync(folder)))
      return names
    },
    read: (path) => {
      let text: string | null = null
      faultOf(() => (text = readFileSync(path, 'utf8')))
      return text
    },
    libraries,
    writeFault: (folder) =>
      faultOf(() => {
        mkdirSync(folder, { recursive: true })
        const file = join(folder, `.isar-doctor-${process.pid}`)
        writeFileSync(file, '')
        rmSync(file)
      }),
    threadFault,
    probeGpu,
  }
}

function faultOf(work: () => unknown): string | null {
  try {
    work()
    return null
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code ?? message
  }
}

async function libraries(): Promise<Set<string> | null> {
  for (const command of ['/sbin/ldconfig', '/usr/sbin/ldconfig', 'ldconfig'])
    try {
      const { stdout } = await run(command, ['-p'])
      return new Set(stdout.split('\n').map((line) => line.trim().split(' ')[0]))
    } catch {
      // Another folder may have it.
    }
  return null
}

function threadFault(): Promise<string | null> {
  return new Promise((done) => {
    try {
      const thread = new Worker('require("node:worker_threads").parentPort.postMessage(1)', { eval: true })
      thread.once('message', () => done(null))
      thread.once('error', ({ message }) => done(message))
      thread.once('exit', (code) => done(`it ended with code ${code}`))
    } catch (error) {
      done((error as Error).message)
    }
  })
}

async function probeGpu(): Promise<GpuProbe> {
  try {
    const probe = fileURLToPath(new URL('./probe.js', import.meta.url))
    const { stdout } = await run(process.execPath, [probe], { timeout: PROBE_TIME })
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as GpuProbe
  } catch (error) {
    const { signal, killed, stderr, message } = error as Error & {
      signal?: string
      killed?: boolean
      stderr?: string
    }
    const last = stderr?.trim().split('\n').at(-1) ?? message
    const why = killed
      ? `no answer within ${PROBE_TIME / 1000} s`
      : signal
        ? `the process was ended by ${signal}`
        : last
    return { gpu: null, failure: why }
  }
}
