import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { SCHEDULES } from '../../run/sweep/index.js'
import type { Timeline } from '../../views/figures/timeline.js'
import type { TimingReport } from '../../run/sweep/rows.js'
import { InputError } from '../../scene/index.js'
import { checkFields, type CompareSummary, spread, textTable } from '../../src/compare.js'
import { isar, readCsv, temporaryFolder, type CliResult, readJson } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const DISTURBED = 5
const cube = resolve('samples/cube.stl')
const folder = temporaryFolder()
const sweep = words`${cube} --band 1e9:1.4e9:48 --angles 9 --aperture 8 --theta 70 --phi 20 --device cpu --workers 1 --rays-per-wavelength 6 --second-order none`
const out = join(folder, 'c')

type CompareJson = CompareSummary & { repeat: number; disturbed_aspect: number; options: object; out: string }
type CompareTiming = TimingReport & {
  totals: Record<string, number>
  improvement_percent: Record<string, number>
  improvement_over_alone_percent: Record<string, number>
  alone: { sbr: number; edges?: number; sum: number }
  schedules: Record<string, TimingReport>
}
const json = <T>(path: string): T => readJson<T>(path)
const sum = (a: number[]): number => a.reduce((s, x) => s + x, 0)
const middle = (a: number[]): number => a.toSorted((x, y) => x - y)[Math.floor(a.length / 2)]

