import { expect, test } from 'vitest'
import { wgsl } from '../../shaders/wgsl.gen.js'
import { sharedGpu, runProbe } from '../helpers/gpu.js'
import { phaseIntegral, randomQuad } from '../helpers/polygons.js'
import { random } from '../helpers/random.js'

const context = await sharedGpu()

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
