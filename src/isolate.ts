import { readdirSync } from 'node:fs'

/** Numbers of this host's NVIDIA GPUs, by their device files. */
export function gpuNumbers(): number[] {
  const files = process.platform === 'linux' ? readdirSync('/dev').filter((f) => /^nvidia\d+$/.test(f)) : []
  return files.map((f) => Number(f.slice(6))).sort((a, b) => a - b)
}

/** Device files of all GPUs but one. */
export const besides = (gpu: number, all: number[]): string[] =>
  all.filter((other) => other !== gpu).map((other) => `/dev/nvidia${other}`)

/**
 * The command in a mount namespace of its own with /dev/null mounted over the other GPUs' device files: neither the
 * Vulkan loader nor the driver has another way to exclude a GPU. Without root a user namespace is used.
 */
export function isolated(hidden: string[], command: string[]): string[] {
  if (hidden.length === 0) return command
  const rights = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const script = `for d in ${hidden.join(' ')}; do mount --bind /dev/null "$d" || exit 2; done; exec "$@"`
  return ['unshare', '--mount', ...rights, 'sh', '-c', script, 'sh', ...command]
}
