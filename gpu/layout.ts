/** A type of 32-bit numbers, a vector of them, an array of fixed length or a struct. */
type Scalar = 'f32' | 'i32' | 'u32'
type Vector = `vec${2 | 3 | 4}${'f' | 'i' | 'u'}`
export interface FixedArray<E extends FieldType = FieldType> {
  readonly element: E
  readonly length: number
}
export type FieldType = Scalar | Vector | FixedArray | AnyStruct

/** Fields by name: type, and what the field means, with its unit. */
export type Fields = { readonly [name: string]: readonly [type: FieldType, meaning: string] }

type Value<T> = T extends Scalar
  ? number
  : T extends Vector
    ? ArrayLike<number>
    : T extends FixedArray<infer E>
      ? ArrayLike<Value<E>>
      : T extends Struct<infer F>
        ? Values<F>
        : never
export type Values<F extends Fields> = { readonly [K in keyof F]: Value<F[K][0]> }

/** The same bytes as numbers of each kind. */
type Views = Record<'f' | 'i' | 'u', Float32Array | Int32Array | Uint32Array>

/**
 * A uniform block or a storage record, declared once: its text for WGSL, and where and how the host writes and reads it. Names
 * are in camel case here and in snake case in WGSL. Offsets follow from WGSL's rules of alignment (section 14.4.1).
 */
export interface Struct<F extends Fields> {
  readonly name: string
  readonly fields: F
  /** Bytes, and multiples of what they begin at. */
  readonly size: number
  readonly align: number
  /** Words of 4 bytes: of the whole, and where each field begins. */
  readonly words: number
  readonly at: { readonly [K in keyof F]: number }
  pack(values: Values<F>): ArrayBuffer
  /** One after the other, `stride` bytes apart. */
  packAll(values: readonly Values<F>[], stride?: number): ArrayBuffer
  /** Reads what lies at so many bytes of a buffer. */
  read(buffer: ArrayBuffer, offset?: number): Values<F>
}

/** Some struct. */
export type AnyStruct = Struct<Fields>

/** Bytes between blocks of one buffer that are bound with a dynamic offset: a multiple of what every device takes. */
export const DYNAMIC_STRIDE = 256

/** `length` elements one after the other. */
export const array = <const E extends FieldType>(element: E, length: number): FixedArray<E> => ({
  element,
  length,
})

/** Declares a record of a storage buffer. */
export function struct<const F extends Fields>(name: string, fields: F): Struct<F> {
  const at: Record<string, number> = {}
  let end = 0
  let align = 4
  for (const [key, [type]] of Object.entries(fields)) {
    const own = extent(type)
    const begin = roundUp(end, own.align)
    at[key] = begin / 4
    end = begin + own.size
    align = Math.max(align, own.align)
  }
  const size = roundUp(end, align)
  const declared: Struct<F> = {
    name,
    fields,
    size,
    align,
    words: size / 4,
    at: at as Struct<F>['at'],
    pack: (values) => declared.packAll([values]),
    packAll(values, stride = size) {
      const buffer = new ArrayBuffer(stride * values.length)
      const views = viewsOf(buffer)
      values.forEach((one, i) => writeValue(declared as AnyStruct, views, (stride / 4) * i, one))
      return buffer
    },
    read: (buffer, offset = 0) =>
      readValue(declared as AnyStruct, viewsOf(buffer), offset / 4) as unknown as Values<F>,
  }
  return declared
}

/**
 * Declares a uniform block. Throws TypeError where the uniform address space forbids the layout: elements of arrays and what
 * follows a struct must begin at multiples of 16 bytes.
 */
export function uniform<const F extends Fields>(name: string, fields: F): Struct<F> {
  const block = struct(name, fields)
  checkUniform(block as AnyStruct)
  return block
}

/** WGSL declarations of the structs, and of those that they hold, each once. */
export function structText(structs: readonly AnyStruct[]): string {
  const found = new Map<string, string>()
  const visit = (type: FieldType): void => {
    if (typeof type === 'string') return
    if ('element' in type) return visit(type.element)
    if (found.has(type.name)) return
    for (const [inner] of Object.values(type.fields)) visit(inner)
    const lines = Object.entries(type.fields).map(
      ([key, [inner, meaning]]) => `  ${snakeCase(key)}: ${typeText(inner)},${meaning && ` // ${meaning}`}\n`,
    )
    found.set(type.name, `struct ${type.name} {\n${lines.join('')}}\n`)
  }
  for (const one of structs) visit(one)
  return [...found.values()].join('')
}

/** Name of the function that `rowsText` declares. */
export const rowsFunction = ({ name }: AnyStruct): string => `${snakeCase(name).slice(1)}_of_rows`

/**
 * WGSL of a function that makes a struct of its rows of four words: for records that stand in an array of vec4f beside others, or are
 * loaded row by row for speed.
 */
