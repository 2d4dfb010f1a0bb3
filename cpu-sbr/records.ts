/** Numbers in a field of a record. */
const NUMBERS = { f64: 1, vec2: 2, vec3: 3, vec4: 4, 'array<vec3, 4>': 12 } as const

/** Fields by name: type, and what the field means, with its unit. */
type Fields = { readonly [name: string]: readonly [type: keyof typeof NUMBERS, meaning: string] }

/** Position of each field in a record of doubles, by the field's name, and `size`: how many numbers the record has. */
export type Layout<F extends Fields> = { readonly [K in keyof F | 'size']: number }

/** Declares a record: its fields follow each other without gaps. */
export function layout<const F extends Fields>(fields: F): Layout<F> {
  const positions: Record<string, number> = {}
  let size = 0
  for (const [name, [type]] of Object.entries(fields)) {
    positions[name] = size
    size += NUMBERS[type]
  }
  return { ...positions, size } as Layout<F>
}

/** A list of records of one layout that grows. */
export class Records {
  data: Float64Array
  length = 0

  constructor(readonly layout: { readonly size: number }) {
    this.data = new Float64Array(layout.size * 256)
  }

  /** Position of a new record. */
  next(): number {
    const { size } = this.layout
    const at = this.length * size
    if (at + size > this.data.length) {
      const grown = new Float64Array(2 * this.data.length)
      grown.set(this.data)
      this.data = grown
    }
    this.length++
    return at
  }
}

const CONTRIBUTION_FIELDS = {
  pathLength: ['f64', 'L = psi - s.r [m]'],
  hitSum: [
    'vec3',
    'first hit of the tube + this hit: monostatic, dL = -ds . hitSum when s changes by ds, see `Extrapolation` [m]',
  ],
  amplitudes: ['vec4', 'radiated amplitude A of VV HH VH HV'],
} as const

/** What one bounce of a tube adds to the field, whatever its footprint: amplitude exp(-jkL) times a shape. */
export const CONTRIBUTION = layout(CONTRIBUTION_FIELDS)

/** Through a parallelogram: its amplitude is multiplied by the area [m^2]; shape sinc(k w.p / 2) sinc(k w.q / 2). */
export const PARALLELOGRAM = layout({
  ...CONTRIBUTION_FIELDS,
  spans: ['vec2', "half phase spans w.p / 2 and w.q / 2 of the footprint's sides p, q [m]"],
})

/** Through a quadrilateral: amplitude without unit, shape `gordonSum` [m^2]. */
export const QUADRILATERAL = layout({
  ...CONTRIBUTION_FIELDS,
  edges: [
    'array<vec3, 4>',
    'coefficients of Gordon, see `gordonCoefficients`: x / k and phi / k [m], g / |w_t|^2 [m] of docs/theory.md, "Shape function"',
  ],
})
