// Runs the performance measurements and writes docs/tables/performance.md from them: whole commands (wall clock, median and
// spread), the tables of the other benchmarks, and the kernels against the GPU's measured peak.
//   npm run docs -- performance, or node dist/reproduction/performance.js [commands] [benches] [floor] [--repeat 3] [--out docs/tables/performance.md]
// All three by default; the page is written only if all three were run. Needs a GPU; six minutes on one H200.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { millions, thousands } from '../src/compare.js'
import { measureFloor } from './ceilings.js'
import { argumentsOf, median, processor } from './kit.js'

const { values, words } = argumentsOf({ repeat: 3, out: 'docs/tables/performance.md' })
const { repeat } = values
const PARTS = ['commands', 'benches', 'floor'] as const
const wanted = PARTS.filter((part) => words.length === 0 || words.includes(part))

const IMAGE_A = 'render samples/aircraft-a.stl --band 9.25e9:10.75e9 --theta 80 --pol vv'
const IMAGE = 'render samples/aircraft.stl --band 9.25e9:10.75e9'
const IMAGE_B = 'render samples/aircraft-b.stl --band 9.5e9:10.5e9 --theta 70 --pol vv'

/** Whole commands: name, arguments, repeats, goal [s], and the papers' times with the load of an aspect. */
const COMMANDS: {
  what: string
  args: string
  times: number
  aim?: number
  paper?: string
  theirs?: string
}[] = [
  {
    what: 'image of aircraft-a, SBR + TW-ILDC',
    args: IMAGE_A,
    times: repeat,
    aim: 2.5,
    paper: '1371',
    theirs: '30 M, 14,000',
  },
  {
    what: 'image of aircraft-b',
    args: IMAGE_B,
    times: repeat,
    aim: 5,
    paper: '2700',
    theirs: '17 M, 40,000',
  },
  { what: 'preview of aircraft-a', args: `${IMAGE_A} --fast`, times: repeat },
  { what: 'preview of aircraft-b', args: `${IMAGE_B} --fast`, times: repeat },
  { what: 'image of aircraft', args: IMAGE, times: repeat },
  { what: 'the same without a GPU, two threads', args: `${IMAGE} --device cpu --workers 2`, times: 1 },
  ...[IMAGE_A, IMAGE_B, IMAGE].map((args) => ({
    what: 'edges of first order alone',
    args: `${args} --second-order none`,
    times: repeat,
  })),
  { what: '10,000 pulses of a moving drone', args: 'doppler samples/drone-motion.json', times: repeat },
  { what: 'the list of commands', args: '--help', times: repeat, aim: 0.15 },
  {
    what: 'RCS of aircraft-a at 100 GHz, 361 angles',
    args: 'rcs samples/aircraft-a.stl --freq 100e9 --theta 90 --phi 0:180:0.5 --pol vv',
    times: 1,
    aim: 60,
    paper: '6588',
    theirs: 'not stated',
  },
]

/** The other benchmarks, each with its title. */
const BENCHES: [title: string, args: string][] = [
  ['One aspect, and the start of a command', 'sbr.js'],
  ['Frequencies', 'frequencies.js samples/aircraft-a.stl --device gpu --n 1,128 --sweep 40'],
  ['Previews', 'aspect-extrapolation.js samples/aircraft-a.stl --references auto,8 --repeat 5'],
  ['Previews of aircraft-b', 'aspect-extrapolation.js samples/aircraft-b.stl --band 9.5e9:10.5e9 --theta 70 --references auto,18 --repeat 5'],
  ['Tracing alone', 'traversal.js --traversal lists'],
  ['Jet and bomber', 'sagitta.js'],
] // prettier-ignore

/** Options of Node, as in the command's first line. */
const FLAGS = readFileSync('dist/src/cli/main.js', 'utf8').split('\n')[0].split(' ').slice(3)

const node = (args: string[], folder: string): { seconds: number; out: string } => {
  const start = performance.now()
  const run = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const seconds = (performance.now() - start) / 1000
  if (run.status !== 0)
    throw new Error(`${args.join(' ')} ended with ${run.status}: ${run.stderr.slice(-400)}`)
  return { seconds, out: run.stdout }
}

const say = (line: string): boolean => process.stderr.write(line + '\n')
const dist = (path: string): string => resolve('dist', path)

function commandTable(): string {
  const rows = [
    '| what | command | seconds, median | spread | runs | aim | load | paper’s machine | its load |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
  ]
  for (const command of COMMANDS) rows.push(commandRow(command))
  return rows.join('\n')
}

function commandRow({ what, args, times, aim, paper, theirs }: (typeof COMMANDS)[0]): string {
  const folder = mkdtempSync(join(tmpdir(), 'isar-performance-'))
  const seconds: number[] = []
  let load = ''
  const own = args.split(' ').map((arg) => (arg.startsWith('samples/') ? resolve(arg) : arg))
  for (let i = 0; i < times; i++) {
    const out = own[0].startsWith('-') ? [] : ['--out', join(folder, 'x'), '--force', '--quiet']
    seconds.push(node([...FLAGS, dist('src/cli/main.js'), ...own, ...out], folder).seconds)
    if (theirs) load = loadOf(join(folder, 'x/meta.json'))
    rmSync(join(folder, 'x'), { recursive: true, force: true })
  }
  rmSync(folder, { recursive: true })
  const digits = (x: number): string => x.toFixed(x < 10 ? 2 : 1)
  const spread = times > 1 ? `${digits(Math.min(...seconds))} – ${digits(Math.max(...seconds))}` : ''
  const middle = digits(median(seconds))
  say(`${what}: ${middle} s`)
  return `| ${what} | \`isar ${args}\` | ${middle} | ${spread} | ${times} | ${aim ?? ''} | ${load} | ${paper ?? ''} | ${theirs ?? ''} |`
}

/** Ray tubes and edge segments of an aspect, on average. */
function loadOf(meta: string): string {
  const { counts } = JSON.parse(readFileSync(meta, 'utf8')) as { counts: Record<string, number> }
  return `${millions(counts.tubes / counts.aspects)}, ${thousands(counts.edge_segments / counts.aspects)}`
}

function benchSections(): string {
  const all: string[] = []
  for (const [title, args] of BENCHES) {
    say(args)
    const [program, ...given] = args.split(' ')
    const { out } = node([dist(`reproduction/${program}`), ...given], process.cwd())
    all.push(`### ${title}\n\n\`node dist/reproduction/${args}\`\n\n\`\`\`text\n${out.trim()}\n\`\`\`\n`)
  }
  return all.join('\n')
}

const sections: Record<(typeof PARTS)[number], string> = { commands: '', benches: '', floor: '' }
if (wanted.includes('commands')) sections.commands = commandTable()
if (wanted.includes('floor')) sections.floor = await measureFloor()
if (wanted.includes('benches')) sections.benches = benchSections()
if (wanted.length < PARTS.length) console.log(wanted.map((part) => sections[part]).join('\n\n'))
else {
  const page = `# Tables of performance

${processor()}. The GPU is named in the tables.

## Whole commands

Wall clock from the start of the process to its end. Loads: ray tubes and edge segments of an aspect, mean. Sweeps without start and end of the process, also
with the paper's load: [paper 003](../papers/003.md).

${sections.commands}

## Kernels and the GPU's limits

${sections.floor}

## Tables of the benchmarks

${sections.benches}`
  writeFileSync(`${values.out}.tmp`, page)
  renameSync(`${values.out}.tmp`, values.out)
  say(`wrote ${values.out}`)
}
process.exit(0)
