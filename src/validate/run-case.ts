import type { Definition } from './definition.js'
import type { CurveErrors } from './errors.js'
import type { Folders } from './folders.js'
import { runCut } from './kinds/cut.js'
import { runBehindSheet } from './kinds/behind-sheet.js'
import { runEnergy } from './kinds/energy.js'
import { runFaces } from './kinds/faces.js'
import { runImage } from './kinds/image.js'
import { runInvariant } from './kinds/invariant.js'
import { runLayeredSphere } from './kinds/layered-sphere.js'
import { runPeaks } from './kinds/peaks.js'
import { runProfile } from './kinds/profile.js'
import { runCase } from './kinds/run.js'
import { runSphereBands, runSphereBistatic } from './kinds/sphere.js'
import { rowPasses, type Limit, type Outcome } from './result.js'
import type { Machine } from './solve.js'

/**
 * Of limits set from outside, a requirement is `met` or `missed`; of figures of a version or a prototype of isar, kept as a guard, the case is
 * `unchanged` or `changed`; `stated` where nothing is held to a limit.
 */
export type Verdict = 'met' | 'missed' | 'unchanged' | 'changed' | 'stated'

/** Whether a verdict fails the run. */
export const fails = (verdict: Verdict): boolean => verdict === 'missed' || verdict === 'changed'

/** A case's line in validation.json. */
export interface CaseRecord {
  name: string
  title: string
  source: string
  basis: string
  level: string
  verdict: Verdict
  seconds: number
  device: string
  version: string
  date: string
  note?: string
  /** Files in figures/validation, without ending. */
  figures: { name: string }[]
  rows: {
    what: string
    method: string
    errors: CurveErrors
    limit?: Limit
    passed: boolean | null
  }[]
}

/** Computes a case. @throws InputError for reference data that is missing or wrong, or the engine's failure */
export async function runDefinition(d: Definition, folders: Folders, asked: Machine): Promise<Outcome> {
  const onCpu = 'double' in d && d.double
  const machine = onCpu ? { ...asked, device: 'cpu' as const } : asked
  switch (d.kind) {
    case 'cut':
      return runCut(d, folders, machine)
    case 'sphere-bistatic':
      return runSphereBistatic(d, machine)
    case 'sphere-bands':
      return runSphereBands(d, machine)
    case 'peaks':
      return runPeaks(d, folders, machine)
    case 'invariant':
      return runInvariant(d, folders, machine)
    case 'energy':
      return runEnergy(d, folders, machine)
    case 'run':
      return runCase(d, folders, machine)
    case 'image':
      return runImage(d, folders, machine)
    case 'profile':
      return runProfile(d, folders, machine)
    case 'layered-sphere':
      return runLayeredSphere(d, folders, machine)
    case 'faces':
      return runFaces(d, folders, machine)
    case 'behind-sheet':
      return runBehindSheet(d, folders, machine)
  }
}

/** The record of a computed case. */
export function caseRecord(
  d: Definition,
  outcome: Outcome,
  figures: string[],
  seconds: number,
  version: string,
): CaseRecord {
  const rows = outcome.rows.map((row) => ({ ...row, passed: rowPasses(row) }))
  const note = [d.note, outcome.note].filter(Boolean).join(' ')
  return {
    name: d.name,
    title: d.title,
    source: d.source,
    basis: d.basis,
    level: d.level,
    verdict: verdictOf(
      d,
      rows.map((r) => r.passed),
    ),
    seconds,
    device: outcome.device,
    version,
    date: new Date().toISOString().slice(0, 10),
    ...(note ? { note } : {}),
    figures: figures.map((name) => ({ name })),
    rows,
  }
}

function verdictOf({ name, limitsAre }: Definition, passed: (boolean | null)[]): Verdict {
  if (passed.every((p) => p === null)) return 'stated'
  if (!limitsAre) throw new Error(`validation case ${name} has limits; say in limitsAre whose they are`)
  const kept = !passed.includes(false)
  if (limitsAre === 'guard') return kept ? 'unchanged' : 'changed'
  return kept ? 'met' : 'missed'
}
