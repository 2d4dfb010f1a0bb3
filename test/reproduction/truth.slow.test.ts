import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  bodies,
  body,
  FAMILY_NAMES,
  fingerprint,
  MONOSTATIC,
  PER_FAMILY,
} from '../../reproduction/truth/bodies.js'
import { CONSTANTS, DECLARED_IN, FILES } from '../../reproduction/truth/constants.js'
import { bestFactor } from '../../reproduction/truth/errors.js'
import { parseLine, readTruth, truthLine } from '../../reproduction/truth/truth.js'
import { isMonostatic, prepareTarget } from '../../scene/index.js'

/** Texts of files and of those in folders. */
const textOf = (path: string): string =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .map((file) => textOf(join(path, file)))
        .join('\n')
    : readFileSync(path, 'utf8')

test.each(CONSTANTS)(
  'the table of constants has $name of $of with each value that its part declares, once',
  ({ name, of }) => {
    const declared = [
      ...DECLARED_IN[of]
        .map(textOf)
        .join('\n')
        .matchAll(new RegExp(`^(?:export )?const ${name}(?:: f64)? = (.+)$`, 'gm')),
    ]
    // AssemblyScript's doubles have a point.
    const values = declared.map(([, value]) => value.replace(/^(\d+)\.0\b/, '$1'))
    const rows = CONSTANTS.filter((row) => row.of === of && row.name === name)
    expect(values.toSorted()).toEqual(rows.map(({ value }) => value).toSorted())
  },
)

test.each(Object.entries(FILES))('the files of %s, whose lines the ledger counts, exist', (_, files) => {
  expect(files.filter((file) => !existsSync(file))).toEqual([])
})

test('a body of the truth set is a function of family and number alone', () => {
  const some = [...bodies()].find(({ name }) => name === 'wedge-03')!
  expect(fingerprint(some)).toBe(fingerprint(body('wedge', 3)))
  expect(fingerprint(some)).not.toBe(fingerprint(body('wedge', 4)))
})

test('every stored body is still the one that was solved', () => {
  expect(readTruth().length).toBe(335)
})

test('half of each family is fitted to, half judges, and every body has edges or curvature and two cuts', () => {
  for (const family of FAMILY_NAMES) {
    const all = Array.from({ length: PER_FAMILY }, (_, number) => body(family, number))
    expect(all.filter(({ half }) => half === 'judge').length).toBe(PER_FAMILY / 2)
    for (const { mesh, monostatic, bistatic } of all) {
      expect(prepareTarget(mesh, { smoothAngleDeg: 20 }).area).toBeGreaterThan(0)
      expect(monostatic.every(isMonostatic)).toBe(true)
      expect(new Set(bistatic.map(({ tx }) => tx)).size).toBe(1)
    }
  }
})

test('stored fields come back to four digits of the peak, and not as those of another body', () => {
  const [one, other] = [body('box', 1), body('box', 2)]
  const fields = Float64Array.from({ length: 8 * (MONOSTATIC + one.bistatic.length) }, (_, i) =>
    Math.sin(i * i),
  )
  for (let i = 0; i < 8 * MONOSTATIC; i++) if ((i % 8) >> 1 === 2) fields[i] = Math.sin((i + 2) ** 2)
  const line = truthLine(one, { fields, unknowns: 7, residual: 1e-9, powerError: 1e-3 })
  const back = parseLine(line, one)
  expect(back.unknowns).toBe(7)
  fields.forEach((x, i) => expect(Math.abs(back.fields[i] - x)).toBeLessThan(0.6e-4))
  expect(() => parseLine(line, other)).toThrow('another body')
})

test('the best factor of a mechanism is what its part has to be multiplied by', () => {
  // M = 2, R = 1 + 3j: c = (1 + 3j) / 2.
  const variants = {}
  const parts = { wall: [[4, 2, 6, 10], [0, 0, 0, 1]] as [number[], number[]] } // prettier-ignore
  const all = [{ name: '', family: 'box', variants, parts }] as unknown as Parameters<typeof bestFactor>[0]
  expect(bestFactor(all, 'wall')).toEqual({ re: 0.5, im: 1.5 })
})
