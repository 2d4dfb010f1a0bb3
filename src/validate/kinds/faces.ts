import { type Band, direction, wavelength } from '../../../scene/index.js'
import { type Material, slab } from '../../../scene/materials/index.js'
import { angles, type DefinitionOf } from '../definition.js'
import { complexError, dbErrors, decibels } from '../errors.js'
import type { Folders } from '../folders.js'
import { definedMesh, targetOf } from '../meshes.js'
import { limitOf, type Outcome } from '../result.js'
import { amplitudesOf, solve, type Machine } from '../solve.js'

type Faces = DefinitionOf<'faces'>

const RAD = Math.PI / 180

/**
 * Upright flat faces of one material against the closed form of physical optics: in backscatter that of a conducting rectangle times the
 * slab's coefficient at the angle of incidence, R_s for V and R_p for H; over phi or over frequency.
 */
export async function runFaces(d: Faces, folders: Folders, machine: Machine): Promise<Outcome> {
  const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
  const material = loaded.target.materials.find(({ name }) => name === d.surface)
  if (!material) throw new Error(`validation case ${d.name}: no facet is of ${d.surface}`)
  const [phi, freq] = [angles(d.phi), angles(d.freqHz)]
  const aspects = phi.map((p) => ({ tx: direction(90, p), rx: direction(90, p) }))
  const band: Band = { f0: freq[0], df: freq.length > 1 ? freq[1] - freq[0] : 0, n: freq.length }
  const solved = await solve(loaded, aspects, band, machine, { ...d.solver, diffraction: 'none' })
  const outcome: Outcome = { rows: [], panels: [], device: solved.device }
  // One of the two is a sweep.
  const fields = phi.length > 1 ? solved.sbr : freq.map((_, i) => solved.sbr[0].subarray(8 * i, 8 * i + 8))
  const x = phi.length > 1 ? phi : freq.map((f) => f / 1e9)
  const points = phi.flatMap((p) => freq.map((f) => [p, f]))
  for (const channel of ['vv', 'hh'] as const) {
    const ours = amplitudesOf(fields, channel)
    const expected = Float64Array.from(points.flatMap(([p, f]) => closedForm(d, material, channel, p, f)))
    const sigma = (a: Float64Array): number[] =>
      points.map((_, i) => decibels(4 * Math.PI * (a[2 * i] ** 2 + a[2 * i + 1] ** 2)))
    const [y, reference] = [sigma(ours), sigma(expected)]
    outcome.rows.push({
      what: channel.toUpperCase(),
      method: 'SBR',
      errors: {
        ...dbErrors(y, reference, { floorDb: d.floorDb }),
        complex: complexError(ours, expected),
      },
      ...limitOf(d.limits[channel]),
    })
    outcome.panels.push({
      title: channel.toUpperCase(),
      xTitle: phi.length > 1 ? 'φ [deg]' : 'frequency [GHz]',
      angular: phi.length > 1,
      series: [
        { name: 'SBR', x, y },
        { name: 'closed form', x, y: reference, style: 'points' },
      ],
    })
  }
  return outcome
}

/** F [m] of the faces that are seen: R_s (V) or -R_p (H) times j c A / lambda, sinc and phase of the face. */
function closedForm(
  d: Faces,
  material: Material,
  channel: 'vv' | 'hh',
  phi: number,
  freqHz: number,
): [number, number] {
  const k = (2 * Math.PI) / wavelength(freqHz)
  const coefficients = new Float64Array(8)
  let [re, im] = [0, 0]
  for (const { normalDeg, distanceM, widthM, heightM } of d.faces) {
    const angle = (phi - normalDeg) * RAD
    let c = Math.cos(angle)
    // A sheet is seen from both sides; a coated face from the front.
    if (c <= 0 && material.kind !== 'sheet') continue
    c = Math.abs(c)
    slab(material, freqHz, Math.min(c, 1), coefficients)
    const [at, sign] = channel === 'vv' ? [0, 1] : [2, -1]
    const across = k * widthM * Math.sin(angle)
    const shape = Math.abs(across) < 1e-9 ? 1 : Math.sin(across) / across
    const size = (sign * c * widthM * heightM * shape) / wavelength(freqHz)
    const phase = 2 * k * distanceM * Math.cos(angle)
    // j R exp(j phase)
    const [rr, ri] = [coefficients[at], coefficients[at + 1]]
    re += size * -(rr * Math.sin(phase) + ri * Math.cos(phase))
    im += size * (rr * Math.cos(phase) - ri * Math.sin(phase))
  }
  return [re, im]
}
