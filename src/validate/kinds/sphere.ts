import { join } from 'node:path'
import { withMaterials } from '../../../formats/index.js'
import { sphere } from '../../../samples/models/canonical.js'
import { C0, direction } from '../../../scene/index.js'
import { angles, type DefinitionOf, readColumns, type Outcome } from '../definition.js'
import { dbErrors, decibels } from '../errors.js'
import { type Folders, targetOf } from '../meshes.js'
import { curveOf, type Machine, sigmaOf, solve } from '../solve.js'

/**
 * Mie series of a perfectly conducting sphere (Bohren and Huffman, 4.4, in the limit of infinite permittivity), as
 * sigma / (pi a^2) at an angle from FORWARD scattering: in the plane of the incident E (|S2|^2) and of H (|S1|^2).
 */
export function miePec(ka: number, fromForwardDeg: number): { e: number; h: number } {
  const x = ka
  const terms = Math.ceil(x + 6 * Math.cbrt(x) + 12)
  const [psi, chi] = riccatiBessel(x, terms)
  const mu = Math.cos((fromForwardDeg * Math.PI) / 180)
  let pi0 = 0
  let pi1 = 1
  const s1 = [0, 0]
  const s2 = [0, 0]
  for (let n = 1; n <= terms; n++) {
    // psi_n' = psi_(n-1) - n psi_n / x, and the same for chi; xi = psi - j chi.
    const psiPrime = psi[n - 1] - (n * psi[n]) / x
    const chiPrime = chi[n - 1] - (n * chi[n]) / x
    const a = overXi(psiPrime, chiPrime)
    const b = overXi(psi[n], chi[n])
    const tau = n * mu * pi1 - (n + 1) * pi0
    const scale = (2 * n + 1) / (n * (n + 1))
    for (let c = 0; c < 2; c++) {
      s1[c] += scale * (a[c] * pi1 + b[c] * tau)
      s2[c] += scale * (a[c] * tau + b[c] * pi1)
    }
    const next = ((2 * n + 1) * mu * pi1 - (n + 1) * pi0) / n
    pi0 = pi1
    pi1 = next
  }
  const power = (s: number[]): number => (4 * (s[0] ** 2 + s[1] ** 2)) / (x * x)
  return { e: power(s2), h: power(s1) }
}

/** p / (p - j q). */
const overXi = (p: number, q: number): [number, number] => {
  const d = p * p + q * q
  return [(p * p) / d, (p * q) / d]
}

/** psi_n(x) = x j_n(x) and chi_n(x) = -x y_n(x), n = 0 ... count. */
function riccatiBessel(x: number, count: number): [Float64Array, Float64Array] {
  const chi = new Float64Array(count + 1)
  chi[0] = Math.cos(x)
  chi[1] = Math.cos(x) / x + Math.sin(x)
  for (let n = 1; n < count; n++) chi[n + 1] = ((2 * n + 1) / x) * chi[n] - chi[n - 1]
  // Downwards from far above (Miller), scaled so that psi_0 = sin x or, near its zeros, psi_1 fits.
  const start = count + 40
  const psi = new Float64Array(start + 2)
  psi[start] = 1e-200
  for (let n = start; n > 0; n--) psi[n - 1] = ((2 * n + 1) / x) * psi[n] - psi[n + 1]
  const one = Math.sin(x) / x - Math.cos(x)
  const scale = Math.abs(Math.sin(x)) > 0.5 ? Math.sin(x) / psi[0] : one / psi[1]
  return [psi.slice(0, count + 1).map((v) => v * scale), chi]
}

