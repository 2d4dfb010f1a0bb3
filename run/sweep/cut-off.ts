import { type Aspect } from '../../scene/index.js'
import { MAX_BOUNCES } from '../../rays/index.js'
import type { AspectReport } from './rows.js'

/**
 * Share of an aspect's power up to which there is no warning. Measured against runs of 20 and 32 bounces (docs/limits.md): .4 and .6 % changed no
 * RCS by more than .2 dB, 1.7 to 4 % changed some by 1 to 4 dB.
 */
const WARN_FROM = 0.01

/**
 * Power cut off by the bounce limit: that of the tubes whose central ray hits the target again after the last reflection
 * followed, over that of all contributing tubes. A tube carries power in proportion to its aperture, and a perfect conductor absorbs
 * none. Where this power leaves the target is unknown; it is not a bound of the error of the RCS.
 */
export class CutOffPower {
  private lit = 0
  private cutOff = 0
  /** Largest share of one aspect, and that aspect. */
  private most = 0
  private at: Aspect | null = null

  add(aspect: Aspect, { lit, cutOff }: Pick<AspectReport, 'lit' | 'cutOff'>): void {
    this.lit += lit
    this.cutOff += cutOff
    if (cutOff <= this.most * lit) return
    this.most = cutOff / lit
    this.at = aspect
  }

  /** Share of the aspects' power all together, 0 to 1. */
  get share(): number {
    return this.lit > 0 ? this.cutOff / this.lit : 0
  }

  /** For `meta.json`. */
  get record(): { mean: number; most: number; theta_deg?: number; phi_deg?: number } {
    const { share: mean, most, at } = this
    return { mean, most, ...(at && { theta_deg: at.tx.thetaDeg, phi_deg: at.tx.phiDeg }) }
  }

  /**
   * One line where some aspect's share is above 1 %. No warning with a limit of one bounce, which means physical optics alone.
   * @param setting  how the limit is set, e.g. `--max-bounces`
   */
  warning(maxBounces: number, setting: string): string | null {
    const { most, at, share } = this
    if (maxBounces === 1 || most <= WARN_FROM || !at) return null
    const { thetaDeg, phiDeg } = at.tx
    const advice =
      maxBounces < MAX_BOUNCES
        ? `raise ${setting} (to ${Math.min(2 * maxBounces, MAX_BOUNCES)}, at most ${MAX_BOUNCES})`
        : `${MAX_BOUNCES} is the most that can be followed, so cavities are not resolved`
    return `${percent(most)} of the power that hits the target at theta ${degrees(thetaDeg)}, phi ${degrees(phiDeg)} (${percent(share)} over all aspects) would hit it again after bounce ${maxBounces}, where rays end; ${advice}`
  }
}

/** To a hundredth: directions drawn at random have all their digits. */
const degrees = (x: number): number => Number(x.toFixed(2))
const percent = (x: number): string => `${Number((100 * x).toPrecision(2))} %`
