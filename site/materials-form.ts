import { element, one } from '../viewer/dom.js'
import type { MaterialsGiven, TargetAnswer } from '../viewer/solver/messages.js'

const rows = (): HTMLInputElement[] => [...one('groups').querySelectorAll('input')]

/** The materials that the form gives to the groups of the target, without a materials file. */
export function materialsChosen(): Omit<MaterialsGiven, 'materials'> {
  const ground = one<HTMLInputElement>('ground').value.trim()
  return {
    material: rows().flatMap(({ value, dataset }) => {
      const name = value.trim()
      if (name === '') return []
      return [dataset.group === undefined ? name : `${dataset.group}=${name}`]
    }),
    ...(ground !== '' && { ground }),
    groundHeight: Number(one<HTMLInputElement>('ground-height').value),
  }
}

/** Rows for the groups of another target: all facets, and each group where there are several. What was typed for groups that remain is kept. */
export function showGroups({ groups, materialNames }: TargetAnswer): void {
  const kept = new Map(rows().map(({ dataset, value }) => [dataset.group, value]))
  const names = [undefined, ...(groups.length > 1 ? groups : [])]
  one('groups').replaceChildren(
    ...names.map((group) => {
      const label = element('label', group === undefined ? 'All facets ' : `${group} `)
      const input = element('input', '', { list: 'material-names', placeholder: 'conductor' })
      if (group !== undefined) input.dataset.group = group
      input.value = kept.get(group) ?? ''
      label.append(input)
      return label
    }),
  )
  one('material-names').replaceChildren(
    ...materialNames.map((name) => element('option', '', { value: name })),
  )
}

/** For another file: its groups are others. */
export const clearGroups = (): void => one('groups').replaceChildren()
