import { type Command, Option } from 'commander'
import { ADJUST, DISTRIBUTIONS, type Distribution } from '../../cluster/plan.js'
import type { ClusterRequest } from '../cluster.js'
import { parseNumber } from './quantity.js'

/** Options of runs on a cluster. None of them changes a byte of the results. */
export const addClusterOptions = (command: Command): Command =>
  command
    .option('--cluster <url>', 'spread over the workers (isar worker) of this Redis server')
    .addOption(
      new Option('--distribute <how>', 'with --cluster: how aspects are given to workers')
        .choices([...DISTRIBUTIONS])
        .default('auto'),
    )
    .option(
      '--adjust <threshold,coefficient>',
      'with --cluster: how boldly shares of an aperture follow their times',
      `${ADJUST.threshold},${ADJUST.coefficient}`,
    )
    .option(
      '--unit-timeout <s>',
      'with --cluster: a worker that takes longer over one part of an aspect counts as hung',
      '1800',
    )

/** Where the run's work is done, or undefined for here. @throws InputError naming the option */
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
