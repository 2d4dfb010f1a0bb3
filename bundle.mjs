// Bundles the command line and the tasks of threads in dist: loading hundreds of small files takes a
// command 0.15 s and every thread 0.03 s of processor time (decision 010). Run by `npm run build`; the library and tests load the other files.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'

/** Packages of many files, or loaded by every command, that are bundled too; others are loaded from node_modules. */
const PACKAGES = ['commander', 'zod']
const CHUNKS = 'chunks'
const THREADS = 'threads'
/** Stands for the file of a module until the place of its code is known; JSON follows. */
const MODULE = 'import.meta.MODULE_OF_BUNDLE'
const dist = join(import.meta.dirname, 'dist')

for (const folder of [CHUNKS, THREADS]) rmSync(join(dist, folder), { recursive: true, force: true })
mkdirSync(join(dist, THREADS))
const thread = join(dist, 'src/thread.js')
const tasks = []
/** Each entry of the table in src/thread.ts takes its tasks from a module that has nothing else. */
const table = readFileSync(thread, 'utf8').replaceAll(/import\('(.+)'\)\)\.(\w+)/g, (_, module, name) => {
  tasks.push(`${THREADS}/${name}.js`)
  writeFileSync(
    join(dist, tasks.at(-1)),
    `export { ${name} } from './${relative(THREADS, join('src', module))}'\n`,
  )
  return `import('../${tasks.at(-1)}')).${name}`
})
if (tasks.length === 0) throw new Error(`${thread} has no tasks of the form that is looked for`)
writeFileSync(thread, table)
/** Entries of one group share their files: pulses are solved by what the command line loads too. Others load nothing that they do not use. */
const PULSES = `${THREADS}/pulseTasks.js`
const GROUPS = [
  ['src/cli/main.js', PULSES],
  ...tasks.filter((entry) => entry !== PULSES).map((entry) => [entry]),
]
for (const entries of GROUPS) {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.slice(0, -'.js'.length), join(dist, entry)])),
    platform: 'node',
    external: (id) => /^[^./]/.test(id) && !PACKAGES.includes(id.split('/')[0]),
    plugins: [
      {
        name: 'files beside a module',
        transform: (code, id) =>
          code.replaceAll(
            'import.meta.url',
            `new URL(${MODULE}(${JSON.stringify(relative(dist, id))}), import.meta.url).href`,
          ),
        renderChunk: (code, { fileName }) =>
          code.replaceAll(/import\.meta\.MODULE_OF_BUNDLE\("([^"]+)"\)/g, (_, id) =>
            JSON.stringify(`./${relative(dirname(fileName), id)}`),
          ),
      },
    ],
  })
  await bundle.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
    // Comments and blanks alone go: names in stack traces stay.
    minify: { compress: false, mangle: false },
  })
  for (const entry of entries) rmSync(join(dist, `${entry}.map`), { force: true })
}
// The bundle does not contain its packages' licence notices.
const licences = PACKAGES.map(
  (name) =>
    `## ${name}\n\n${readFileSync(join(import.meta.dirname, 'node_modules', name, 'LICENSE'), 'utf8').trim()}\n`,
)
writeFileSync(join(dist, 'licences.md'), `# Licences of bundled packages\n\n${licences.join('\n')}`)

// For `isar --version`; a build outside of a clone has none but that of ISAR_COMMIT. Documents are no part of the program.
const git = (...args) => {
  const { status, stdout } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}
const head = git('rev-parse', '--short', 'HEAD')
const changed = git('status', '--porcelain', '--', '.', ':(exclude)docs', ':(exclude,glob)**/*.md') !== ''
writeFileSync(join(dist, 'commit'), process.env.ISAR_COMMIT ?? (head && `${head}${changed ? '-dirty' : ''}`))
