import type { WorkerInfo } from './wire.js'

/** The workers that serve a run: who is there, who has gone, and who is given no work of its own any more. */
export class RunWorkers {
  private readonly suspects = new Set<string>()
  private readonly gone = new Set<string>()

  /**
   * @param roster     of the run's kind and release, at least one
   * @param onTrouble  told of workers that go
   */
  constructor(
    private roster: WorkerInfo[],
    private readonly kind: 'gpu' | 'cpu',
    private readonly release: string,
    private readonly onTrouble: (message: string) => void,
  ) {}

  /** Those there, suspects included. */
  get count(): number {
    return this.roster.length
  }

  /** Those that can be given work of their own, in the order of their ids. */
  get sound(): WorkerInfo[] {
    const sound = this.roster.filter(({ id }) => !this.suspects.has(id))
    return sound.length > 0 ? sound : this.roster
  }

  /** Another one for a unit that failed; null where there is none. */
  other(failed: string, unit: number): string | null {
    const others = this.sound.filter(({ id }) => id !== failed && !this.gone.has(id))
    return others.length > 0 ? others[unit % others.length].id : null
  }

  /** Is to be given no work of its own. */
  suspect(id: string): void {
    this.suspects.add(id)
  }

  /** Takes note of who is alive, of any kind and release. */
  update(live: WorkerInfo[]): void {
    const ids = new Set(live.map(({ id }) => id))
    for (const id of ids) this.gone.delete(id)
    const fit = live.filter((w) => w.kind === this.kind && w.release === this.release)
    for (const { id } of this.roster) {
      if (ids.has(id) || this.gone.has(id)) continue
      this.gone.add(id)
      const then = fit.length > 0 ? 'its work goes to the others' : 'no worker is left; waiting for one'
      this.onTrouble(`worker ${id} is gone; ${then}`)
    }
    // Without any, work is meant for those that were there last, and goes to the first that comes.
    if (fit.length > 0) this.roster = fit
  }
}