/** Bistatic cut in the plane z = 0, the transmitter at phi = 0: V lies across the plane of scattering, H in it. */
export async function runSphereBistatic(
  d: DefinitionOf<'sphere-bistatic'>,
  machine: Machine,
): Promise<Outcome> {
  const phi = Array.from({ length: 181 }, (_, i) => i)
  const tx = direction(90, 0)
  const aspects = phi.map((p) => ({ tx, rx: direction(90, p) }))
  const band = { f0: d.freqHz, df: 0, n: 1 }
  const solved = await solve(targetOf(sphere(d.radius, d.levels), d.name), aspects, band, machine, d.solver)
  const ka = (2 * Math.PI * d.freqHz * d.radius) / C0
  const mie = phi.map((p) => miePec(ka, 180 - p))
  const outcome: Outcome = { rows: [], panels: [], device: solved.device }
  for (const channel of ['vv', 'hh'] as const) {
    const expected = mie.map(({ e, h }) => decibels(Math.PI * d.radius ** 2 * (channel === 'vv' ? h : e)))
    const whole = curveOf(solved.total, channel)
    const curves =
      d.solver.method === 'mom'
        ? [{ name: 'full wave', y: whole }]
        : [
            { name: 'SBR', y: curveOf(solved.sbr, channel) },
            { name: 'SBR, creeping', y: whole },
          ]
    for (const { name, y } of curves)
      for (const range of d.ranges) {
        const limit = name === 'SBR, creeping' ? undefined : range[channel]
        outcome.rows.push({
          what: `${channel.toUpperCase()}, to ${range.to} degrees`,
          method: name,
          errors: dbErrors(y, expected, { only: (i) => phi[i] <= range.to }),
          ...(limit === undefined ? {} : { limit: { metric: 'rms', db: limit } }),
        })
      }
    outcome.panels.push({
      title: `${channel.toUpperCase()}, ${channel === 'vv' ? 'H' : 'E'} plane`,
      xTitle: 'bistatic angle [deg]',
      angular: true,
      series: [
        ...curves
          .toReversed()
          .map((c, i) => ({ ...c, x: phi, style: i ? ('dashed' as const) : ('line' as const) })),
        { name: 'Mie', x: phi, y: expected, style: 'points' },
      ],
    })
  }
  return outcome
}

/** Backscatter of a sphere of radius 1 m against ka, and its mean over bands. */
export async function runSphereBands(d: DefinitionOf<'sphere-bands'>, machine: Machine): Promise<Outcome> {
  const { from, to, step } = d.ka
  const n = Math.round((to - from) / step) + 1
  const ka = Array.from({ length: n }, (_, i) => from + i * step)
  const hz = C0 / (2 * Math.PI)
  const aspect = direction(65, 10)
  const solved = await solve(
    targetOf(sphere(1, d.levels), d.name),
    [{ tx: aspect, rx: aspect }],
    { f0: from * hz, df: step * hz, n },
    machine,
    { diffraction: 'none' },
  )
  const mie = ka.map((x) => Math.PI * miePec(x, 180).e)
  const outcome: Outcome = { rows: [], panels: [], device: solved.device }
  const ours = (channel: 'vv' | 'hh'): number[] => ka.map((_, i) => sigmaOf(solved.sbr[0], channel, i))
  for (const band of d.bands)
    for (const channel of ['vv', 'hh'] as const) {
      const mean = (sigma: number[]): number => {
        const inside = sigma.filter((_, i) => ka[i] >= band.from - 1e-9 && ka[i] <= band.to + 1e-9)
        return decibels(inside.reduce((a, b) => a + b) / inside.length)
      }
      outcome.rows.push({
        what: `${channel.toUpperCase()}, mean over ka ${band.from} to ${band.to}`,
        method: 'SBR',
        errors: dbErrors([mean(ours(channel))], [mean(mie)]),
        ...(band.limit === undefined ? {} : { limit: { metric: 'max', db: band.limit } }),
      })
    }
  const normalised = (sigma: number[]): number[] => sigma.map((s) => decibels(s / Math.PI))
  outcome.panels.push({
    title: 'backscatter',
    yTitle: 'σ / πa² [dB]',
    xTitle: 'ka',
    angular: false,
    series: [
      { name: 'SBR, VV', x: ka, y: normalised(ours('vv')) },
      { name: 'SBR, HH', x: ka, y: normalised(ours('hh')), style: 'dashed' },
      { name: 'Mie', x: ka, y: normalised(mie), style: 'points' },
    ],
  })
  return outcome
}

const BAND = { f0: C0, df: 0, n: 1 }
/** ka of the bistatic tables. */
const BISTATIC_KA = 60

/** Subdivisions of the icosahedron that leave facets less than a thousandth of a wavelength below the sphere: they are .2 a / 4^n deep. */
const levelsOf = (ka: number): number => Math.ceil(Math.log2((200 * ka) / (2 * Math.PI)) / 2)

