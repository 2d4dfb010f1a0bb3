// Bundles the command line and the modules of threads in dist, each in the place of its entry: loading hundreds of small files takes a
// command 0.15 s and every thread 0.03 s of processor time. Run by `npm run build`; the library and tests load the other files.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

const ENTRIES = [
  'src/cli/main.js',
  'src/target-worker.js',
  'cpu-diffraction/worker.js',
  'cpu-sbr/worker.js',
  'dataset/worker.js',
  'src/doppler/worker.js',
  'src/imaging/worker.js',
  'propagation/worker.js',
  'raster/worker.js',
]
/** Packages of many files, or loaded by every command, that are bundled too; others are loaded from node_modules. */
const PACKAGES = ['commander', 'zod']
/** Starts the names of the files that an entry's bundle also has, beside it. */
const CHUNK = 'chunk-'
const dist = join(import.meta.dirname, 'dist')

// Before any entry: some lie in one folder.
for (const dir of new Set(ENTRIES.map((entry) => dirname(join(dist, entry)))))
  for (const old of readdirSync(dir)) if (old.startsWith(CHUNK)) rmSync(join(dir, old))
for (const entry of ENTRIES) {
  const dir = dirname(join(dist, entry))
  const bundle = await rolldown({
    input: join(dist, entry),
    platform: 'node',
    external: (id) => /^[^./]/.test(id) && !PACKAGES.includes(id.split('/')[0]),
    plugins: [
      {
        name: 'files beside a module',
        transform: (code, id) =>
          code.replaceAll(
            'import.meta.url',
            `new URL(${JSON.stringify(`./${relative(dir, id)}`)}, import.meta.url).href`,
          ),
      },
    ],
  })
  await bundle.write({
    dir,
    entryFileNames: basename(entry),
    chunkFileNames: `${CHUNK}[name]-[hash].js`,
  })
  rmSync(join(dist, `${entry}.map`), { force: true })
}
// The bundle does not contain its packages' licence notices.
const licences = PACKAGES.map(
  (name) =>
    `## ${name}\n\n${readFileSync(join(import.meta.dirname, 'node_modules', name, 'LICENSE'), 'utf8').trim()}\n`,
)
writeFileSync(join(dist, 'licences.md'), `# Licences of bundled packages\n\n${licences.join('\n')}`)

// For `isar --version`; a build outside of a clone has none.
const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
  cwd: import.meta.dirname,
  encoding: 'utf8',
})
writeFileSync(join(dist, 'commit'), status === 0 ? stdout : '')
