import type { WorkerInfo } from './wire.js'

/** The workers that serve a run: available ones, lost ones, and suspects that get no specific units any more. */
export class RunWorkers {
  private readonly suspects = new Set<string>()
  private readonly gone = new Set<string>()

  /**
   * @param roster     of the run's kind and release, at least one
   * @param onTrouble  called when a worker is lost
   */
  constructor(
    private roster: WorkerInfo[],
    private readonly kind: 'gpu' | 'cpu',
    private readonly release: string,
    private readonly onTrouble: (message: string) => void,
  ) {}

  /** Available workers, including suspects. */
  get count(): number {
    return this.roster.length
  }

  /** Workers that can be assigned specific units, by id. */
  get sound(): WorkerInfo[] {
    const sound = this.roster.filter(({ id }) => !this.suspects.has(id))
    return sound.length > 0 ? sound : this.roster
  }

  /** Another worker for a unit that failed; null if there is none. */
  other(failed: string, unit: number): string | null {
    const others = this.sound.filter(({ id }) => id !== failed && !this.gone.has(id))
    return others.length > 0 ? others[unit % others.length].id : null
  }

  /** Excludes a worker from specific units. */
  suspect(id: string): void {
    this.suspects.add(id)
  }

  /** Updates the workers from those alive, of any kind and release. */
  update(live: WorkerInfo[]): void {
    const ids = new Set(live.map(({ id }) => id))
    for (const id of ids) this.gone.delete(id)
    const fit = live.filter((w) => w.kind === this.kind && w.release === this.release)
    for (const { id } of this.roster) {
      if (ids.has(id) || this.gone.has(id)) continue
      this.gone.add(id)
      const then = fit.length > 0 ? 'its work is given to others' : 'no worker is left; waiting for one'
      this.onTrouble(`worker ${id} is lost; ${then}`)
    }
    // With none left the last roster is kept, and its work goes to the first that joins.
    if (fit.length > 0) this.roster = fit
  }
}
