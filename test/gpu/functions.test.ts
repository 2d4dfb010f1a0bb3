import { expect, test } from 'vitest'
import { twoFloatIsExact } from '../../gpu/self-test.js'
import { splitDouble } from '../../gpu/device.js'
import { wgsl } from '../../shaders/wgsl.gen.js'
import { sharedGpu, runProbe } from '../helpers/gpu.js'
import { random } from '../helpers/random.js'
import { phaseIntegral, randomQuad } from '../helpers/polygons.js'

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

/** The text of one function of a module. */
function functionOf(module: keyof typeof wgsl, name: string): string {
  const found = new RegExp(`^fn ${name}\\([^]*?\\n}`, 'm').exec(wgsl[module])
  if (!found) throw new Error(`${module} has no function ${name}`)
  return found[0]
}

/** Gordon's integral and the phases as the kernels have them, and a `probe` of one's own over vec4f arrays. */
const probeOf = (body: string): string => `
${functionOf('path_cycles', 'fixed_cycles')}
${wgsl.phase}
${wgsl.polygon}
@group(0) @binding(0) var<uniform> unused: vec4u;
@group(0) @binding(1) var<storage, read> given: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> results: array<vec2f>;
@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3u) {
  if (unused.x + id.x >= arrayLength(&results)) { return; }
  ${body}
}`

/** Runs a probe with `floats` numbers in and 2 out per item. */
const evaluate = (body: string, input: Float32Array<ArrayBuffer>, items: number): Promise<Float32Array> =>
  runProbe(context.device, probeOf(body), new ArrayBuffer(16), input, 2 * items, items)

const k = 209.4

/** Random quadrilaterals about as large as 1 / k, with a phase gradient of each span, and Gordon's integral over them. */
async function gordon(
  spans: number[],
  each: number,
  normal: string,
): Promise<{ input: Float32Array; results: Float32Array }> {
  const next = random(31)
  const items = spans.length * each
  const input = new Float32Array(16 * items)
  for (let i = 0; i < items; i++) {
    const { q, w } = randomQuad(next, spans[Math.floor(i / each)])
    for (let v = 0; v < 4; v++)
      input.set(
        q.subarray(3 * v, 3 * v + 3).map((x) => x / k),
        16 * i + 4 * v,
      )
    // w is per unit wavenumber and the quadrilateral as large as 1 / k: |w| h is the span.
    for (let a = 0; a < 3; a++) input[16 * i + 4 * a + 3] = w[a]
    input[16 * i + 15] = k
  }
  const results = await evaluate(
    `
  let at = 4u * id.x;
  let q = array<vec3f, 4>(given[at].xyz, given[at + 1u].xyz, given[at + 2u].xyz, given[at + 3u].xyz);
  let given_w = vec3f(given[at].w, given[at + 1u].w, given[at + 2u].w);
  let k = given[at + 3u].w;
  let twice_area = cross(q[2] - q[0], q[3] - q[1]);
  ${normal}
  let wt = tangential_part(w, p, q[1] - q[0]);
  var sum = vec2f(0.0);
  for (var i = 0u; i < 4u; i++) { sum += gordon_term(gordon_edge(q[i], q[(i + 1u) % 4u], p, wt), k); }
  results[id.x] = vec2f(sum.y, -sum.x) / k;`,
    input,
    items,
  )
  return { input, results }
}

test("the stable form of Gordon's integral in single precision: within 5e-7 of the area at any size", async () => {
  const spans = [1e-8, 1e-6, 1e-4, 1e-2, 0.1, 0.3, 0.6, 1, 2, 4, 6]
  const each = 200
  const items = spans.length * each
  const { input, results } = await gordon(
    spans,
    each,
    `let p = twice_area / max(length(twice_area), 1e-30);
  let w = given_w;`,
  )
  const worst = spans.map(() => 0)
  for (let i = 0; i < items; i++) {
    const q = Float64Array.from({ length: 12 }, (_, n) => input[16 * i + 4 * Math.floor(n / 3) + (n % 3)])
    const w = [3, 7, 11].map((a) => k * input[16 * i + a])
    const [re, im] = phaseIntegral(q, w)
    const [area] = phaseIntegral(q, [0, 0, 0])
    const s = Math.floor(i / each)
    worst[s] = Math.max(worst[s], Math.hypot(results[2 * i] - re, results[2 * i + 1] - im) / area)
  }
  worst.forEach((e) => expect(e).toBeLessThan(5e-7))
})

