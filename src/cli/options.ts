import type { Command } from 'commander'
import { InputError } from '../../scene/index.js'
import type { ClusterRequest } from '../run-plan.js'
import { resolveSettings, type ResolvedSettings } from '../settings.js'
import { addClusterOptions, clusterOptions } from './cluster-options.js'
import { addGroupedHelp, advanced, heading } from './help.js'
import { refuseIgnored } from './ignored-options.js'
import { planOption } from './plan.js'
import { optionName, readSettings, settingOptions } from './setting-options.js'

export { optionName }

/** Options that render and rcs share, as resolved. */
export interface SolverOptions extends ResolvedSettings {
  /** The cluster that does the work; absent for local runs. */
  cluster?: ClusterRequest
  out?: string
  resume: boolean
  force: boolean
  json: boolean
  /** The plan alone is wanted. */
  plan: boolean
  quiet: boolean
}

/** Adds the solver's options to a command, and help in groups. */
export function addSolverOptions(command: Command): Command {
  command.hook('preAction', refuseIgnored)
  for (const option of settingOptions(command.name())) command.addOption(option)
  command
    .optionsGroup(heading('Output'))
    .option('--out <path>', 'where results go')
    .addOption(advanced(command.createOption('--json', 'print one JSON summary on stdout')))
    .optionsGroup(heading('Run'))
    .addOption(planOption())
    .option('--resume', 'continue an interrupted run')
    .option('--force', 'overwrite results')
    .addOption(advanced(command.createOption('--quiet', 'only errors on stderr')))
  return addGroupedHelp(addClusterOptions(command))
}

/** Checks the raw options of commander. @throws InputError naming the option. */
export function solverOptions(raw: Record<string, unknown>): SolverOptions {
  checkCheck(raw)
  if (raw.plan && raw.cluster !== undefined)
    throw new InputError('--plan is of this machine, and a cluster has others; leave --cluster out')
  if ((raw.method === 'gpueco' || raw.method === 'mom') && raw.errorEstimate)
    throw new InputError(
      `--error-estimate: there are no ray tubes to coarsen with --method ${raw.method}; leave it out`,
    )
  return {
    ...resolveSettings(readSettings(raw), optionName),
    cluster: clusterOptions(raw),
    out: raw.out as string | undefined,
    resume: raw.resume === true,
    force: raw.force === true,
    json: raw.json === true,
    plan: raw.plan === true,
    quiet: raw.quiet === true,
  }
}

function checkCheck({ check, cluster, fast }: Record<string, unknown>): void {
  if (check && fast) throw new InputError('--check needs a full sweep; leave --fast out')
  if (check && cluster !== undefined)
    throw new InputError('--check runs on this machine alone; leave --cluster out')
}
