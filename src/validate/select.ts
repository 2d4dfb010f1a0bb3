import { InputError } from '../../scene/index.js'
import { LEVELS, needsData, type Definition } from './definition.js'

export interface Selection {
  /** Longest cases to run. */
  level: (typeof LEVELS)[number]
  /** Whether the data outside the package is available. */
  data: boolean
}

/**
 * The cases to run, and the requested ones that are skipped. A name is that of a case, whatever its level, or of a group.
 * @throws InputError for a name that is neither, and where nothing is left to run
 */
export function chooseCases(
  all: Definition[],
  names: string[],
  { level, data }: Selection,
): { chosen: Definition[]; left: { name: string; why: string }[] } {
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
    else chosen.push(d)
  }
  if (chosen.length === 0)
    throw new InputError(`nothing to run: ${left.map((l) => `${l.name} (${l.why})`).join(', ')}`)
  return { chosen, left }
}