/**
 * A sphere of a material against the layered Mie series: backscatter over ka, its mean and bistatic cuts. The wavelength is 1 m and the radius
 * ka / 2 pi, since coatings are as thick as a part of the wavelength.
 */
export async function runLayeredSphere(
  d: DefinitionOf<'layered-sphere'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
  const loadedOf = async (ka: number) => {
    const mesh = sphere(ka / (2 * Math.PI), levelsOf(ka))
    return targetOf(await withMaterials(mesh, { materials: d.materials, material: [d.material] }), d.name)
  }
  const settings = { ...d.solver, diffraction: 'none' } as const
  /** sigma [dBsm] over pi a^2. */
  const normal = (db: number, ka: number): number => db - decibels(Math.PI * (ka / (2 * Math.PI)) ** 2)

  const table = readColumns(join(folders.validation, `${d.file}_mono.csv`))
  const [all, sigma] = ['ka', 'sigma_over_pi_a2_db'].map(table.column)
  const ka = angles(d.ka)
  const expected = ka.map((x) => sigma[all.findIndex((y) => Math.abs(x - y) < 1e-6)])
  const r = direction(61, 24)
  const outcome: Outcome = { rows: [], panels: [], device: '' }
  const ours: number[] = []
  for (const x of ka) {
    const solved = await solve(await loadedOf(x), [{ tx: r, rx: r }], BAND, machine, settings)
    outcome.device = solved.device
    ours.push(normal(curveOf(solved.sbr, 'vv')[0], x))
  }
  const mean = (db: number[]): number => decibels(db.reduce((sum, x) => sum + 10 ** (x / 10), 0) / db.length)
  const { limits } = d
  outcome.rows.push(
    {
      what: `mean over ka ${d.ka.from} to ${d.ka.to}`,
      method: 'SBR',
      errors: dbErrors([mean(ours)], [mean(expected)]),
      ...(limits.mean === undefined ? {} : { limit: { metric: 'max', db: limits.mean } }),
    },
    {
      what: `over ka ${d.ka.from} to ${d.ka.to}`,
      method: 'SBR',
      errors: dbErrors(ours, expected),
      ...(limits.rms === undefined ? {} : { limit: { metric: 'rms', db: limits.rms } }),
    },
  )
  const shown = { yTitle: 'σ / πa² [dB]', angular: false }
  const curves = (x: ArrayLike<number>, y: ArrayLike<number>, mie: ArrayLike<number>) => [
    { name: 'SBR', x, y },
    { name: 'Mie', x, y: mie, style: 'points' as const },
  ]
  outcome.panels.push({ title: 'backscatter', xTitle: 'ka', ...shown, series: curves(ka, ours, expected) })

  if (d.bistatic.length === 0) return outcome
  const bistatic = readColumns(join(folders.validation, `${d.file}_bistatic_ka${BISTATIC_KA}.csv`))
  const forward = bistatic.column('theta_from_forward_deg')
  const tx = direction(90, 0)
  const aspects = Array.from(forward, (angle) => ({ tx, rx: direction(90, 180 - angle) }))
  const solved = await solve(await loadedOf(BISTATIC_KA), aspects, BAND, machine, settings)
  // The cut lies in z = 0: H in it, in the plane of E, and V across it.
  for (const [plane, channel] of [
    ['E', 'hh'],
    ['H', 'vv'],
  ] as const) {
    const mie = bistatic.column(`sigma_over_pi_a2_${plane}_db`)
    const y = curveOf(solved.sbr, channel).map((db) => normal(db, BISTATIC_KA))
    for (const { from, to, limit } of d.bistatic)
      outcome.rows.push({
        what: `${plane} plane, ${from}° to ${to}° from forward`,
        method: 'SBR',
        errors: dbErrors(y, mie, { only: (i) => forward[i] >= from && forward[i] <= to }),
        ...(limit === undefined ? {} : { limit: { metric: 'rms', db: limit } }),
      })
    outcome.panels.push({
      title: `${plane} plane, ka ${BISTATIC_KA}`,
      xTitle: 'angle from forward scattering [deg]',
      ...shown,
      series: curves(forward, y, mie),
    })
  }
  return outcome
}
