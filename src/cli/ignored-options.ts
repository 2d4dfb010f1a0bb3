import type { Command } from 'commander'
import { InputError } from '../../scene/index.js'

type Raw = Record<string, unknown>

/** Options that have no effect beside others, by the keys of commander's values, and why. */
const IGNORED: { options: string[]; beside: (raw: Raw) => boolean; why: string }[] = [
  {
    options: ['maxBounces', 'raysPerWavelength', 'subdivide', 'frequencyTolerance'],
    beside: ({ method }) => method === 'gpueco',
    why: '--method gpueco draws the target, without ray tubes',
  },
  {
    options: [
      'maxBounces',
      'raysPerWavelength',
      'subdivide',
      'frequencyTolerance',
      'maxWedgeAngle',
      'secondOrder',
    ],
    beside: ({ method }) => method === 'mom',
    why: '--method mom solves for the currents, without rays and edge terms',
  },
  {
    options: ['pixels'],
    beside: ({ method }) => method !== 'gpueco',
    why: 'there is no image to draw without --method gpueco',
  },
  {
    options: ['maxWedgeAngle'],
    beside: ({ diffraction }) => diffraction === 'none',
    why: '--diffraction none disables all edges',
  },
  {
    options: ['groundHeight', 'groundRoughness'],
    beside: ({ ground }) => ground === undefined,
    why: 'there is no ground without --ground',
  },
  {
    options: ['shard', 'resume', 'plan', 'cluster', 'distribute', 'adjust', 'unitTimeout'],
    beside: ({ preview }) => preview === true,
    why: '--preview draws one image of each class here and ends',
  },
  {
    options: ['distribute', 'adjust', 'unitTimeout'],
    beside: ({ cluster }) => cluster === undefined,
    why: 'it is for runs with --cluster',
  },
]

/** @throws InputError for an option that is given on the command line and would be ignored */
export function refuseIgnored(command: Command): void {
  refuseBeside(command, command.opts<Raw>(), {})
}

/**
 * The same with a dataset's configuration, whose settings are refused beside full wave alone: others may come from it for several methods.
 * @param raw     options and settings together
 * @param solver  settings of the configuration
 */
export function refuseBeside(command: Command, raw: Raw, solver: Raw): void {
  for (const { options, beside, why } of IGNORED) {
    if (!beside(raw)) continue
    for (const option of command.options) {
      const key = option.attributeName()
      if (!options.includes(key)) continue
      if (command.getOptionValueSource(key) === 'cli')
        throw new InputError(`${option.long}: ${why}; leave it out`)
      const name = option.long!.slice(2)
      if (raw.method === 'mom' && Object.hasOwn(solver, name))
        throw new InputError(`solver: "${name}": ${why}; leave it out`)
    }
  }
}
