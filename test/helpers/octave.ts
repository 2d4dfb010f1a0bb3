import { execFileSync, spawnSync } from 'node:child_process'
import { leftOut } from './left-out.js'

/** Octave's command line, of $ISAR_OCTAVE or of the path; null, said on a line of its own, where there is none. */
export function octave(): string | null {
  const command = process.env.ISAR_OCTAVE ?? 'octave-cli'
  if (spawnSync(command, ['--version']).status === 0) return command
  leftOut('no octave-cli here (apt-get install --no-install-recommends octave)')
  return null
}

/** Runs a program and returns what it prints. */
export const runOctave = (command: string, program: string, cwd: string): string =>
  execFileSync(command, ['--no-init-file', '--quiet', '--eval', program], {
    encoding: 'utf8',
    cwd,
    // It complains on stderr of its own exit.
    stdio: ['ignore', 'pipe', 'pipe'],
  })