describe('isar compare of a cube', () => {
  let run: CliResult
  let report: CompareJson
  let timing: CompareTiming

  beforeAll(async () => {
    run =
      await isar`compare ${sweep} --sub-grid 16 --repeat 2 --disturb ${DISTURBED} --window hann --out ${out}`
    expect(run.stderr).not.toContain('isar:')
    expect(run.code).toBe(0)
    report = json(join(out, 'compare.json'))
    timing = json(join(out, 'timing.json'))
  })

  it('writes its reports and figures, and nothing else', () => {
    const figures = [...SCHEDULES.map((s) => `timeline-${s}`), 'edges'].flatMap((f) => [
      `${f}.png`,
      `${f}.svg`,
    ])
    expect(readdirSync(out).toSorted()).toEqual(
      ['compare.json', 'timelines.json', 'timing.json', ...figures].toSorted(),
    )
    expect(readFileSync(join(out, 'edges.png')).subarray(1, 4).toString()).toBe('PNG')
    const overlapped = readFileSync(join(out, 'timeline-overlapped.svg'), 'utf8')
    expect(overlapped).toContain('>cube, overlapped schedule<')
    // The picture is about the disturbed aspect, 16 + 5 degrees. (Which labels have room depends on measured times.)
    const { dynamic } = json<Record<string, Timeline>>(join(out, 'timelines.json'))
    expect(dynamic.marks!.map((m) => m.label)).toContain('φ 21.00°')
  })

  it('prints tables 1 and 2', () => {
    const [first, second] = ['Table 1', 'Table 2'].map((title) =>
      run.stdout
        .slice(run.stdout.indexOf(title))
        .split('\n\n')[0]
        .split('\n')
        .filter((l) => SCHEDULES.some((s) => l.startsWith(s))),
    )
    expect(first.map((l) => l.split(/\s+/).length)).toEqual([8, 8, 8, 8])
    expect(second.map((l) => l.split(/\s+/)[0])).toEqual([...SCHEDULES])
    expect(second[0]).not.toContain('%')
    expect(second[2]).toContain(`${timing.improvement_percent.dynamic.toFixed(1)} %`)
    expect(second[3]).toContain(`${timing.improvement_over_alone_percent.overlapped.toFixed(1)} %`)
    const alone = run.stdout.split('\n').find((l) => l.startsWith('both alone'))
    expect(alone).toContain(timing.alone.sum.toFixed(3))
  })

  it('gives the improvement over SBR alone and edges alone, both pipelined, beside that over serial', () => {
    const { sbr, edges, sum } = report.alone
    expect(edges!.median).toBeGreaterThan(0)
    expect(sum).toBeCloseTo(sbr.median + edges!.median, 12)
    expect(timing.alone).toEqual({ sbr: sbr.median, edges: edges!.median, sum })
    for (const schedule of SCHEDULES) {
      const { total, improvement_over_alone_percent } = report.schedules[schedule]
      expect(improvement_over_alone_percent).toBeCloseTo(100 * (1 - total.median / sum), 9)
      expect(timing.improvement_over_alone_percent[schedule]).toBe(improvement_over_alone_percent)
    }
  })

  it('states the load of an aspect that its seconds are for', async () => {
    const { tubes, edge_segments } = report.load
    expect(tubes).toBeGreaterThan(500)
    expect(edge_segments).toBeGreaterThan(5)
    expect(run.stdout).toContain(
      `Load of an aspect, mean: ${(tubes / 1e6).toPrecision(3)} M ray tubes, ${Math.round(edge_segments)} edge segments`,
    )
  })

  it('gives totals, their spread and the improvement over serial', () => {
    expect(report.repeat).toBe(2)
    for (const schedule of SCHEDULES) {
      const { total, improvement_percent } = report.schedules[schedule]
      expect(total.all).toHaveLength(2)
      expect(total.median).toBeCloseTo((total.all[0] + total.all[1]) / 2, 12)
      expect([total.min, total.max]).toEqual(total.all.toSorted((a, b) => a - b))
      expect(timing.totals[schedule]).toBe(total.median)
      expect(improvement_percent).toBeCloseTo(
        100 * (1 - total.median / report.schedules.serial.total.median),
        9,
      )
      expect(total.all).toContain(timing.schedules[schedule].total)
    }
    expect(timing.schedule).toBe('overlapped')
    expect(timing.schedules.overlapped.total).toBe(timing.total)
  })

  it('reports every angle of every schedule', () => {
    for (const schedule of SCHEDULES) {
      const { per_angle, steps, gpu_busy, cpu_busy, total } = timing.schedules[schedule]
      expect(per_angle).toHaveLength(9)
      expect(sum(per_angle.map((a) => a.sbr_seconds))).toBeCloseTo(gpu_busy, 9)
      expect(steps.ray_tube_tracing).toBeGreaterThan(0)
      expect(cpu_busy).toBeGreaterThan(0)
      expect(report.schedules[schedule].overlap).toBeCloseTo(total / Math.max(gpu_busy, cpu_busy), 9)
      per_angle.forEach((a, i) => {
        expect(a.schedule).toBe(schedule)
        if (schedule === 'overlapped') return
        expect(a.sub_grid_seconds.length).toBeGreaterThan(4)
        const serial = timing.schedules.serial.per_angle[i]
        expect(sum(a.edges_per_sub_grid)).toBe(sum(serial.edges_per_sub_grid))
      })
    }
  })

  it('shows the disturbance at its aspect alone', () => {
    expect(report.disturbed_aspect).toBe(DISTURBED)
    // Whatever else the machine did meanwhile: the least of some runs, each at another time.
    const seconds = Array.from(
      { length: 9 },
      (_, i) =>
      Math.min(...['serial', 'static', 'dynamic'].map((schedule) => timing.schedules[schedule].per_angle[i].diffraction_seconds)), // prettier-ignore
    )
    expect(seconds[DISTURBED]).toBeGreaterThan(2 * middle(seconds))
  })

  it('measures the event loop and the memory', () => {
    for (const schedule of SCHEDULES) {
      const { event_loop_delay_ms: delay, rss } = report.schedules[schedule]
      expect(delay.max).toBeGreaterThan(0)
      expect(delay.max).toBeGreaterThanOrEqual(delay.p99)
      expect(rss.start).toBeGreaterThan(2 ** 24)
      expect(rss.end).toBeGreaterThan(2 ** 24)
    }
  })

  it('computes the fields of isar render', async () => {
    const folder2 = join(folder, 'r')
    expect((await isar`render ${sweep} --out ${folder2} --quiet`).code).toBe(0)
    const history = readNpz(readFileSync(join(folder2, 'phase-history.npz')))
    const [frequencies, aspects] = history.f_vv.shape
    const hash = createHash('sha256')
    for (let a = 0; a < aspects; a++) {
      const field = new Float64Array(8 * frequencies)
      ;['vv', 'hh', 'vh', 'hv'].forEach((channel, c) => {
        for (let n = 0; n < frequencies; n++)
          for (const part of [0, 1])
            field[8 * n + 2 * c + part] = history[`f_${channel}`].data[2 * (n * aspects + a) + part]
      })
      hash.update(field)
    }
    expect(hash.digest('hex')).toBe(report.fields_sha256)
  })

  it('does not touch existing results', async () => {
    const again = await isar`compare ${sweep} --out ${out}`
    expect(again.code).toBe(2)
    expect(again.stderr).toMatch(/exists; give --force/)
  })
})

