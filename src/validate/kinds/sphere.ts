import { sphere } from '../../../samples/models/canonical.js'
import { C0, direction } from '../../../scene/index.js'
import type { DefinitionOf } from '../definition.js'
import { dbErrors, decibels } from '../errors.js'
import { targetOf } from '../meshes.js'
import { miePec } from '../mie.js'
import type { Outcome } from '../result.js'
import { curveOf, sigmaOf, solve, type Machine } from '../solve.js'

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
