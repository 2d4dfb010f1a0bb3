import type { Angles } from './angles.js'
import type { Opened } from './messages.js'
import { LiveSolver, type SolverTarget } from './solver.js'
import { emptySweep, fillSweep, type Sweep } from './sweep.js'
import { Trace } from './trace.js'

export interface LiveResult {
  angles: Angles
  /** 8 numbers: re, im of F [m] for VV HH VH HV. */
  field: Float64Array
  /** Computing time [s]. */
  seconds: number
}

export interface SessionEvents {
  onOpened(opened: Opened): void
  /** A result or part of a sweep arrived, or a sweep ended. */
  onChange(): void
  /** The solver has ended; no more results will arrive. */
  onEnd(error: Error): void
}

const nextFrame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done))

/** Computations while the panel is open: one target, one frequency at a time, on one solver. */
export class LiveSession {
  readonly trace = new Trace()
  /** Result of the last computed direction. */
  now: LiveResult | null = null
  sweep: Sweep | null = null
  private running: Sweep | null = null
  private angles: Angles | null = null
  private following = false
  private ended = false
  private readonly solver: LiveSolver

  constructor(
    target: SolverTarget,
    private frequency: number,
    private readonly events: SessionEvents,
  ) {
    this.solver = new LiveSolver(target)
    this.solver.opened.then(
      (opened) => events.onOpened(opened),
      () => {},
    )
    this.solver.failure.catch((error: Error) => this.end(error))
  }

  get freqHz(): number {
    return this.frequency
  }

  get isSweeping(): boolean {
    return this.running !== null
  }

  /** Sets the frequency and discards results of another one. */
  setFrequency(freqHz: number): void {
    this.frequency = freqHz
    this.running = null
    this.sweep = null
    this.now = null
    this.trace.clear()
    void this.follow()
  }

  /** Sets the view direction. While a direction is being computed, only the newest one waits. */
  viewFrom(angles: Angles): void {
    this.angles = angles
    void this.follow()
  }

  /** Computes a cut over all azimuths at an elevation, replacing an earlier one. */
  async startSweep(thetaDeg: number, stepDeg: number): Promise<void> {
    const sweep = emptySweep(this.frequency, thetaDeg, stepDeg)
    this.sweep = sweep
    this.running = sweep
    this.events.onChange()
    try {
      await fillSweep(this.solver, sweep, () => {
        if (this.running === sweep) this.events.onChange()
        return this.running === sweep
      })
    } catch (error) {
      return this.end(error as Error)
    }
    if (this.running === sweep) this.stopSweep()
  }

  /** Stops the sweep and keeps its finished part. */
  stopSweep(): void {
    this.running = null
    this.events.onChange()
  }

  close(): void {
    this.ended = true
    this.running = null
    this.solver.close()
  }

  private end(error: Error): void {
    if (this.ended) return
    this.close()
    this.events.onEnd(error)
  }

  private async follow(): Promise<void> {
    if (this.following) return
    this.following = true
    try {
      await this.solver.opened
      while (!this.ended && this.angles && this.now?.angles.join() !== this.angles.join()) {
        const { angles, frequency } = this
        const { fields: field, seconds } = await this.solver.solve(frequency, [angles])
        if (frequency === this.frequency && !this.ended) {
          this.now = { angles, field, seconds }
          this.trace.add(angles, field)
          this.events.onChange()
        }
        // At most once per frame.
        await nextFrame()
      }
    } catch (error) {
      this.end(error as Error)
    }
    this.following = false
  }
}
