import { describe, expect, it } from 'vitest'
import { baseChecks, type Check, gpuChecks, type GpuProbe, type Machine } from '../../src/doctor/checks.js'
import { swiftshaderEnv, unpackSwiftshader } from '../helpers/swiftshader.js'
import { isar } from './cli.js'

const GPU: GpuProbe = {
  gpu: {
    name: 'nvidia hopper H200',
    software: false,
    timestamps: true,
    two_float_exact: true,
    limits: { maxStorageBufferBindingSize: 2 ** 31 - 4 },
  },
}
const MANIFEST = '/usr/share/vulkan/icd.d/nvidia_icd.json'

/** A workstation with an NVIDIA GPU where all is well; `files` are added to it. */
function machine(changes: Partial<Machine> = {}, files: Record<string, string | null> = {}): Machine {
  const all: Record<string, string | null> = {
    '/dev/nvidia0': '',
    '/dev/nvidiactl': '',
    '/dev/dri/renderD128': '',
    '/proc/driver/nvidia/version':
      'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build',
    [MANIFEST]: '{ "ICD": { "library_path": "libGLX_nvidia.so.0", "api_version": "1.3.277" } }',
    ...files,
  }
  const there = Object.keys(all).filter((path) => all[path] !== null)
  return {
    platform: 'linux',
    arch: 'x64',
    nodeVersion: '20.20.0',
    env: { HOME: '/home/user', DISPLAY: ':0' },
    cores: 16,
    memory: 64 * 2 ** 30,
    cacheFolder: '/home/user/.cache/isar',
    mayHaveGpu: there.some((path) => path.startsWith('/dev/')),
    exists: (path) => there.includes(path),
    access: (path) => there.includes(path),
    list: (folder) =>
      there
        .filter((path) => path.slice(0, path.lastIndexOf('/')) === folder)
        .map((path) => path.slice(folder.length + 1)),
    read: (path) => all[path] ?? null,
    libraries: () => Promise.resolve(new Set(['libvulkan.so.1', 'libGLX_nvidia.so.0'])),
    writeFault: () => null,
    threadFault: () => Promise.resolve(null),
    probeGpu: () => Promise.resolve(GPU),
    ...changes,
  }
}

const libraries = (...names: string[]): Partial<Machine> => ({
  libraries: () => Promise.resolve(new Set(names)),
})
/** A workstation on which a try of the GPU ends so. */
const probed = (found: Partial<GpuProbe['gpu'] & object> | null, failure?: string): Machine =>
  machine({ probeGpu: () => Promise.resolve({ gpu: found && { ...GPU.gpu!, ...found }, failure }) })

/** A container that may use so much of every 100 ms. */
const limited = (quota: string): Partial<Machine> => ({
  read: (path) => (path === '/sys/fs/cgroup/cpu.max' ? `${quota} 100000\n` : null),
})

const faults = (checks: Check[]): Check[] => checks.filter(({ verdict }) => verdict !== 'ok')
const NO_GPU = { '/dev/nvidia0': null, '/dev/nvidiactl': null, '/dev/dri/renderD128': null, [MANIFEST]: null }

it('finds no fault on a complete machine, and says which device is used', async () => {
  const checks = [...(await baseChecks(machine())), ...(await gpuChecks(machine()))]
  expect(faults(checks)).toEqual([])
  const names = ['node', 'cores', 'memory', 'threads', 'cache', 'gpu', 'display', 'loader', 'driver', 'adapter', 'limits', 'arithmetic', 'device'] // prettier-ignore
  expect(checks.map(({ name }) => name)).toEqual(names)
  expect(checks[5].text).toMatch(/\/dev\/nvidia0.*NVIDIA driver 550\.54\.15/)
  expect(checks.at(-1)!.text).toBe('--device auto takes the GPU')
})

