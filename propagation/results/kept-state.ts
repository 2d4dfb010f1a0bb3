import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { removeTemporaries, writeFileAtomic } from '../../formats/index.js'
import { type Check, openKept } from '../../run/sweep/index.js'
import { InputError } from '../../scene/index.js'
import type { PropagationSetup } from '../setup.js'
import { newState, type PropagationState } from '../sums.js'

/** Time between two savings at the least [ms], and of what writing the last one took. */
const INTERVAL = 2000
const INTERVAL_PER_WRITE = 20

/**
 * What a run has summed so far, kept on disk so that an interrupted or killed run can go on: `state.bin` beside the lock and the
 * `plan.json` of `openKept`, written whole or not at all, every few seconds.
 */
export class KeptState {
  private saved = performance.now()
  private interval = INTERVAL
  private writing: Promise<void> = Promise.resolve()
  private busy = false

  private constructor(
    private readonly folder: string,
    readonly state: PropagationState,
    private readonly unlock: () => void,
  ) {}

  /** @throws InputError where another process has the folder, what it keeps is damaged, or belongs to another run */
  static async open(
    folder: string,
    key: string,
    setup: PropagationSetup,
    resume: boolean,
    check: Check,
  ): Promise<KeptState> {
    const unlock = await openKept(folder, key, resume, check)
    try {
      removeTemporaries([join(folder, STATE)])
      return new KeptState(folder, readState(join(folder, STATE)) ?? newState(setup), unlock)
    } catch (error) {
      unlock()
      throw error
    }
  }

  /** Saves the state where that was not done for a while; the run goes on meanwhile. Failures come with `close`. */
  tick(): void {
    if (this.busy || performance.now() - this.saved < this.interval) return
    this.busy = true
    this.writing = this.save()
    this.writing.catch(() => {})
  }

  /** Saves the state and lets go of the folder: a run that resumes goes on with it. Removes both where nothing is done. */
  async close(): Promise<void> {
    if (this.state.done.size === 0) return this.discard()
    try {
      await this.writing.catch(() => {})
      await this.save()
    } finally {
      this.unlock()
    }
  }

  /** Removes what is kept: the run is whole, or nothing of it is worth keeping. */
  async discard(): Promise<void> {
    await this.writing.catch(() => {})
    // Another process may try for the lock just then.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }

  private async save(): Promise<void> {
    const start = performance.now()
    // The bytes of this moment, before any other task is added.
    const bytes = serialize(this.state)
    try {
      await writeFileAtomic(join(this.folder, STATE), bytes)
    } finally {
      this.saved = performance.now()
      this.interval = Math.max(INTERVAL, INTERVAL_PER_WRITE * (this.saved - start))
      this.busy = false
    }
  }
}

const STATE = 'state.bin'

function readState(path: string): PropagationState | null {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return deserialize(bytes) as PropagationState
  } catch (error) {
    throw new InputError(`${path} is damaged; start again with --force`, { cause: error })
  }
}
