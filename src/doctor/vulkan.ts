import { dirname, join, resolve } from 'node:path'
import { type Check, ok, warning } from './check.js'
import type { Machine } from './machine.js'

const LOADER = 'libvulkan.so.1'
/** Folders that the loader of shared libraries searches besides its list. */
const LIBRARY_FOLDERS = ['/lib', '/usr/lib', '/lib64', '/usr/lib64', '/usr/local/lib']

/** NVIDIA's driver in containers of some clouds: the Vulkan loader does not search there by default. */
const ELSEWHERE = ['/usr/local/nvidia/share/vulkan/icd.d', '/usr/local/nvidia/vulkan/icd.d']

/** Vulkan's loader and drivers, which WebGPU needs on Linux. */
export async function vulkanChecks(machine: Machine, nvidia: boolean, container: boolean): Promise<Check[]> {
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