describe('what every run needs', () => {
  // prettier-ignore
  it.each<[string, Partial<Machine>, Check['verdict'], RegExp, RegExp]>([
    ['an old Node', { nodeVersion: '20.18.3' }, 'problem', /Node\.js 20\.18\.3/, /20\.19 or later/],
    ['little memory', { memory: 2 ** 30 }, 'warning', /1\.0 GiB/, /--memory/],
    ['hardly any memory', { memory: 2 ** 28 }, 'problem', /0\.3 GiB/, /--memory/],
    ['one core', { cores: 1 }, 'warning', /1 core$/, /more cores/],
    ['a share of the cores', limited('150000'), 'warning', /16 cores, of which this container may use 1\.5/, /--workers 1,.*--cpus/],
    ['no threads', { threadFault: () => Promise.resolve('ERR_INIT') }, 'problem', /do not start: ERR_INIT/, /ulimit -u/],
    ['no cache', { writeFault: () => 'EROFS' }, 'warning', /\.cache\/isar cannot.*EROFS/, /XDG_CACHE_HOME/],
  ])('%s', async (_, changes, verdict, text, fix) => {
    expect(faults(await baseChecks(machine(changes)))).toEqual([
      { name: expect.any(String) as string, verdict, text: expect.stringMatching(text) as string, fix: expect.stringMatching(fix) as string }, // prettier-ignore
    ])
  })

  it('later versions of Node and no limit of the container are well', async () => {
    for (const nodeVersion of ['20.19.0', '22.1.0', '26.0.0'])
      expect(faults(await baseChecks(machine({ nodeVersion })))).toEqual([])
    expect(faults(await baseChecks(machine(limited('max'))))).toEqual([])
  })
})

describe('what a GPU needs: each fault comes with its fix, and none keeps runs from working', () => {
  const docker = { '/.dockerenv': '' }
  const elsewhere = '/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json'
  const lavapipe = {
    '/usr/lib/libvulkan.so.1': '',
    '/usr/lib/libvulkan_lvp.so': '',
    '/etc/vulkan/icd.d/lvp_icd.json': '{ "ICD": { "library_path": "/usr/lib/libvulkan_lvp.so" } }',
  }
  const compute = { NVIDIA_VISIBLE_DEVICES: 'all', NVIDIA_DRIVER_CAPABILITIES: 'compute,utility' }
  const partly = {
    env: compute,
    ...libraries('libvulkan.so.1'),
    probeGpu: () => Promise.resolve({ gpu: null }),
  }
  const hidden = { env: { NVIDIA_VISIBLE_DEVICES: 'void' } }
  type Fault = [name: string, text: RegExp, fix: RegExp]
  const noDevice: Fault = ['gpu', /no device file/, /--gpus all/]
  const where = new RegExp(`^export VK_DRIVER_FILES=${elsewhere.replaceAll('.', '\\.')}$`)
  const old = { env: { VK_ICD_FILENAMES: '/old/nvidia_icd.json' } }
  const unreadable = { access: (path: string) => !path.startsWith('/dev/dri') }
  // prettier-ignore
  it.each<[string, Machine, ...Fault[]]>([
    ['no GPU', machine({}, NO_GPU), ['gpu', /no device file/, /install its driver/]],
    ['no GPU in a container', machine({}, { ...NO_GPU, ...docker }), noDevice],
    ['GPUs hidden from a container', machine(hidden, { ...NO_GPU, ...docker }), noDevice,
      ['container', /NVIDIA_VISIBLE_DEVICES=void hides/, /NVIDIA_VISIBLE_DEVICES=all/]],
    ['a container without the graphics part of the driver', machine(partly, { ...docker, [MANIFEST]: null }),
      ['container', /is compute,utility: without "graphics"/, /NVIDIA_DRIVER_CAPABILITIES=all/],
      ['driver', /no manifest in vulkan\/icd\.d/, /NVIDIA_DRIVER_CAPABILITIES=all/],
      ['adapter', /no adapter/, /vulkaninfo/]],
    ['a manifest where the loader does not look', machine({}, { [MANIFEST]: null, [elsewhere]: '{ "ICD": { "library_path": "x" } }' }),
      ['driver', /no manifest/, where]],
    ['no permission', machine(unreadable), ['gpu', /no permission to use \/dev\/dri\/renderD128/, /usermod -aG render,video/]],
    ['a kernel module that is not loaded', machine({}, { '/proc/driver/nvidia/version': null }),
      ['gpu', /kernel module is not loaded/, /modprobe nvidia/]],
    ['no loader', machine(libraries('libGLX_nvidia.so.0')), ['loader', /libvulkan\.so\.1.*not found/, /apt-get install libvulkan1/]],
    ['a manifest whose library is missing', machine(libraries('libvulkan.so.1')),
      ['driver', /nvidia_icd\.json names libGLX_nvidia\.so\.0, which is not found/, /graphics part/]],
    ['a manifest that is none', machine({}, { [MANIFEST]: '{' }), ['driver', /nvidia_icd\.json is no manifest/, /graphics part/]],
    ['a variable that names no file', machine(old),
      ['driver', /VK_ICD_FILENAMES names \/old\/nvidia_icd\.json, which is not there/, /unset VK_ICD_FILENAMES/]],
    ['another driver than the GPU’s', machine({ libraries: () => Promise.resolve(null) }, { [MANIFEST]: null, ...lavapipe }),
      ['driver', /none of these drivers is NVIDIA/, /graphics part/]],
    ['a driver that takes the process down', probed(null, 'the process was ended by SIGSEGV'), ['adapter', /SIGSEGV/, /--device cpu/]],
    ['a software adapter', probed({ software: true }), ['adapter', /a software adapter/, /own Vulkan driver/]],
    ['a limit that is too small', probed({ problem: 'the GPU binds 4 storage buffers, 8 are needed' }),
      ['limits', /4 storage buffers, 8 are needed/, /another GPU/]],
    ['small buffers', probed({ limits: { maxStorageBufferBindingSize: 2 ** 27 } }), ['limits', /up to 0\.13 GiB/, /--device cpu/]],
    ['arithmetic that is not exact', probed({ two_float_exact: false }), ['arithmetic', /this GPU is refused/, /report/]],
  ])('%s', async (_, given, ...expected) => {
    const checks = await gpuChecks(given)
    expect(faults(checks).map(({ name, verdict }) => [name, verdict])).toEqual(
      expected.map(([name]) => [name, 'warning']),
    )
    faults(checks).forEach(({ text, fix }, i) => {
      expect(text).toMatch(expected[i][1])
      expect(fix).toMatch(expected[i][2])
      expect(text + fix!).not.toMatch(/\n/)
    })
    // The last line says what runs take: the GPU where none of its own lines is a fault.
    const serves = given.mayHaveGpu && !faults(checks).some(({ name, text }) => ['adapter', 'arithmetic'].includes(name) || /storage buffers/.test(text)) // prettier-ignore
    expect(checks.at(-1)!.text).toMatch(serves ? /takes the GPU$/ : /cpu/)
  })

  it('on other systems checks the adapter alone', async () => {
    const names = (await gpuChecks(machine({ platform: 'darwin' }))).map(({ name }) => name)
    expect(names).toEqual(['adapter', 'limits', 'arithmetic', 'device'])
  })
})

