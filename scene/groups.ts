import { InputError } from './errors.js'
import { didYouMean } from './near-name.js'

/** Whether a group is meant by a name: its own, or that of its object, its group or its material ("object/group/material"). */
export const isGroup = (group: string, name: string): boolean =>
  group === name || group.split('/').includes(name)

/** Groups that a message lists. */
const LISTED = 8

/**
 * Numbers of the groups that a name means (`isGroup`). @param what  begins the message, like `mesh.obj`
 * @throws InputError, naming the groups there are, where it means none
 */
export function groupsNamed(groupNames: readonly string[] | undefined, name: string, what: string): number[] {
  const groups = groupNames ?? []
  const found = groups.flatMap((group, i) => (isGroup(group, name) ? [i] : []))
  if (found.length > 0) return found
  if (groups.length === 0) throw new InputError(`${what} has no groups, and none named "${name}"`)
  const parts = groups.flatMap((group) => [group, ...group.split('/')])
  const more = groups.length > LISTED ? ` and ${groups.length - LISTED} more` : ''
  throw new InputError(
    `${what} has no group "${name}"${didYouMean(name, parts)}; it has ${groups.slice(0, LISTED).join(', ')}${more}`,
  )
}
