import { below, type Next, pick, several } from './chance.js'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Stands where nesting too deep for a value is put into the text. */
const DEEP = '@deep@'

const VALUES: readonly Json[] = [
  null, true, false, 0, -1, 1, 0.5, 2, 3, 255, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1e9, 1e12, 2 ** 53, 1e308,
  -1e308, '', 'x', '__proto__', '1e999', [], [[]], {}, [null], [0, 0, 0], [1e308, 1e308, 1e308], { length: 1e9 }, DEEP,
  '../../../../etc/passwd', '/dev/zero', 'file:///dev/zero', 'http://127.0.0.1:1/x', 'data:;base64,AAAA', 'data:,', '%', '\0',
  '\x1b[2J', 'x'.repeat(5000), 5126, 5125, 5121, 5120, 'VEC3', 'SCALAR', 'MAT4', 4, 5, 6,
] // prettier-ignore

/** A copy: what is put into one document must not grow there and come into the next. */
const anyValue = (next: Next): Json => structuredClone(pick(next, VALUES))

const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  'children',
  'sparse',
  'count',
  '',
]

interface Place {
  parent: Json[] | { [key: string]: Json }
  key: string | number
}

/** One to four changes of a JSON document, written down. */
export function mutateJson(value: Json, next: Next): string {
  const root: Json = structuredClone([value])
  several(next, 4, root, [
    (r) => change(r, next, ({ parent, key }) => put(parent, key, anyValue(next))),
    (r) => change(r, next, ({ parent, key }) => put(parent, key, anyValue(next))),
    (r) => change(r, next, ({ parent, key }) => put(parent, key, near(parent[key as never], next))),
    (r) => change(r, next, ({ parent, key }) => remove(parent, key)),
    (r) => change(r, next, ({ parent }) => put(parent, pick(next, KEYS), anyValue(next))),
    (r) => change(r, next, ({ parent, key }) => put(parent, key, structuredClone(pick(next, valuesOf(r))))),
    (r) => change(r, next, ({ parent, key }) => multiply(parent, key, next)),
  ])
  const text = JSON.stringify(root[0]) ?? ''
  const levels = pick(next, [100, 20_000, 200_000])
  const deep =
    next() < 0.5 ? '['.repeat(levels) + ']'.repeat(levels) : `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`
  // Once: a thousand copies of it are a file of hundreds of megabytes, whose size alone is what they ask for.
  const nested = text.replace(`"${DEEP}"`, () => deep).replaceAll(`"${DEEP}"`, '[]')
  return next() < 0.03 ? nested.slice(0, below(next, nested.length)) : nested
}

function placesOf(root: Json[]): Place[] {
  const places: Place[] = []
  const walk = (parent: Place['parent']): void => {
    for (const key of Array.isArray(parent) ? parent.keys() : Object.keys(parent)) {
      places.push({ parent, key })
      const value = parent[key as never] as Json
      if (value !== null && typeof value === 'object') walk(value)
    }
  }
  walk(root)
  return places
}

const valuesOf = (root: Json[]): Json[] => placesOf(root).map(({ parent, key }) => parent[key as never])

function change(root: Json[], next: Next, act: (place: Place) => void): Json[] {
  const places = placesOf(root)
  if (places.length > 0) act(pick(next, places))
  return root
}

/** Also `__proto__` as a key like any other. */
function put(parent: Place['parent'], key: string | number, value: Json): void {
  if (Array.isArray(parent)) parent[typeof key === 'number' ? key : 0] = value
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true })
}

function remove(parent: Place['parent'], key: string | number): void {
  if (Array.isArray(parent)) parent.splice(key as number, 1)
  else delete parent[key]
}

/** A list becomes longer by copies of what stands at the place. */
function multiply(parent: Place['parent'], key: string | number, next: Next): void {
  if (!Array.isArray(parent)) return
  const copies = Array.from({ length: pick(next, [1, 2, 30, 1000]) }, () =>
    structuredClone(parent[key as number]),
  )
  parent.splice(key as number, 0, ...copies)
}

function near(value: Json, next: Next): Json {
  if (typeof value === 'number')
    return pick(next, [value + 1, value - 1, -value, 2 * value, value + 0.5, 1e6 * value])
  if (typeof value === 'string') return value.slice(0, -1)
  return value
}
