import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { writeFileAtomic } from '../../formats/index.js'
import type { PropagationState } from '../../propagation/index.js'
import { InputError } from '../../scene/index.js'

/** Keeps an interrupted run. @param key  what identifies it */
export async function writePartial(path: string, key: string, state: PropagationState): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFileAtomic(path, serialize({ key, state }))
}

/** The run that was interrupted. @throws InputError where there is none, it is damaged, or belongs to other options */
export function readPartial(path: string, key: string): PropagationState {
  let kept: { key: string; state: PropagationState }
  try {
    kept = deserialize(readFileSync(path)) as typeof kept
  } catch (error) {
    throw new InputError(
      `--resume: ${path} is no interrupted run (${(error as Error).message}); leave --resume out`,
      {
        cause: error,
      },
    )
  }
  if (kept.key !== key)
    throw new InputError(
      `${path} holds a run of another scene, other options or another device; resume with the same ones, or start again with --force`,
    )
  return kept.state
}
