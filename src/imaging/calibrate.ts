import { differentialRange } from '../../isar/index.js'
import { C0, InputError, type Vec3 } from '../../scene/index.js'
import type { HistoryPart } from './history-part.js'
import type { Measurement } from './read-history.js'

/** A target of known response, measured with the same radar. */
export interface Reference {
  measured: Measurement
  /** Its RCS [dBsm], or its computed response over the same frequencies. */
  known: number | Measurement
  /** Where it stood [m]. */
  at: Vec3
}

/** Frequencies of two histories may differ by this share of a step. */
const SAME = 0.02

/**
 * Amplitudes of a measurement in metres: at each frequency multiplied by F_known / F_measured of the reference, F_measured the mean over its
 * pulses referred to the place where it stood. With the RCS alone F_known = sqrt(sigma / 4 pi): phases then refer to the reference's.
 * @throws InputError where channels or frequencies differ, or the reference returns nothing at a frequency
 */
export function calibrated(measurement: Measurement, { measured, known, at }: Reference): Measurement {
  const channels = measurement.channels.map((history): HistoryPart => {
    const { channel, freqHz, pulses } = history
    const own = sameChannel(measured, channel, freqHz, '--reference')
    const response = meanResponse(own, at)
    const wanted =
      typeof known === 'number'
        ? null
        : meanResponse(sameChannel(known, channel, freqHz, '--reference-known'), [0, 0, 0])
    const f = Float64Array.from(history.f)
    for (let m = 0; m < freqHz.length; m++) {
      const [re, im] = [response[2 * m], response[2 * m + 1]]
      const power = re * re + im * im
      if (!(power > 0))
        throw new InputError(
          `--reference: no return in ${channel} at ${freqHz[m]} Hz; calibrate with another file`,
        )
      const [kre, kim] = wanted
        ? [wanted[2 * m], wanted[2 * m + 1]]
        : [Math.sqrt(10 ** ((known as number) / 10) / (4 * Math.PI)), 0]
      const [gre, gim] = [(kre * re + kim * im) / power, (kim * re - kre * im) / power]
      for (let i = 2 * m * pulses; i < 2 * (m + 1) * pulses; i += 2) {
        const [x, y] = [f[i], f[i + 1]]
        f[i] = x * gre - y * gim
        f[i + 1] = x * gim + y * gre
      }
    }
    return { ...history, f }
  })
  return { ...measurement, channels, calibrated: true }
}

function sameChannel(
  { channels, files }: Measurement,
  channel: string,
  freqHz: Float64Array,
  option: string,
): HistoryPart {
  const found =
    channels.find((c) => c.channel === channel) ?? (channels.length === 1 ? channels[0] : undefined)
  if (!found) throw new InputError(`${option}: ${files[0]} has no channel ${channel}; give a file with it`)
  const step = freqHz[1] - freqHz[0]
  const apart = found.freqHz.length === freqHz.length && found.freqHz.every((f, m) => Math.abs(f - freqHz[m]) <= SAME * step) // prettier-ignore
  if (!apart)
    throw new InputError(`${option}: ${files[0]} has other frequencies than the measurement; give the same`)
  return found
}

/** Mean over pulses of the amplitudes referred to a place, [frequency], interleaved. */
function meanResponse(history: HistoryPart, at: Vec3): Float64Array {
  const { freqHz, f, pulses } = history
  const out = new Float64Array(2 * freqHz.length)
  for (let n = 0; n < pulses; n++) {
    const d = differentialRange(history, n, at)
    for (let m = 0; m < freqHz.length; m++) {
      const cycles = (2 * freqHz[m] * d) / C0
      const phase = 2 * Math.PI * (cycles - Math.round(cycles))
      const i = 2 * (m * pulses + n)
      out[2 * m] += (f[i] * Math.cos(phase) - f[i + 1] * Math.sin(phase)) / pulses
      out[2 * m + 1] += (f[i] * Math.sin(phase) + f[i + 1] * Math.cos(phase)) / pulses
    }
  }
  return out
}
