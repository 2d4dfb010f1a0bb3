import { expect, test } from 'vitest'
import { GPUECO_STRUCTS } from '../../gpu/gpueco/kernels.js'
import {
  type AnyStruct,
  array,
  rowsFunction,
  rowsText,
  type FieldType,
  snakeCase,
  struct,
  structText,
  uniform,
  wordConstants,
} from '../../gpu/layout.js'
import { PROPAGATION_STRUCTS } from '../../gpu/propagation/kernels.js'
import { sbrStructs } from '../../gpu/sbr/kernels.js'
import { sharedGpu, runProbe } from '../helpers/gpu.js'

const context = await sharedGpu()

/** Alignment and size in bytes as the table of WGSL's section 14.4.1 has them. */
test.each([
  ['f32', 4, 4],
  ['i32', 4, 4],
  ['u32', 4, 4],
  ['vec2f', 8, 8],
  ['vec3f', 16, 12],
  ['vec4f', 16, 16],
  ['vec3u', 16, 12],
  ['vec2i', 8, 8],
  [array('f32', 3), 4, 12],
  [array('vec3f', 2), 16, 32],
  [struct('Pair', { a: ['vec2f', ''], b: ['f32', ''] }), 8, 16],
  [array(struct('Pair', { a: ['vec2f', ''], b: ['f32', ''] }), 2), 8, 32],
] as [FieldType, number, number][])(
  'a field of type %j begins and ends where WGSL says',
  (type, align, size) => {
    const { at, ...whole } = struct('S', { first: ['u32', ''], field: [type, ''], last: ['u32', ''] })
    expect(4 * at.field).toBe(align)
    expect(4 * at.last).toBe(align + size)
    expect(whole.align).toBe(align)
    expect(whole.size).toBe(Math.ceil((align + size + 4) / align) * align)
  },
)

test('a number fills the gap behind a vector of three', () => {
  const { at, words } = struct('S', { a: ['vec3f', ''], b: ['f32', ''], c: ['vec3f', ''] })
  expect([at, words]).toEqual([{ a: 0, b: 3, c: 4 }, 8])
})

test('a uniform block takes arrays and structs only at multiples of 16 bytes', () => {
  const small = struct('Small', { a: ['u32', ''] })
  const even = struct('Even', { a: ['vec3f', ''] })
  expect(() => uniform('U', { a: [array('u32', 4), ''] })).toThrow('U.a: elements of arrays')
  expect(() => uniform('U', { a: [array(array('vec2f', 3), 2), ''] })).toThrow('U.a: elements of arrays')
  expect(() => uniform('U', { a: ['u32', ''], b: [small, ''] })).toThrow('U.b: arrays and structs begin')
  expect(() => uniform('U', { a: [small, ''], b: ['u32', ''] })).toThrow('U.b: what follows a struct')
  expect(() => uniform('U', { a: [struct('In', { b: [array('f32', 4), ''] }), ''] })).toThrow('In.b')
  expect(uniform('U', { a: [array(even, 2), ''], b: [even, ''], c: ['u32', ''] }).size).toBe(64)
})

const INNER = struct('Inner', { direction: ['vec3f', 'unit vector'], index: ['i32', ''] })
const OUTER = struct('Outer', {
  flag: ['u32', '1: set'],
  innerRows: [array(INNER, 2), ''],
  pairs: [array('vec2u', 3), ''],
  size: ['f32', '[m]'],
})
const value = {
  flag: 0xffffffff,
  innerRows: [
    { direction: [0.5, -0.25, 3], index: -7 },
    { direction: [1, 2, 1e-3], index: 2 ** 31 - 1 },
  ],
  pairs: [
    [1, 2],
    [3, 4],
    [5, 0x80000000],
  ],
  size: 0.1,
}
const rounded = {
  ...value,
  size: Math.fround(0.1),
  innerRows: [value.innerRows[0], { direction: [1, 2, Math.fround(1e-3)], index: 2 ** 31 - 1 }],
}

test('what is packed is read again, rounded to single precision, also from the middle of a buffer', () => {
  expect(OUTER.read(OUTER.pack(value))).toEqual(rounded)
  const other = { ...value, flag: 5 }
  const buffer = OUTER.packAll([value, other], 256)
  expect(buffer.byteLength).toBe(512)
  expect(OUTER.read(buffer, 256)).toEqual({ ...rounded, flag: 5 })
  expect(OUTER.packAll([value, other]).byteLength).toBe(2 * OUTER.size)
})

test('the text for WGSL has every struct once, inner ones first, names in snake case', () => {
  expect(structText([OUTER, INNER])).toBe(`struct Inner {
  direction: vec3f, // unit vector
  index: i32,
}
struct Outer {
  flag: u32, // 1: set
  inner_rows: array<Inner, 2>,
  pairs: array<vec2u, 3>,
  size: f32, // [m]
}
`)
  expect(wordConstants(OUTER)).toEqual({ FLAG: 0, INNER_ROWS: 4, PAIRS: 12, SIZE: 18 })
  expect(wordConstants(INNER, 'IN_')).toEqual({ IN_DIRECTION: 0, IN_INDEX: 3, IN_WORDS: 4 })
})

