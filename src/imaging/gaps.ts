import { apertureOf, planBackprojection } from '../../isar/index.js'
import type { FormOptions } from './form.js'
import type { HistoryPart } from './history-part.js'

/** Steps of azimuth above this many times the median are gaps. */
const WIDE = 2.5
/** Gaps that are told one by one. */
const MOST = 3

/**
 * A line on each gap in the azimuths of a history: where it is, and its effect. What is missing of the aperture is an image of its own, taken off
 * the whole: around each scatterer side lobes of the missing weight over the rest's, as wide as the gap resolves.
 */
export function gapsOf(history: HistoryPart, form: FormOptions): string[] {
  const { phiDeg, spanDeg, centre } = apertureOf(history)
  const order = [...phiDeg.keys()].sort((a, b) => phiDeg[a] - phiDeg[b])
  const steps = order.slice(1).map((n, i) => phiDeg[n] - phiDeg[order[i]])
  const median = steps.toSorted((a, b) => a - b)[steps.length >> 1]
  if (!(median > 0)) return []
  const { pulseWeights } = planBackprojection(history, form)
  const total = pulseWeights.reduce((a, b) => a + b, 0)
  const { freqHz, channel } = history
  const wavelength = (2 * 299_792_458) / (freqHz[0] + freqHz[freqHz.length - 1])
  const found = steps
    .map((step, i) => ({ step, i, missing: Math.round(step / median) - 1 }))
    .filter(({ step }) => step > WIDE * median)
  const lines = found
    .toSorted((a, b) => b.step - a.step)
    .slice(0, MOST)
    .map(({ step, i, missing }) => {
      const beside = (pulseWeights[order[i]] + pulseWeights[order[i + 1]]) / 2
      const level = 20 * Math.log10((missing * beside) / total)
      const width = wavelength / (2 * ((step * Math.PI) / 180) * Math.sin((centre.thetaDeg * Math.PI) / 180))
      return `${channel}: a gap of ${step.toPrecision(3)}° after azimuth ${phiDeg[order[i]].toFixed(2)}° (${missing} pulses missing of an aperture of ${spanDeg.toPrecision(3)}°): side lobes of ${level.toFixed(0)} dB within ${width.toPrecision(2)} m in cross-range of each scatterer` // prettier-ignore
    })
  return found.length > MOST ? [...lines, `${channel}: ${found.length - MOST} more gaps, none wider`] : lines
}