describe('isar doctor', () => {
  it('works without a GPU: exit 0, one line a check', async () => {
    const { code, stdout, stderr } = await isar`doctor`
    expect([code, stderr]).toEqual([0, ''])
    for (const line of stdout.trim().split('\n').slice(0, -1))
      expect(line).toMatch(/^((ok|warning) +[a-z]+ +\S|\s+fix: )/)
    expect(stdout).toMatch(/ok +threads +worker threads start\n/)
    expect(stdout).toMatch(/\nruns work on this machine/)
  })

  it('tries an adapter out', async () => {
    const env = swiftshaderEnv(unpackSwiftshader()!)
    const { code, stdout } = await isar(['doctor', '--json'], { env })
    const { works, checks } = JSON.parse(stdout) as { works: boolean; checks: Check[] }
    expect([code, works]).toEqual([0, true])
    const check = (name: string): Check => checks.find((c) => c.name === name)!
    expect(check('adapter')).toMatchObject({
      verdict: 'warning',
      text: expect.stringMatching(/SwiftShader/) as string,
    })
    expect(check('arithmetic').verdict).toBe('ok')
    expect(check('device').text).toMatch(/--device gpu takes the software adapter/)
  })

  it('says what is wrong with a driver that is named but not there', async () => {
    const { code, stdout } = await isar(['doctor'], { env: { VK_ICD_FILENAMES: '/nowhere/icd.json' } })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /warning driver +VK_ICD_FILENAMES names \/nowhere\/icd\.json, which is not there\n +fix: unset/,
    )
  })

  it('exits with 1 where no run would work', async () => {
    // A preloaded module makes this a machine of 256 MiB.
    const small = 'data:text/javascript,process.constrainedMemory=()=>2**28'
    const { code, stdout } = await isar(['doctor'], { env: { NODE_OPTIONS: `--import=${small}` } })
    expect(code).toBe(1)
    expect(stdout).toMatch(/problem +memory +0\.3 GiB\n +fix: /)
    expect(stdout).toMatch(/\nruns do not work on this machine/)
  })
})
