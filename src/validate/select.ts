import { InputError } from '../../scene/index.js'
import { LEVELS, needsData, type Definition } from './definition.js'

export interface Selection {
  /** Longest cases to run. */
  level: (typeof LEVELS)[number]
  /** Whether the data outside the package is available. */
  data: boolean
  /** Compute the cases by full wave, whatever they say; where none is named, those of its group. */
  method?: 'mom'
}

/** A case by full wave, whose limits are those of the group `full-wave` alone; null for what full wave does not compute. */
function byFullWave(d: Definition): Definition | null {
  if ('solver' in d && d.solver.method === 'mom') return d
  if (d.kind !== 'cut' && d.kind !== 'sphere-bistatic') return null
  if (d.kind === 'cut' && (d.reference.lengthM !== undefined || 'material' in d.mesh)) return null
  const same = { title: `${d.title}, full wave`, limitsAre: undefined, solver: { method: 'mom' as const } }
  return d.kind === 'cut'
    ? { ...d, ...same, limits: undefined }
    : { ...d, ...same, ranges: d.ranges.map(({ to }) => ({ to })) }
}

/**
 * The cases to run, and the requested ones that are skipped. A name is that of a case, whatever its level, or of a group.
 * @throws InputError for a name that is neither, and where nothing is left to run
 */
export function chooseCases(
  all: Definition[],
  names: string[],
  { level, data, method }: Selection,
): { chosen: Definition[]; left: { name: string; why: string }[] } {
  if (method && names.length === 0) names = ['full-wave']
  for (const name of names)
    if (!all.some((d) => d.name === name || d.tags.includes(name)))
      throw new InputError(
        `no validation case or group is called "${name}"; isar validate --list prints the cases, the groups are ${[...new Set(all.flatMap((d) => d.tags))].join(', ')}`,
      )
  const chosen: Definition[] = []
  const left: { name: string; why: string }[] = []
  for (const d of all) {
    const named = names.includes(d.name)
    if (names.length > 0 && !named && !d.tags.some((t) => names.includes(t))) continue
    if (needsData(d) && !data) left.push({ name: d.name, why: 'needs the UT Austin RCS suite, --data DIR' })
    else if (!named && LEVELS.indexOf(d.level) > LEVELS.indexOf(level))
      left.push({ name: d.name, why: d.level === 'full' ? 'only with --full' : 'not with --quick' })
    else {
      const one = method ? byFullWave(d) : d
      if (one) chosen.push(one)
      else left.push({ name: d.name, why: `not for --method ${method}` })
    }
  }
  if (chosen.length === 0)
    throw new InputError(`nothing to run: ${left.map((l) => `${l.name} (${l.why})`).join(', ')}`)
  return { chosen, left }
}
