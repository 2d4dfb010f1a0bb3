import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, describe, it } from 'vitest'
import { MEASURED, stamped, stampOf } from '../../reproduction/docs/table.js'
import { derivedTexts } from '../../reproduction/docs/texts.js'
import { needsData, readDefinitions } from '../../src/validate/definition.js'
import { packageFolders } from '../../src/validate/meshes.js'
import type { Report } from '../../src/validate/errors.js'
import { VERSION } from '../../run/version.js'

const pages = MEASURED.filter(({ name, paths }) => paths[0].endsWith('.md') && name !== 'validation')

describe('texts that follow from the code', async () => {
  const texts = Object.entries(await derivedTexts())
  it.each(texts)('%s is that of the code (npm run docs)', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})

describe('measured pages', () => {
  it('are all that docs/tables has', () => {
    const made = [...pages.map(({ paths }) => paths[0]), 'docs/tables/README.md']
    expect(readdirSync('docs/tables').map((file) => `docs/tables/${file}`).sort()).toEqual(made.sort()) // prettier-ignore
    for (const { paths } of MEASURED) for (const path of paths) expect(existsSync(path), path).toBe(true)
  })

  it.each(pages)('$name says which version, commit and machine made it, and is that of the code', (page) => {
    const text = readFileSync(page.paths[0], 'utf8')
    const stamp = stampOf(text)
    expect(stamp).toMatchObject({ name: page.name, version: expect.stringMatching(`^${VERSION} `) as string })
    // A build of changed files has no commit that anyone else can look up.
    expect(stamp!.version).not.toContain('dirty')
    expect((page.names?.() ?? []).filter((name) => !text.includes(name))).toEqual([])
  })

  it('keep one stamp, the last', () => {
    const stamp = { name: 'x', version: '1.0.0 (abc)', date: '2026-01-01', machine: 'a, 2 threads' }
    const once = stamped('# Title\n\nText.\n', stamp)
    expect(once).toBe(
      '# Title\n\nMade by `npm run docs -- x` with isar 1.0.0 (abc), 2026-01-01: a, 2 threads.\n\nText.\n',
    )
    const later = { ...stamp, date: '2026-02-01' }
    expect(stamped(once, later)).toBe(stamped('# Title\n\nText.\n', later))
    expect(stampOf(once)).toEqual(stamp)
  })
})

describe('the report of the validation', () => {
  const { cases } = JSON.parse(readFileSync('docs/validation.json', 'utf8')) as Report
  const definitions = readDefinitions(packageFolders().validation).filter((d) => !needsData(d))

  it('has every case of the package, and no other', () => {
    expect(cases.map((c) => c.name)).toEqual(definitions.map((d) => d.name))
  })

  it('has each as it is defined, by this version', () => {
    for (const c of cases) {
      const { title, basis, level, source, limitsAre } = definitions.find((d) => d.name === c.name)!
      expect(c).toMatchObject({ title, basis, level, source })
      const whose = { guard: ['unchanged', 'changed'], requirement: ['met', 'missed'], none: ['stated'] }
      expect(whose[limitsAre ?? 'none']).toContain(c.verdict)
      expect(c.version.split(' ')[0]).toBe(VERSION)
    }
  })
})