/** WGSL expressions of the numbers in a value, and what they are in a value that numbers them from `next.number` on. */
function numbered(
  type: FieldType,
  path: string,
  next: { number: number },
): { terms: [string, number][]; value: unknown } {
  if (typeof type !== 'string') {
    const inner =
      'element' in type
        ? Array.from({ length: type.length }, (_, i) => [i, `${path}[${i}]`, type.element] as const)
        : Object.entries(type.fields).map(([key, [of]]) => [key, `${path}.${snakeCase(key)}`, of] as const)
    const parts = inner.map(([key, at, of]) => [key, numbered(of, at, next)] as const)
    const values = parts.map(([key, part]) => [key, part.value] as const)
    return {
      // Of long arrays the first two elements and the last: software compiles what reads all of them slowly.
      terms: parts.flatMap(([, part], i) =>
        i < 2 || i > parts.length - 2 || 'fields' in type ? part.terms : [],
      ),
      value: 'element' in type ? values.map(([, v]) => v) : Object.fromEntries(values),
    }
  }
  if (!type.startsWith('vec')) return { terms: [[`f32(${path})`, next.number]], value: next.number++ }
  const axes = [...'xyzw'].slice(0, Number(type[3]))
  const terms = axes.map((a, i): [string, number] => [`f32(${path}.${a})`, next.number + i])
  return { terms, value: axes.map(() => next.number++) }
}

const declared: [string, AnyStruct, boolean][] = Object.entries({
  sbr: sbrStructs(),
  gpueco: GPUECO_STRUCTS,
  propagation: PROPAGATION_STRUCTS,
}).flatMap(([engine, structs]) =>
  structs.map((s): [string, AnyStruct, boolean] => [
    `${engine} ${s.name}`,
    s,
    s.name === 'Job' || s.name === 'Step',
  ]),
)

test.each([['test Outer', OUTER as AnyStruct, false] as const, ...declared])(
  'the device reads every field of %s where the host writes it',
  async (_, layout, isUniform) => {
    const { device } = context
    const next = { number: 1 }
    // Of a record the second of two, which shows its size as well.
    const first = numbered(layout, '', next)
    const second = numbered(layout, isUniform ? 'block' : 'given[1]', next)
    const { terms } = second
    const code = `${structText([layout])}
@group(0) @binding(0) var<uniform> block: ${isUniform ? layout.name : 'vec4f'};
@group(0) @binding(1) var<storage, read> given: array<${layout.name}>;
@group(0) @binding(2) var<storage, read_write> results: array<f32>;
@compute @workgroup_size(64)
fn probe(@builtin(local_invocation_index) lane: u32) {
  if (lane > 0u || arrayLength(&given) == 0u) { return; }
  ${isUniform ? '' : '_ = block;'}
  ${terms.map(([term], i) => `results[${i}] = ${term};`).join('\n  ')}
}`
    const values = [first.value, second.value] as Parameters<typeof layout.packAll>[0]
    const block = isUniform ? layout.pack(values[1]) : new ArrayBuffer(16)
    const input = new Float32Array(layout.packAll(values))
    const results = await runProbe(device, code, block, input, terms.length, 1)
    expect([...results]).toEqual(terms.map(([, number]) => number))
  },
)

test('a struct made of its rows is the struct', async () => {
  const mixed = struct('MixedRow', {
    a: ['vec3f', ''],
    b: ['u32', ''],
    c: ['vec2f', ''],
    d: ['vec2i', ''],
    e: ['f32', ''],
  })
  const code = `${structText([mixed])}${rowsText(mixed)}
@group(0) @binding(0) var<uniform> block: MixedRow;
@group(0) @binding(1) var<storage, read> given: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> results: array<f32>;
@compute @workgroup_size(64)
fn probe(@builtin(local_invocation_index) lane: u32) {
  if (lane > 0u || block.b != 4u) { return; }
  let s = ${rowsFunction(mixed)}(given[0], given[1], given[2]);
  let numbers = array<f32, 9>(s.a.x, s.a.y, s.a.z, f32(s.b), s.c.x, s.c.y, f32(s.d.x), f32(s.d.y), s.e);
  for (var i = 0u; i < 9u; i++) { results[i] = numbers[i]; }
}`
  const bytes = mixed.pack({ a: [1, 2, 3], b: 4, c: [5, 6], d: [-7, 8], e: 9 })
  const results = await runProbe(context.device, code, bytes, new Float32Array(bytes), 9, 1)
  expect([...results]).toEqual([1, 2, 3, 4, 5, 6, -7, 8, 9])
  expect(() => rowsText(OUTER)).toThrow('Outer.innerRows: only numbers and vectors')
})