export function rowsText(of: AnyStruct): string {
  const rows = Array.from({ length: Math.ceil(of.words / 4) }, (_, i) => `row${i}`)
  const values = Object.entries(of.fields).map(([key, [type]]) => {
    if (typeof type !== 'string')
      throw new TypeError(`${of.name}.${key}: only numbers and vectors stand in rows`)
    const { count, kind } = components(type)
    const lane = of.at[key] % 4
    const value = `row${Math.floor(of.at[key] / 4)}.${'xyzw'.slice(lane, lane + count)}`
    return kind === 'f' ? value : `bitcast<${type}>(${value})`
  })
  const given = rows.map((row) => `${row}: vec4f`).join(', ')
  return `fn ${rowsFunction(of)}(${given}) -> ${of.name} {\n  return ${of.name}(${values.join(', ')});\n}\n`
}

/**
 * Constants for WGSL where records stand in a buffer of words: where the fields begin, by their names in capitals, and under a prefix
 * the words of the whole (`PREFIX_FIELD`, `PREFIX_WORDS`).
 */
export function wordConstants(of: AnyStruct, prefix = ''): Record<string, number> {
  const positions = Object.entries(of.at).map(([key, word]) => [prefix + snakeCase(key).toUpperCase(), word])
  return Object.fromEntries(prefix ? [...positions, [`${prefix}WORDS`, of.words]] : positions)
}

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)

const roundUp = (x: number, multiple: number): number => Math.ceil(x / multiple) * multiple

/** Components of numbers and vectors, and the view that they are written through. */
const COMPONENTS = new Map<string, { count: number; kind: keyof Views }>(
  (['f', 'i', 'u'] as const).flatMap((kind) => [
    [`${kind}32`, { count: 1, kind }] as const,
    ...[2, 3, 4].map((count) => [`vec${count}${kind}`, { count, kind }] as const),
  ]),
)
const components = (type: Scalar | Vector): { count: number; kind: keyof Views } => COMPONENTS.get(type)!

function extent(type: FieldType): { size: number; align: number } {
  if (typeof type === 'string') {
    const { count } = components(type)
    return { size: 4 * count, align: count === 3 ? 16 : 4 * count }
  }
  if (!('element' in type)) return type
  const { align } = extent(type.element)
  return { size: type.length * elementStride(type), align }
}

function elementStride({ element }: FixedArray): number {
  const { size, align } = extent(element)
  return roundUp(size, align)
}

function typeText(type: FieldType): string {
  if (typeof type === 'string') return type
  return 'element' in type ? `array<${typeText(type.element)}, ${type.length}>` : type.name
}

const viewsOf = (buffer: ArrayBuffer): Views => ({
  f: new Float32Array(buffer),
  i: new Int32Array(buffer),
  u: new Uint32Array(buffer),
})

function writeValue(type: FieldType, views: Views, word: number, value: Value<FieldType>): void {
  if (typeof type === 'string') {
    const { count, kind } = components(type)
    if (typeof value === 'number') views[kind][word] = value
    else for (let c = 0; c < count; c++) views[kind][word + c] = (value as ArrayLike<number>)[c]
  } else if ('element' in type) {
    const step = elementStride(type) / 4
    for (let i = 0; i < type.length; i++)
      writeValue(type.element, views, word + step * i, (value as ArrayLike<Value<FieldType>>)[i])
  } else {
    for (const key in type.fields)
      writeValue(type.fields[key][0], views, word + type.at[key], (value as Values<Fields>)[key])
  }
}

function readValue(type: FieldType, views: Views, word: number): Value<FieldType> {
  if (typeof type === 'string') {
    const { count, kind } = components(type)
    return type.startsWith('vec') ? Array.from(views[kind].subarray(word, word + count)) : views[kind][word]
  }
  if (!('element' in type))
    return Object.fromEntries(
      Object.entries(type.fields).map(([key, [inner]]) => [
        key,
        readValue(inner, views, word + type.at[key]),
      ]),
    ) as unknown as Value<FieldType>
  const step = elementStride(type) / 4
  return Array.from({ length: type.length }, (_, i) =>
    readValue(type.element, views, word + step * i),
  ) as Value<FieldType>
}

function checkUniform(block: AnyStruct): void {
  let free = 0
  for (const [key, [type]] of Object.entries(block.fields)) {
    const begin = 4 * block.at[key]
    const demand = (holds: boolean, what: string): void => {
      if (!holds)
        throw new TypeError(`${block.name}.${key}: ${what} at multiples of 16 bytes of a uniform block`)
    }
    demand(begin >= free, 'what follows a struct begins')
    if (typeof type === 'string') continue
    demand(begin % 16 === 0, 'arrays and structs begin')
    let inner: FieldType = type
    while (typeof inner !== 'string' && 'element' in inner) {
      demand(elementStride(inner) % 16 === 0, 'elements of arrays begin')
      inner = inner.element
    }
    if (typeof inner === 'string') continue
    checkUniform(inner)
    if (type === inner) free = begin + roundUp(inner.size, 16)
  }
}
