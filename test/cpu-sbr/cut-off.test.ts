import { describe, expect, it } from 'vitest'
import { CutOffPower } from '../../run/sweep/index.js'
import { dihedral, squareTrihedral } from '../../samples/models/canonical.js'
import { direction, type Mesh } from '../../scene/index.js'
import { pipe } from '../helpers/pipe.js'
import { monostatic, oneFrequency, sbrJob, solve, testScene } from '../helpers/sbr.js'

const DEG = Math.PI / 180

/** Share of the power that the bounce limit cuts off, and the aperture that is lit [m^2]. */
async function cutOff(mesh: Mesh, theta: number, phi: number, maxBounces: number) {
  const job = sbrJob(monostatic(theta, phi), oneFrequency(0.1), { maxBounces })
  const { lit, cutOff } = (await solve(testScene(mesh), job)).statistics as Required<
    Awaited<ReturnType<typeof solve>>['statistics']
  >
  return { share: cutOff / lit, area: lit * 0.01 ** 2 }
}

describe('power that the bounce limit cuts off', () => {
  it.each([0, 10, 25])(
    'of a dihedral after one bounce is 2 sin a / (sin a + cos a), φ = %s°',
    async (phi) => {
      // Faces at 45 degrees to +x: the wave makes the angle a with the nearer one. All that meets it goes on to the other; of what
      // meets the other the part tan a does.
      const a = (45 - phi) * DEG
      const { share, area } = await cutOff(dihedral(1), 90, phi, 1)
      expect(share).toBeCloseTo((2 * Math.sin(a)) / (Math.sin(a) + Math.cos(a)), 2)
      expect(area).toBeCloseTo(Math.sin(a) + Math.cos(a), 2)
    },
  )

  it('is nothing where no ray has another hit: dihedral after 2 bounces, trihedral after 3', async () => {
    expect((await cutOff(dihedral(1), 90, 25, 2)).share).toBe(0)
    expect((await cutOff(squareTrihedral(1), 60, 40, 2)).share).toBeGreaterThan(0.3)
    expect((await cutOff(squareTrihedral(1), 60, 40, 3)).share).toBe(0)
  })

  it('of a pipe is what enters its mouth until the bounces suffice for the way in and out', async () => {
    // In the plane of incidence a ray crosses 2 L tan θ / w = 11.5 times, and meets the end once.
    const entering = (length: number): number => {
      const [mouth, wall] = [0.25 * Math.cos(30 * DEG), 0.5 * length * Math.sin(30 * DEG)]
      return mouth / (mouth + wall)
    }
    for (const maxBounces of [5, 10])
      expect((await cutOff(pipe(0.5, 5), 30, 0, maxBounces)).share).toBeCloseTo(entering(5), 2)
    expect((await cutOff(pipe(0.5, 5), 30, 0, 13)).share).toBeLessThan(2e-3)
  })
})

describe('CutOffPower', () => {
  const aspect = (phi: number) => ({ tx: direction(90, phi), rx: direction(90, phi) })
  const of = (...shares: number[]): CutOffPower => {
    const power = new CutOffPower()
    shares.forEach((share, i) => power.add(aspect(10 * i), { lit: 100, cutOff: 100 * share }))
    return power
  }

  it('names the worst aspect, the mean and what to set', () => {
    const power = of(0.01, 0.12, 0.02)
    expect(power.record).toEqual({ mean: 0.05, most: 0.12, theta_deg: 90, phi_deg: 10 })
    expect(power.warning(5, '--max-bounces')).toBe(
      '12 % of the power that hits the target at theta 90, phi 10 (5 % over all aspects) would hit it again after bounce 5, where rays end; raise --max-bounces (to 10, at most 50)',
    )
    expect(power.warning(50, '--max-bounces')).toContain('50 is the most')
    const drawn = new CutOffPower()
    drawn.add(aspect(59.59289544493145), { lit: 1, cutOff: 0.5 })
    expect(drawn.warning(5, '--max-bounces')).toContain('at theta 90, phi 59.59 (')
  })

  it('does not warn up to 1 %, nor of physical optics alone', () => {
    expect(of(0.01, 0.004).warning(5, '--max-bounces')).toBeNull()
    expect(of(0.5).warning(1, '--max-bounces')).toBeNull()
    expect(of().warning(5, '--max-bounces')).toBeNull()
    expect(of().record).toEqual({ mean: 0, most: 0 })
  })
})
