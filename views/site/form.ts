import { resolvingStep } from '../../run/lobes.js'
import { C0, InputError, type Unit } from '../../scene/index.js'
import { BUILT_IN } from '../../scene/materials/index.js'
import { element, one } from '../viewer/dom.js'
import type { MaterialsGiven, RunSweep, SolveOptions, TargetAnswer } from '../viewer/solver/messages.js'

/** Fields of the form that a link holds, by their ids. What computes is the visitor's. */
const FIELDS = ['what', 'method', 'frequency', 'theta', 'phi-from', 'phi-to', 'phi-step', 'phi', 'resolution', 'rays-per-wavelength', 'bounces', 'edges'] // prettier-ignore

const field = (id: string): HTMLInputElement => one<HTMLInputElement>(id)

/** The form as the part of an address behind #, for a sample. */
export function linkTo(sample: string): string {
  const { material, ground, groundHeight } = materialsChosen()
  const used = FIELDS.filter((id) => !field(id).disabled).map((id) => [id, field(id).value])
  if (material.length > 0) used.push(['material', material[0]])
  if (ground) used.push(['ground', ground], ['ground-height', String(groundHeight)])
  return `#${new URLSearchParams([['sample', sample], ...used])}`
}

/** Fills the form from such a part of an address; returns the sample and which fields it has, or null where it names no sample. */
export function fillFrom(hash: string): { sample: string; has: (id: string) => boolean } | null {
  const given = new URLSearchParams(hash.slice(1))
  const sample = given.get('sample')
  if (sample === null || !SAMPLES.includes(sample)) return null
  for (const id of [...FIELDS, 'ground-height']) {
    const text = given.get(id)
    const before = field(id).value
    if (text === null) continue
    field(id).value = text
    // A list takes none but its own, a field for numbers no text.
    if (field(id).value === '') field(id).value = before
  }
  showFields()
  chooseMaterials(given.get('material') ?? '', given.get('ground') ?? '')
  return { sample, has: (id) => given.has(id) }
}

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
function chooseMaterials(material: string, groundName: string): void {
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

/** Samples beside the page (`isar site` copies them), the smallest first. */
export const SAMPLES = ['cube', 'drone', 'vehicle', 'aircraft']

const input = (id: string): HTMLInputElement => one<HTMLInputElement>(id)
const value = (id: string): number => Number(input(id).value)
const chosen = (id: string): string => one<HTMLSelectElement>(id).value

/** Target sizes in wavelengths, and resolution cells across the target, that a run begins with. */
const BY_GPU = { wavelengths: 20, cells: 32, raysPerWavelength: 10 }
const BY_CPU = { wavelengths: 10, cells: 16, raysPerWavelength: 6 }
/** Steps of a whole turn [degrees]. */
const STEPS = [3, 2, 1.5, 1, 0.9, 0.75, 0.6, 0.5, 0.45, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1]
const MOST_ASPECTS = 100_000

export const unitsChosen = (): Unit => chosen('units') as Unit

/** Fills the lists of the form, and shows the fields of what is computed. */
export function prepareForm(): void {
  one('sample').append(...SAMPLES.map((name) => element('option', name, { value: name })))
  for (const id of ['what', 'method']) one(id).addEventListener('input', showFields)
  showFields()
}

export function showFields(): void {
  for (const [of, shown] of [
    ['rcs', chosen('what') === 'rcs'],
    ['image', chosen('what') === 'image'],
    ['sbr', chosen('method') === 'sbr'],
  ] as const)
    for (const label of document.querySelectorAll<HTMLElement>(`.of-${of}`)) {
      label.hidden = !shown
      label.querySelector<HTMLInputElement | HTMLSelectElement>('input, select')!.disabled = !shown
    }
}

/** Values to begin with for a target: small where the CPU computes, and a cut whose step shows the lobes. @param has  fields that stay as they are */
export function suggest({ radiusM, gpu }: TargetAnswer, has: (id: string) => boolean = () => false): void {
  const set = (id: string, x: number): void => {
    if (!has(id)) input(id).value = String(Number(x.toPrecision(2)))
  }
  const { wavelengths, cells, raysPerWavelength } = gpu && !gpu.isSoftware ? BY_GPU : BY_CPU
  set('frequency', (wavelengths * C0) / (2 * radiusM) / 1e9)
  set('resolution', (2 * radiusM) / cells)
  // As wide as the sphere about the target: its lobes are no narrower.
  const lobe = ((C0 / freqChosen() / (4 * radiusM)) * 180) / Math.PI
  const step = resolvingStep({ lobe }, 'curve')
  set('phi-step', STEPS.find((one) => one <= step) ?? step)
  set('rays-per-wavelength', raysPerWavelength)
}

/** @throws InputError for a cut without directions */
export function sweepChosen(): RunSweep {
  const thetaDeg = value('theta')
  const freqHz = freqChosen()
  if (chosen('what') === 'image')
    return {
      what: 'image',
      centreHz: freqHz,
      resolutionM: value('resolution'),
      thetaDeg,
      phiDeg: value('phi'),
    }
  const [from, to, step] = ['phi-from', 'phi-to', 'phi-step'].map(value)
  // A last step that rounding has shortened counts.
  const count = Math.floor((to - from) / step + 1e-9) + 1
  if (!(count >= 1 && count <= MOST_ASPECTS))
    throw new InputError(
      `φ from ${from} to ${to} in steps of ${step} gives no 1 to ${MOST_ASPECTS} directions`,
    )
  return { what: 'rcs', freqHz, thetaDeg, phiDeg: Array.from({ length: count }, (_, i) => from + i * step) }
}

/** The frequency, the middle one of an image [Hz]. */
export const freqChosen = (): number => value('frequency') * 1e9

/** What the tab Live begins with: rays, since it would wait for the factors of each frequency, and the frequency [Hz]. */
export const liveChosen = () => ({
  options: (): SolveOptions => ({ ...optionsChosen(), method: undefined }),
  freqHz: freqChosen(),
})

export function optionsChosen(): SolveOptions {
  const edges = chosen('edges')
  return {
    device: chosen('device') as SolveOptions['device'],
    ...(chosen('method') === 'mom' && { method: 'mom' }),
    raysPerWavelength: value('rays-per-wavelength'),
    maxBounces: value('bounces'),
    edges: edges !== 'none',
    secondOrder: edges === 'second',
  }
}
