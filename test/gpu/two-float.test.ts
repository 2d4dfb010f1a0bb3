import { expect, test } from 'vitest'
import { twoFloatIsExact } from '../../gpu/self-test.js'
import { splitDouble } from '../../gpu/device.js'
import { wgsl } from '../../shaders/wgsl.gen.js'
import { sharedGpu, runProbe } from '../helpers/gpu.js'
import { random } from '../helpers/random.js'

const context = await sharedGpu()

const BITS = 400n
const words = new DataView(new ArrayBuffer(8))

/** A finite double as an integer times 2^-400, exactly. */
function exact(x: number): bigint {
  if (x === 0) return 0n
  words.setFloat64(0, x)
  const bits = words.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const mantissa = (bits & 0xfffffffffffffn) | 0x10000000000000n
  const shift = exponent - 1075n + BITS
  const size = shift >= 0n ? mantissa << shift : mantissa >> -shift
  return bits >> 63n ? -size : size
}

/** Ratio of two of those integers as a double. */
const ratio = (a: bigint, b: bigint): number => Number((a << 100n) / b) / 2 ** 100

const next = random(21)
const float = (orders: number): number =>
  Math.fround((next() - 0.5) * 2 ** Math.floor(orders * (next() - 0.5)))
const twoFloat = (orders: number): [number, number] =>
  splitDouble((next() - 0.5) * 2 ** Math.floor(orders * (next() - 0.5)))

const COUNT = 8192

/** For pairs of two-float numbers x, y the results of all operations, 5 x (high, low) each. */
async function operate(pairs: Float32Array<ArrayBuffer>): Promise<Float32Array> {
  const code = `
struct TestJob { zero: u32 }
@group(0) @binding(0) var<uniform> job: TestJob;
@group(0) @binding(1) var<storage, read> pairs: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> results: array<vec2f>;
@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3u) {
  let p = pairs[id.x];
  let at = 5u * id.x;
  results[at] = two_sum(p.x, p.z);
  results[at + 1u] = two_prod(p.x, p.z);
  results[at + 2u] = tf_add(p.xy, p.zw);
  results[at + 3u] = tf_mul(p.xy, p.zw);
  results[at + 4u] = tf_div(p.xy, p.zw);
}
${wgsl.two_float}`
  return runProbe(context.device, code, new ArrayBuffer(16), pairs, 10 * COUNT, COUNT)
}

test('sums and products of two floats come back with their error, exactly', async () => {
  const pairs = Float32Array.from({ length: 4 * COUNT }, (_, i) => (i % 2 === 0 ? float(60) : 0))
  // Cancelling pairs, too.
  for (let i = 0; i < COUNT; i += 8) pairs[4 * i + 2] = -pairs[4 * i] * (1 + 2 ** -20 * (i % 5))
  const results = await operate(pairs)
  let wrong = 0
  for (let i = 0; i < COUNT; i++) {
    const [a, b] = [exact(pairs[4 * i]), exact(pairs[4 * i + 2])]
    const value = (r: number): bigint => exact(results[10 * i + 2 * r]) + exact(results[10 * i + 2 * r + 1])
    if (value(0) !== a + b) wrong++
    if (value(1) !== (a * b) >> BITS) wrong++
    // The high part is the rounded result.
    if (results[10 * i] !== Math.fround(pairs[4 * i] + pairs[4 * i + 2])) wrong++
  }
  expect(wrong).toBe(0)
})

test('two-float sum, product and quotient keep 44 bits', async () => {
  const pairs = new Float32Array(4 * COUNT)
  for (let i = 0; i < COUNT; i++) pairs.set([...twoFloat(30), ...twoFloat(30)], 4 * i)
  const results = await operate(pairs)
  const worst = [0, 0, 0]
  for (let i = 0; i < COUNT; i++) {
    const x = exact(pairs[4 * i]) + exact(pairs[4 * i + 1])
    const y = exact(pairs[4 * i + 2]) + exact(pairs[4 * i + 3])
    const value = (r: number): bigint => exact(results[10 * i + 2 * r]) + exact(results[10 * i + 2 * r + 1])
    const size = (v: bigint): bigint => (v < 0n ? -v : v)
    const errors = [
      ratio(value(2) - (x + y), size(x) + size(y)),
      ratio(value(3) - ((x * y) >> BITS), size((x * y) >> BITS)),
      ratio(value(4) - (x << BITS) / y, size((x << BITS) / y)),
    ]
    errors.forEach((e, c) => (worst[c] = Math.max(worst[c], Math.abs(e))))
  }
  worst.forEach((e) => expect(e).toBeLessThan(2 ** -44))
})

test('the self-test of the device agrees', async () => {
  expect(await twoFloatIsExact(context.device)).toBe(true)
})

test('a double splits into two floats that carry 48 bits of it', () => {
  for (let i = 0; i < 1000; i++) {
    const x = (next() - 0.5) * 2 ** Math.floor(40 * (next() - 0.5))
    const [high, low] = splitDouble(x)
    expect(high).toBe(Math.fround(x))
    expect(low).toBe(Math.fround(low))
    expect(Math.abs(high + low - x)).toBeLessThanOrEqual(2 ** -48 * Math.abs(x))
  }
})
