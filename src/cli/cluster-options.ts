import { type Command, Option } from 'commander'
import { ADJUST, DISTRIBUTIONS, type Distribution } from '../../cluster/plan.js'
import type { ClusterRequest } from '../run-plan.js'
import { advanced, heading } from './help.js'
import { parseNumber } from './quantity.js'

/** Options of runs on a cluster. None of them affects results. */
export function addClusterOptions(command: Command): Command {
  command.optionsGroup(heading('Cluster'))
  for (const option of [
    new Option('--cluster <url>', 'spread over the workers (isar worker) of this Redis server'),
    new Option('--distribute <how>', 'with --cluster: how aspects are distributed to workers')
      .choices([...DISTRIBUTIONS])
      .default('auto'),
    new Option(
      '--adjust <threshold,coefficient>',
      'with --cluster: load-balancing threshold and gain of aperture shares',
    ).default(`${ADJUST.threshold},${ADJUST.coefficient}`),
    new Option(
      '--unit-timeout <s>',
      'with --cluster: time limit for one part of an aspect, after which a worker counts as hung',
    ).default('1800'),
  ])
    command.addOption(advanced(option))
  return command
}

/** The cluster that does the work, or undefined for a local run. @throws InputError naming the option */
export function clusterOptions(raw: Record<string, unknown>): ClusterRequest | undefined {
  if (raw.cluster === undefined) return undefined
  const [threshold, coefficient = String(ADJUST.coefficient)] = String(raw.adjust).split(',')
  return {
    url: String(raw.cluster),
    distribute: raw.distribute as Distribution,
    adjust: {
      threshold: parseNumber(threshold, '--adjust threshold', 0, 1),
      coefficient: parseNumber(coefficient, '--adjust coefficient', 0, 1),
    },
    unitSeconds: parseNumber(String(raw.unitTimeout), '--unit-timeout', 1, 1e7),
  }
}