describe('isar compare', () => {
  it('prints one summary with --json, the tables on stderr', async () => {
    const args = ['compare', ...sweep, '--angles', '2', '--repeat', '1', '--diffraction', 'none', '--json']
    const run = await isar`${args} --out ${join(folder, 'j')}`
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('Table 2')
    const summary = JSON.parse(run.stdout) as CompareJson
    expect(summary.out).toBe(join(folder, 'j'))
    expect(summary.schedules.dynamic.cpu_busy).toBe(0)
    expect(summary.alone.edges).toBeUndefined()
    expect(summary.alone.sum).toBe(summary.alone.sbr.median)
  })

  it('leaves no files when interrupted', async () => {
    const place = join(folder, 'i')
    const run = await isar(['compare', ...sweep, '--repeat', '50', '--out', place], {
      at: { message: / aspects, .* left/ },
    })
    expect(run.code).toBe(130)
    expect(run.stderr).toContain('a comparison stores no partial results')
    expect(existsSync(join(place, '.partial'))).toBe(false)
    expect(readdirSync(place)).toEqual([])
  })

  it.each<[string, string[], RegExp]>([
    ['a schedule', ['--schedule', 'dynamic'], /--schedule: compare runs all of them/],
    ['to resume', ['--resume'], /--resume: a comparison is measured in one run/],
    ['no repetition', ['--repeat', '0'], /--repeat: must be an integer .*, not 0/],
    ['an aspect beyond the last', ['--disturb', '9'], /--disturb: must be an integer from 0 to 8, not 9/],
  ])('refuses %s', async (_, args, message) => {
    await expectRefusal(['compare', ...sweep, ...args, '--out', join(folder, 'x')], message, folder)
  })
})

describe('the comparison of bytes', () => {
  const run = (variant: 'serial' | 'static' | 'sbr-alone', fieldsHash: string) => ({ variant, fieldsHash })

  it('passes equal fields; SBR alone is another thing', () => {
    expect(() =>
      checkFields([run('serial', 'a'), run('static', 'a'), run('sbr-alone', 'b'), run('sbr-alone', 'b')]),
    ).not.toThrow()
  })

  it('fails where schedules or repetitions differ, and not for the user’s fault', () => {
    const differ = (): void => checkFields([run('serial', 'a'), run('sbr-alone', 'b'), run('static', 'c')])
    expect(differ).toThrow(/serial and static gave different fields/)
    expect(differ).not.toThrow(InputError)
    expect(() => checkFields([run('sbr-alone', 'a'), run('sbr-alone', 'b')])).toThrow(/two runs of sbr-alone/)
  })
})

describe('report helpers', () => {
  it('take the mean of the two middle values for an even count', () => {
    expect(spread([4, 1, 3])).toEqual({ median: 3, min: 1, max: 4, all: [4, 1, 3] })
    expect(spread([4, 1, 3, 2]).median).toBe(2.5)
  })

  it('align columns', () => {
    expect(textTable(['a', 'time'], [['long', '1']])).toBe('a     time\n----  ----\nlong     1\n')
  })
})

it('isar compare --mechanisms compares fields alone: rows end with different numbers of bounces', async () => {
  const args = words`--band 1e9:1.2e9:8 --angles 3 --aperture 3 --device cpu --workers 1 --rays-per-wavelength 5 --repeat 1`
  const run = await isar`compare ${cube} ${args} --mechanisms --quiet --out ${join(folder, 'm')}`
  expect([run.code, run.stderr]).toEqual([0, ''])
})

