// Runs the sweeps of docs/timing.md and writes their tables: docs/tables/timing.md.
//   npm run docs -- timing, or node dist/reproduction/timing-tables.js [a] [b] [a-paper] [b-paper] [balanced] [memory] [--parts FILE] [--out docs/tables/timing.md]
// All by default. --parts saves finished sections in FILE and resumes from it; sections that are neither named nor in FILE are
// marked as missing. Needs a GPU; five minutes in all.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const SECTIONS: Record<string, [title: string, args: string]> = {
  a: ['aircraft-a, default densities', '--case a --repeat 3 --workers 14'],
  'a-paper': ["aircraft-a, the paper's load", '--case a --paper-load --repeat 2 --workers 14'],
  b: ['aircraft-b, default densities', '--case b --repeat 2 --workers 14'],
  'b-paper': ["aircraft-b, the paper's load", '--case b --paper-load --repeat 2 --workers 14'],
  balanced: ['aircraft-a, both sides within a factor of two', '--case a --rays 20 --workers 10 --repeat 1'],
  memory: ['Memory over 2,000 aspects', 'samples/aircraft-a.stl --memory --aspects 2000 --workers 15'],
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { parts: { type: 'string' }, out: { type: 'string', default: 'docs/tables/timing.md' } },
})
const unknown = positionals.find((name) => !SECTIONS[name])
if (unknown) throw new Error(`${unknown}: one of ${Object.keys(SECTIONS).join(', ')}`)
const wanted = positionals.length > 0 ? positionals : Object.keys(SECTIONS)

const parts: Record<string, string> =
  values.parts && existsSync(values.parts)
    ? (JSON.parse(readFileSync(values.parts, 'utf8')) as Record<string, string>)
    : {}
for (const name of wanted) {
  if (parts[name] !== undefined) continue
  const args = SECTIONS[name][1].split(' ')
  process.stderr.write(`schedule.js ${args.join(' ')}\n`)
  const run = spawnSync(process.execPath, [resolve('dist/reproduction/schedule.js'), ...args], {
    encoding: 'utf8',
  })
  if (run.status !== 0)
    throw new Error(`schedule.js ${args.join(' ')} ended with ${run.status}: ${run.stderr.slice(-400)}`)
  parts[name] = `${new Date().toISOString().slice(0, 10)}\n${run.stdout.trim()}`
  if (values.parts) writeFileSync(values.parts, JSON.stringify(parts, null, 1))
}

const sections = Object.entries(SECTIONS).map(([name, [title, args]]) => {
  const text = parts[name] ? `\`\`\`text\n${parts[name]}\n\`\`\`` : 'Not measured.'
  return `## ${title}\n\n\`node dist/reproduction/schedule.js ${args}\`\n\n${text}\n`
})
writeFileSync(
  `${values.out}.tmp`,
  `# Tables of the schedules

The schedules and both baselines: [how SBR and edge diffraction share the time](../timing.md).

- Steps are busy times; those of threads are divided by their number. \`SBR alone\` is the sweep without edges, as in the paper's Table 1.
- An aspect takes some 5 ms of GPU time here, 10 s in the paper. Each barrier costs a few milliseconds (a round trip through the event loop), so that
  static and dynamic lose against both alone at the default load.
- \`total / busier side\` is 1 where the busier side never waits; the last column compares with the slower side run alone.

${sections.join('\n')}`,
)
renameSync(`${values.out}.tmp`, values.out)
