import { BUILT_IN } from '../../scene/materials/index.js'
import { element, one } from '../viewer/dom.js'
import type { MaterialsGiven, TargetAnswer } from '../viewer/solver/messages.js'

const selects = (): HTMLSelectElement[] => [...one('groups').querySelectorAll('select')]
const thicknessOf = (select: HTMLSelectElement): HTMLInputElement =>
  select.closest('.group')!.querySelector('input')!
const ground = (): HTMLSelectElement => one<HTMLSelectElement>('ground')

/** The name of `--material` that a row's list and thickness give: a medium of a thickness is a sheet. */
function nameOf(select: HTMLSelectElement): string {
  const { value, disabled } = thicknessOf(select)
  return !disabled && Number(value) > 0 ? `${select.value}:${value}mm` : select.value
}

/** The materials that the form gives to the groups of the target, without a materials file. */
export function materialsChosen(): Omit<MaterialsGiven, 'materials'> {
  return {
    material: selects().flatMap((select) => {
      const name = nameOf(select)
      const { group } = select.dataset
      if (name === '') return []
      return [group === undefined ? name : `${group}=${name}`]
    }),
    ...(ground().value !== '' && { ground: ground().value }),
    groundHeight: Number(one<HTMLInputElement>('ground-height').value),
  }
}

/** What the rows are made of. */
let shownNames = ''

type Names = Pick<TargetAnswer, 'groups' | 'materialNames' | 'mediumNames'>

/**
 * Rows for the groups of another target: all facets, and each group where there are several. What was chosen for groups that remain is kept.
 * @param hasFile  a materials file says what nothing is chosen for
 */
export function showGroups({ groups, materialNames, mediumNames }: Names, hasFile: boolean): void {
  // A row that someone is at stays where nothing has changed.
  const names = JSON.stringify([groups, materialNames, mediumNames, hasFile])
  if (names === shownNames) return
  shownNames = names
  const kept = new Map(selects().map((select) => [select.dataset.group, nameOf(select)]))
  one('groups').replaceChildren(
    ...[undefined, ...(groups.length > 1 ? groups : [])].map((group) => {
      const unsaid = hasFile ? 'as in the file' : group === undefined ? 'conductor' : 'as all facets'
      const select = element('select')
      if (group !== undefined) select.dataset.group = group
      const conductors = hasFile || group !== undefined ? materialNames : materialNames.slice(1)
      select.append(option('', unsaid), ...conductors.map((name) => option(name)), ...media(mediumNames))
      const label = element('label', group === undefined ? 'All facets ' : `${group} `)
      label.append(select)
      const thickness = element('label', '', { title: 'Thickness of a sheet; solid where empty' })
      const input = element('input', '', { type: 'number', min: '0', step: 'any', placeholder: 'solid' })
      input.setAttribute('aria-label', `Thickness in mm${group === undefined ? '' : ` of ${group}`}`)
      thickness.append(input, ' mm')
      const row = element('span', '', { class: 'group' })
      row.append(label, thickness)
      choose(select, kept.get(group) ?? '')
      select.addEventListener('input', () => {
        input.value = ''
        showThickness(select)
      })
      return row
    }),
  )
  const chosen = ground().value
  ground().replaceChildren(option('', 'none'), ...media(mediumNames))
  setValue(ground(), chosen)
}

const option = (value: string, title = value): HTMLOptionElement => element('option', title, { value })
const media = (names: string[]): HTMLOptionElement[] =>
  names.map((name) => {
    const made = option(name)
    made.dataset.medium = ''
    return made
  })

/** Selects a value, also one that the list has no more: the solver then says that there is no such material. */
function setValue(list: HTMLSelectElement, value: string): void {
  if (![...list.options].some((o) => o.value === value)) list.append(option(value))
  list.value = value
}

/** Chooses a name of `--material` in a row. */
function choose(list: HTMLSelectElement, name: string): void {
  const [, medium = name, mm = ''] = /^(.+):([\d.]+)mm$/.exec(name) ?? []
  setValue(list, medium)
  thicknessOf(list).value = mm
  showThickness(list)
}

/** A thickness is asked for a medium alone. */
function showThickness(list: HTMLSelectElement): void {
  const input = thicknessOf(list)
  const isMedium = list.selectedOptions[0]?.dataset.medium !== undefined
  // A name that the solver has yet to tell the kind of keeps its thickness.
  input.disabled = !isMedium && input.value === ''
  input.parentElement!.hidden = input.disabled
}

/** Chooses materials before the target is open, whose groups are not known yet; a name that there is not must leave others to choose. */
export function chooseMaterials(material: string, groundName: string): void {
  clearGroups()
  const mediumNames = BUILT_IN.map(({ medium }) => medium.name)
  showGroups({ groups: [], materialNames: [], mediumNames }, false)
  choose(selects()[0], material)
  setValue(ground(), groundName)
}

/** For another file: its groups are others. */
export function clearGroups(): void {
  one('groups').replaceChildren()
  shownNames = ''
}
