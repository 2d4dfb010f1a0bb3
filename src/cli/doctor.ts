import type { Command } from 'commander'
import { VERSION } from '../../run/version.js'
import { baseChecks, type Check, gpuChecks, thisMachine } from '../doctor/checks.js'
import type { Console } from './console.js'

export function doctorCommand(command: Command, out: Console): void {
  command
    .option('--json', 'print the checks as JSON')
    .addHelpText('after', '\nExit code 0 where a run would work, also without a GPU; 1 where none would.')
    .action(async ({ json }: { json?: boolean }) => {
      const machine = thisMachine()
      const checks = [...(await baseChecks(machine)), ...(await gpuChecks(machine))]
      const works = !checks.some(({ verdict }) => verdict === 'problem')
      out.print(
        json ? `${JSON.stringify({ version: VERSION, works, checks })}\n` : formatChecks(checks, works),
      )
      out.exitCode = works ? 0 : 1
    })
}

function formatChecks(checks: Check[], works: boolean): string {
  const warnings = checks.filter(({ verdict }) => verdict === 'warning').length
  return [
    ...checks.flatMap(({ name, verdict, text, fix }) => [
      `${verdict.padEnd(8)}${name.padEnd(11)}${text}`,
      ...(fix ? [`${' '.repeat(19)}fix: ${fix}`] : []),
    ]),
    works
      ? `runs work on this machine${warnings > 0 ? ` (${warnings} warning${warnings > 1 ? 's' : ''})` : ''}`
      : 'runs do not work on this machine: fix the problems first',
    '',
  ].join('\n')
}
