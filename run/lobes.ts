import { type Aspect, type Band, C0, highestFrequency, type Vec3, wavelength } from '../scene/index.js'

/** An axis that a sweep runs over, the width of the narrowest lobe along it, and its step. */
interface LobeAxis {
  name: 'theta' | 'phi' | 'rx-theta' | 'rx-phi' | 'frequency'
  /** Of a lobe, null to null: [degrees], or [Hz] of frequency. */
  lobe: number
  /** Median step of the sweep; null where it has fewer than three values along it. */
  step: number | null
  /** Different values of the sweep along it. */
  values: number
}

/**
 * Samples of a lobe that a curve and an image need, and the part of a lobe beyond which a step hides some: of levels, whose pattern is
 * twice as fine as that of amplitudes, or of amplitudes, from which an image is made.
 */
const SAMPLING = { curve: { perLobe: 3, coarse: 0.5 }, image: { perLobe: 1, coarse: 1 } } as const
export type Sampling = keyof typeof SAMPLING
/** A curve has so many points; fewer are directions or frequencies of their own. */
const A_CURVE = 8
/** Vertices times aspects that are looked at. */
const LOOKED_AT = 6e6

/**
 * Lobes of a target's pattern over the axes of a sweep: of backscatter λ/2D, D being its width along the direction in which the radar
 * moves, and c/2L over frequency, L being its depth. Where the transmitter stands still it is λ/D of the receiver's, and L is along the mean direction.
 * @param positions  of the target's vertices, x y z each [m]
 */
export function lobesOf(
  positions: ArrayLike<number>,
  { aspects, bands }: { aspects: readonly Aspect[]; bands: readonly Band[] },
): LobeAxis[] {
  const width = (v: ArrayLike<number>): number => {
    let [low, high] = [Infinity, -Infinity]
    for (let i = 0; i < positions.length; i += 3) {
      const at = positions[i] * v[0] + positions[i + 1] * v[1] + positions[i + 2] * v[2]
      if (at < low) low = at
      if (at > high) high = at
    }
    return high - low
  }
  const lambda = wavelength(Math.max(...bands.map(highestFrequency)))
  const most = Math.max(8, LOOKED_AT / Math.max(1, positions.length))
  const stride = Math.ceil(aspects.length / most)
  const some = aspects.filter((_, i) => i % stride === 0)
  const monostatic = aspects.every(({ tx, rx }) => tx === rx)
  // Of a fixed bistatic angle both move at once.
  const together = monostatic || new Set(aspects.map(({ tx }) => `${tx.thetaDeg} ${tx.phiDeg}`)).size === aspects.length // prettier-ignore
  const sum = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
  const scaled = (a: Vec3, by: number): Vec3 => [a[0] * by, a[1] * by, a[2] * by]
  const sine = (deg: number): number => Math.sin((deg * Math.PI) / 180)
  const inTheta =
    (of: 'tx' | 'rx') =>
    (one: Aspect): Vec3 =>
      one[of].thetaHat
  const inPhi =
    (of: 'tx' | 'rx') =>
    (one: Aspect): Vec3 =>
      scaled(one[of].phiHat, sine(one[of].thetaDeg))
  const both =
    (move: (of: 'tx' | 'rx') => (one: Aspect) => Vec3) =>
    (one: Aspect): Vec3 =>
      sum(move('tx')(one), move('rx')(one))
  const angle = (name: LobeAxis['name'], values: number[], move: (one: Aspect) => Vec3): LobeAxis[] => {
    const distinct = new Set(values).size
    const widest = Math.max(...some.map((one) => width(move(one))))
    if (distinct < 2 || !(widest > 0)) return []
    return [{ name, lobe: ((lambda / widest) * 180) / Math.PI, step: stepOf(values), values: distinct }]
  }
  const depth = Math.max(...some.map(({ tx, rx }) => width(sum(tx.r, rx.r))))
  const frequencies = bands.flatMap(({ f0, df, n }) => Array.from({ length: n }, (_, i) => f0 + i * df))
  return [
    ...angle('theta', aspects.map(({ tx }) => tx.thetaDeg), together ? both(inTheta) : inTheta('tx')), // prettier-ignore
    ...angle('phi', aspects.map(({ tx }) => tx.phiDeg), together ? both(inPhi) : inPhi('tx')), // prettier-ignore
    ...(together
      ? []
      : [
          ...angle('rx-theta', aspects.map(({ rx }) => rx.thetaDeg), inTheta('rx')), // prettier-ignore
          ...angle('rx-phi', aspects.map(({ rx }) => rx.phiDeg), inPhi('rx')), // prettier-ignore
        ]),
    ...(frequencies.length > 1 && depth > 0
      ? [
          {
            name: 'frequency' as const,
            lobe: C0 / depth,
            step: stepOf(frequencies),
            values: frequencies.length,
          },
        ]
      : []),
  ]
}

/** Median distance of neighbouring values; null of fewer than three. */
function stepOf(values: number[]): number | null {
  const sorted = [...new Set(values)].sort((a, b) => a - b)
  if (sorted.length < 3) return null
  const steps = sorted.slice(1).map((v, i) => v - sorted[i]).sort((a, b) => a - b) // prettier-ignore
  return steps[steps.length >> 1]
}

/** Whether a step of a curve or image hides lobes. */
export const isCoarse = ({ lobe, step, values }: LobeAxis, sampling: Sampling): boolean =>
  step !== null && values >= A_CURVE && step > SAMPLING[sampling].coarse * lobe

/** The step that shows an axis's lobes. */
export const resolvingStep = ({ lobe }: Pick<LobeAxis, 'lobe'>, sampling: Sampling): number =>
  lobe / SAMPLING[sampling].perLobe

const TITLES = { theta: 'θ', phi: 'φ', 'rx-theta': 'receiver θ', 'rx-phi': 'receiver φ', frequency: 'frequency' } // prettier-ignore
const rounded = (x: number): string => String(Number(x.toPrecision(2)))

/** A width along an axis with its unit. */
const widthText = ({ name }: LobeAxis, x: number): string =>
  name !== 'frequency' ? `${rounded(x)}°` : x < 1e9 ? `${rounded(x / 1e6)} MHz` : `${rounded(x / 1e9)} GHz`

/** One line on the lobes and the steps that show them. */
export const describeLobes = (lobes: readonly LobeAxis[], sampling: Sampling): string =>
  lobes
    .map(
      (axis) =>
        `${widthText(axis, axis.lobe)} in ${TITLES[axis.name]} (a step of ${widthText(axis, resolvingStep(axis, sampling))} shows them${axis.step === null ? '' : `, here ${widthText(axis, axis.step)}`})`,
    ) // prettier-ignore
    .join('; ')

/** A warning of an axis whose step hides lobes. */
export const coarseWarning = (axis: LobeAxis, sampling: Sampling): string =>
  `a step of ${widthText(axis, axis.step!)} in ${TITLES[axis.name]} hides lobes, which are ${widthText(axis, axis.lobe)} wide: ${widthText(axis, resolvingStep(axis, sampling))} shows them` // prettier-ignore
