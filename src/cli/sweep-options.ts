import { type Command, Option } from 'commander'
import { InputError } from '../../scene/index.js'
import type { Sweep } from '../sweep-job.js'
import { advanced, heading } from './help.js'
import { parseFrequency } from '../../formats/frequency.js'
import { parseBand, parseCount, parseNumber, parsePositive } from './quantity.js'

/** Adds the options of an ISAR sweep, which render and compare share. */
export const addSweepOptions = (command: Command): Command =>
  command
    .optionsGroup(heading('Sweep'))
    .option('--band <f0:f1[:n]>', 'frequencies, their number from the size if absent')
    .option('--freq <f>', 'centre frequency, with --resolution')
    .option('--resolution <dr[,dx]>', 'in range, cross-range [m]; fixes band and aperture')
    .option('--theta <deg>', 'centre aspect, from +z', '80')
    .option('--phi <deg>', 'centre aspect, from +x towards +y', '0')
    .option('--aperture <deg>', 'span in phi (default: dx equal to dr)')
    .addOption(
      advanced(new Option('--angles <n>', 'aspects over the aperture (default: from the target’s size)')),
    )

/** The sweep that commander's raw options ask for. @throws InputError naming the option */
export function parseSweep(raw: Record<string, string | undefined>): Sweep {
  if (raw.band !== undefined && (raw.resolution !== undefined || raw.freq !== undefined))
    throw new InputError('--band contradicts --freq with --resolution; give one or the other')
  if (raw.band === undefined && (raw.freq === undefined || raw.resolution === undefined))
    throw new InputError('give --band f0:f1, like 9.25e9:10.75e9 (or --freq with --resolution)')
  if (raw.resolution !== undefined && raw.aperture !== undefined)
    throw new InputError(
      '--aperture contradicts --resolution, which fixes it; give one of them, or --resolution dr,dx',
    )
  const resolution = raw.resolution?.split(',').map((x) => parsePositive(x, '--resolution'))
  if (resolution && resolution.length > 2)
    throw new InputError(`--resolution "${raw.resolution}": write dr or dr,dx in metres`)
  return {
    thetaDeg: parseNumber(raw.theta!, '--theta', -360, 360),
    phiDeg: parseNumber(raw.phi!, '--phi', -360, 360),
    ...(raw.band === undefined
      ? {
          resolution: {
            rangeM: resolution![0],
            crossRangeM: resolution![1],
            centreHz: parseFrequency(raw.freq!, '--freq'),
          },
        }
      : { band: parseBand(raw.band) }),
    ...(raw.aperture === undefined ? {} : { apertureDeg: parsePositive(raw.aperture, '--aperture') }),
    ...(raw.angles === undefined ? {} : { angles: parseCount(raw.angles, '--angles', 2, 1_000_000) }),
  }
}