describe('isar compare of results', () => {
  const place = temporaryFolder()
  const file = (name: string): string => join(place, name)
  const rcs = (name: string, ...more: string[]) =>
    isar`rcs ${resolve('samples/plate.stl')} --freq 1e9 --theta 0:60:2 --second-order none --device cpu --workers 1 --quiet --out ${file(name)} ${more}`

  beforeAll(async () => {
    const made = [await rcs('bare.csv'), await rcs('coated.csv', '--material', 'magnetic-absorber'), await rcs('bare.mat'), await rcs('bare.h5')] // prettier-ignore
    expect(made.map(({ code, stderr }) => [code, stderr])).toEqual(made.map(() => [0, '']))
  })

  it('says how many dB a coated plate lies below a bare one, and where', async () => {
    const run =
      await isar`compare ${file('bare.csv')} ${file('coated.csv')} --json --pol vv --out ${file('c')}`
    expect(run.code).toBe(0)
    expect(run.stderr).toContain('coated.csv less bare.csv: 31 directions x 1 frequency')
    const report = JSON.parse(run.stdout) as { comparisons: { differences: { max: { db: number; at: Record<string, number> }; mean: { db: number } }[] }[] } // prettier-ignore
    const [{ max, mean }] = report.comparisons[0].differences
    const sigma = (name: string) => readCsv(file(name)).map((row) => Number(row.sigma_vv_dbsm))
    const [bare, coated] = [sigma('bare.csv'), sigma('coated.csv')]
    const power = (levels: number[]): number => sum(levels.map((x) => 10 ** (x / 10)))
    expect(mean.db).toBeCloseTo(10 * Math.log10(power(coated) / power(bare)), 3)
    expect(mean.db).toBeLessThan(-5)
    const floor = Math.max(...bare) - 30
    const clipped = bare.map((x, i) => Math.max(coated[i], floor) - Math.max(x, floor))
    expect(max.db).toBeCloseTo(Math.min(...clipped), 3)
    expect(max.at.theta_deg).toBe(2 * clipped.indexOf(Math.min(...clipped)))
    expect(readdirSync(file('c')).toSorted()).toEqual(['compare.json', 'curves-vv.png', 'curves-vv.svg'])
    expect(readFileSync(join(file('c'), 'curves-vv.svg'), 'utf8')).toContain('>coated.csv<')
  })

  it('opens tables of every format, which hold the same', async () => {
    const run =
      await isar`compare ${file('bare.csv')} ${file('bare.mat')} ${file('bare.h5')} --json --out ${file('f')}`
    const { comparisons } = JSON.parse(run.stdout) as { comparisons: { differences: { counted: number; complex: number | null }[] }[] } // prettier-ignore
    expect(comparisons).toHaveLength(2)
    for (const { differences } of comparisons)
      for (const { counted, complex } of differences.slice(0, 2)) {
        expect(counted).toBeGreaterThan(5)
        expect(complex).toBeLessThan(1e-9)
      }
  })

  it.each<[string, () => string[], RegExp]>([
    ['one result', () => [file('bare.csv')], /bare\.csv is a result; give another/],
    ['a mesh beside results', () => [file('bare.csv'), cube], /cube\.stl is a mesh/],
    [
      'options of schedules',
      () => words`${file('bare.csv')} ${file('coated.csv')} --repeat 2`,
      /--repeat: nothing is computed/,
    ],
    ['--floor with a mesh', () => [...sweep, '--floor', '20'], /--floor: schedules are compared in time/],
    ['a file of another kind', () => [file('bare.csv'), resolve('package.json')], /package\.json is no RCS table/], // prettier-ignore
    [
      'results that exist',
      () => [file('bare.csv'), file('coated.csv'), '--out', file('c')],
      /exists; give --force/,
    ],
  ])('refuses %s', async (_, args, message) => {
    await expectRefusal(['compare', ...args()], message, file('.'))
  })
})
