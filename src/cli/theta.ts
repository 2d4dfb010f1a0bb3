import type { Console } from './console.js'

/**
 * Reports what a theta outside 0 to 180 degrees means, where one is given: a cut continues through the pole at a fixed phi, and so do
 * theta-hat and phi-hat.
 */
export function reportTheta(thetaDeg: readonly number[], option: string, out: Console): void {
  const beyond = thetaDeg.filter((theta) => theta < 0 || theta > 180)
  if (beyond.length === 0) return
  const [theta] = beyond
  const wrapped = ((theta % 360) + 360) % 360
  const meaning =
    wrapped > 180
      ? `the direction of theta ${tidy(360 - wrapped)} at phi + 180, V and H opposite to those there`
      : `that of theta ${tidy(wrapped)}`
  const others = beyond.length - 1
  const more = others > 0 ? ` (and ${others} more value${others > 1 ? 's' : ''} likewise)` : ''
  out.say(`theta     ${option} ${theta} continues beyond the pole: ${meaning}${more}`)
}

const tidy = (x: number): number => Number(x.toPrecision(12))
