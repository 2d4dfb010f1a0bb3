import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Package {
  dependencies?: Record<string, string>
  scripts?: Record<string, string>
  dev?: boolean
  integrity?: string
  hasInstallScript?: boolean
}

const json = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T
const own = json<Package>('package.json')
const { packages } = json<{ packages: Record<string, Package> }>('package-lock.json')
const installed = Object.entries(packages).filter(([path]) => path !== '')

it('docs/dependencies.md says why each dependency is there, and of no other', () => {
  const rows = readFileSync('docs/dependencies.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) => [...row.split('|')[1].matchAll(/`([^`]+)`/g)].map((m) => m[1]))
  expect(named.sort()).toEqual(Object.keys(own.dependencies!).sort())
})

it('versions are pinned, every package is known by its hash', () => {
  for (const [name, version] of Object.entries(own.dependencies!))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
  expect(
    installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
  ).toEqual([])
})

it('nothing of ours runs at installation, and of others what is known', () => {
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(own.scripts).not.toHaveProperty(name)
  const theirs = installed
    .filter(([, { dev, hasInstallScript }]) => !dev && hasInstallScript)
    .map(([path]) => path)
  expect(theirs.sort()).toEqual(['node_modules/msgpackr-extract', 'node_modules/webgpu'])
})

it('a bill of materials can be made, with every package of the lock file', () => {
  const bill = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { components: { name: string; hashes?: object[] }[] }
  const names = new Set(bill.components.map(({ name }) => name))
  for (const name of Object.keys(own.dependencies!)) expect(names).toContain(name)
  expect(bill.components.every(({ hashes }) => hashes?.length)).toBe(true)
})
