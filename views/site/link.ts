import { SAMPLES, showFields } from './form.js'
import { chooseMaterials, materialsChosen } from './materials-form.js'
import { one } from '../viewer/dom.js'

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
