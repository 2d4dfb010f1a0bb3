import { expect, it } from 'vitest'
import { COMMANDS, createProgram } from '../../src/cli/program.js'

/** Runs the parser in this process: exit code and what it printed. */
async function parse(args: string[]): Promise<{ code: string; text: string }> {
  const program = await createProgram((name) => name === args[0])
  let text = ''
  const write = (part: string): void => void (text += part)
  for (const c of [program, ...program.commands])
    c.configureOutput({ writeOut: write, writeErr: write }).exitOverride()
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    return { code: (error as { code: string }).code, text }
  }
  return { code: '', text }
}

it.each(Object.keys(COMMANDS))('isar %s --help-all shows its help', async (name) => {
  const { code, text } = await parse([name, '--help-all'])
  expect(code).toMatch(/^commander\.help/)
  expect(text).toContain(`Usage: isar ${name}`)
})

it.each([
  ['compare', ['--schedule', '--resume', '--cluster', '--distribute', 'mom']],
  ['doppler', ['--units', '--phase-centre', '--mechanisms', '--cluster', '--distribute', 'Cluster:']],
  ['dataset', ['--units', '--phase-centre', '--mechanisms', '--pol ']],
])('isar %s offers no option that it refuses', async (name, refused) => {
  const { text } = await parse([name, '--help-all'])
  for (const option of refused) expect(text).not.toMatch(new RegExp(`(^|[\\s,])${option}(?![-a-z])`, 'm'))
})