// As on an H200, whose normalized vectors are off by more than rounding.
test.each([1 + 1e-6, 1 - 1e-6])('a gradient along a normal of length %d gives the area', async (length) => {
  const each = 100
  const { input, results } = await gordon(
    [0],
    each,
    `let unit = twice_area / max(length(twice_area), 1e-30);
  let p = ${length} * unit;
  let w = 2.0 * unit;`,
  )
  for (let i = 0; i < each; i++) {
    const q = Float64Array.from({ length: 12 }, (_, n) => input[16 * i + 4 * Math.floor(n / 3) + (n % 3)])
    const [area] = phaseIntegral(q, [0, 0, 0])
    expect(Math.hypot(results[2 * i] / area - 1, results[2 * i + 1] / area)).toBeLessThan(1e-5)
  }
})

test('cosine and sine of a fixed-point number of cycles, and of radians', async () => {
  const items = 16384
  const next = random(32)
  const cycles = Uint32Array.from({ length: 4 * items }, (_, i) =>
    i < 4096 ? (i << 20) >>> 0 : next() * 2 ** 32,
  )
  const exact = await evaluate(
    'results[id.x] = cos_sin_cycles(bitcast<u32>(given[id.x].x));',
    new Float32Array(cycles.buffer),
    items,
  )
  let worst = 0
  let bias = [0, 0]
  for (let i = 0; i < items; i++) {
    const angle = (2 * Math.PI * cycles[4 * i]) / 2 ** 32
    const error = [exact[2 * i] - Math.cos(angle), exact[2 * i + 1] - Math.sin(angle)]
    worst = Math.max(worst, Math.hypot(...error))
    // Along the phasor's own direction of turning: a bias there would turn every phase the same way.
    bias = [
      bias[0] + error[1] * Math.cos(angle) - error[0] * Math.sin(angle),
      bias[1] + error[0] * Math.cos(angle) + error[1] * Math.sin(angle),
    ]
  }
  expect(worst).toBeLessThan(2e-7)
  expect(Math.abs(bias[0] / items)).toBeLessThan(2e-9)
  expect(Math.abs(bias[1] / items)).toBeLessThan(1e-8)

  const radians = Float32Array.from({ length: 4 * items }, () => (next() - 0.5) * 2 ** (8 - 30 * next()))
  const found = await evaluate('results[id.x] = cos_sin(given[id.x].x);', radians, items)
  for (let i = 0; i < items; i++) {
    const x = radians[4 * i]
    expect(Math.hypot(found[2 * i] - Math.cos(x), found[2 * i + 1] - Math.sin(x))).toBeLessThan(
      2e-7 * Math.max(1, Math.abs(x)),
    )
    // As exact near zero as x itself.
    if (Math.abs(x) < 1e-3) expect(Math.abs(found[2 * i + 1] - Math.sin(x))).toBeLessThan(3e-7 * Math.abs(x))
  }
})

test('a two-float number of cycles keeps its fraction', async () => {
  const items = 8192
  const next = random(33)
  const input = new Float32Array(4 * items)
  for (let i = 0; i < items; i++) {
    const x = (next() - 0.5) * 2e5
    input[4 * i] = x
    input[4 * i + 1] = (next() - 0.5) * Math.abs(x) * 2 ** -24
  }
  const results = await evaluate(
    'results[id.x] = vec2f(bitcast<f32>(fixed_cycles(given[id.x].xy)), 0.0);',
    input,
    items,
  )
  const fixed = new Uint32Array(results.buffer)
  for (let i = 0; i < items; i++) {
    const exact = input[4 * i] + input[4 * i + 1]
    const difference = fixed[2 * i] / 2 ** 32 - exact
    expect(Math.abs(difference - Math.round(difference))).toBeLessThan(2 ** -31)
  }
})
