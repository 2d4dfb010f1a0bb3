// npm run docs -- reliability: the heavy share of test/reliability, and docs/tables/reliability.md made of what it measured. About an hour on two
// cores; --quick takes CI's share and is for trying this script alone. Where the parts were run one at a time, each with
// ISAR_RELIABILITY_ROWS=FILE and the numbers below in its environment, `node test/reliability/report.mjs FILE...` puts their rows together.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FULL = {
  ISAR_FUZZ_FILES: '110000',
  ISAR_FAULT_ROUNDS: '200',
  ISAR_REPEAT_ALL: '1',
  ISAR_LONG_ANGLES: '10000',
  ISAR_LONG_INTERRUPTIONS: '20',
}

const TITLES = {
  fuzz: ['Readers under mutated files', 'Files of every kind that is read, mutated along their structure (`test/reliability/fuzz`): counts and sizes far beyond the file, numbers that are none, names of JavaScript’s own, paths that leave the folder, JSON of 200,000 levels, nodes below themselves. Each must be read or refused in one plain line, within 2 s of processor time and 1 GiB of address space; STEP and IGES, which a package reads in a thread that is ended after 20 s, within 25 s and 2.25 GiB of memory. Of the targets that can be read every fifth is solved.'],
  faults: ['Faults', 'Forced in the built command line (`test/reliability/faults`), a sweep of 30 aspects on the cpu or four on the software GPU. Results are compared byte for byte with an undisturbed run’s.'],
  repeatability: ['Repeatability', 'SHA-256 of the amplitudes of one sweep, run again with every way to split its work.'],
  long: ['Long runs', 'Resident memory and open files of a run, sampled ten times a second; seconds are recorded, not asserted.'],
  interruptions: ['Interruptions', 'One sweep interrupted repeatedly, each time continued with `--resume`.'],
} // prettier-ignore

/** Rows of the tests run now; ends the process where a claim fails. */
function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'isar-reliability-'))
  const rowFile = join(folder, 'rows.jsonl')
  const { status } = spawnSync('npx', ['vitest', 'run', 'test/reliability'], {
    stdio: 'inherit',
    // A number given in the environment goes before: the tables say what was done.
    env: {
      ...(process.argv.includes('--quick') ? {} : FULL),
      ...process.env,
      ISAR_RELIABILITY_ROWS: rowFile,
    },
  })
  const rows = existsSync(rowFile) ? readRows(rowFile) : []
  rmSync(folder, { recursive: true })
  if (status === 0) return rows
  process.stderr.write('a claim failed: docs/tables/reliability.md stays as it was\n')
  process.exit(1)
}

/** A test that fails leaves no row. */
const readRows = (file) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const parts = process.argv.slice(2).filter((arg) => arg !== '--quick')
const rows = parts.length > 0 ? parts.flatMap(readRows) : measure()

function table(name) {
  const own = rows.filter((r) => r.table === name).map((r) => r.row)
  if (own.length === 0) return ''
  const columns = Object.keys(own[0])
  const line = (cells) => `| ${cells.join(' | ')} |`
  const total = name === 'fuzz' ? [['together', ...columns.slice(1, 5).map((c) => own.reduce((n, row) => n + row[c], 0)), ...columns.slice(5).map((c) => Math.max(...own.map((row) => row[c])))]] : [] // prettier-ignore
  const [title, text] = TITLES[name]
  return [
    `## ${title}\n\n${text}\n`,
    line(columns),
    line(columns.map(() => '---')),
    ...own.map((row) => line(columns.map((c) => row[c]))),
    ...total.map(line),
    '',
  ].join('\n')
}

const text = `# Tables of the reliability tests

CI runs a share of the same tests with every change.
\`ISAR_FUZZ_SEED=n\` gives other files, \`ISAR_REPEAT_GPU=hardware\` adds this machine’s GPU. What follows for users: [reliability](../reliability.md).

${Object.keys(TITLES).map(table).filter(Boolean).join('\n')}`
writeFileSync('docs/tables/reliability.md', text)
process.stdout.write('wrote docs/tables/reliability.md\n')
