import { InputError } from '../../../scene/index.js'
import { Stopped } from '../solver/solver.js'
import { type Angles, emptySweep, fillSweep, type Sweep, Trace } from './sweep.js'
import type { LiveImage, LiveSolver } from './solver.js'

export interface LiveResult {
  angles: Angles
  /** 8 numbers: re, im of F [m] for VV HH VH HV. */
  field: Float64Array
  /** Computing time [s]. */
  seconds: number
}

export interface SessionEvents {
  /** A result or part of one arrived, or a sweep ended. */
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
  image: LiveImage | null = null
  /** How far an image is, or what cannot be computed. */
  note = ''
  private running: Sweep | null = null
  private angles: Angles | null = null
  private wantsImage = false
  private following = false
  /** Ends the image of a direction that is no longer looked from. */
  private moved = new AbortController()
  private readonly ended = new AbortController()

  constructor(
    private readonly solver: LiveSolver,
    private frequency: number,
    private readonly events: SessionEvents,
  ) {}

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
    this.image = null
    this.trace.clear()
    this.restart()
  }

  /** Sets the view direction. An image of another one is stopped; of directions only the newest one waits. */
  viewFrom(angles: Angles): void {
    if (angles.join() === this.angles?.join()) return
    this.angles = angles
    this.restart()
  }

  /** Whether images are computed too. */
  setImage(on: boolean): void {
    this.wantsImage = on
    this.restart()
  }

  /** Computes a cut over all azimuths at an elevation, replacing an earlier one. */
  async startSweep(thetaDeg: number, stepDeg: number): Promise<void> {
    const sweep = emptySweep(this.frequency, thetaDeg, stepDeg)
    this.sweep = sweep
    this.running = sweep
    this.events.onChange()
    const { signal } = this.ended
    const solver = {
      solve: (freqHz: number, theta: number, phi: number[]) => this.solver.solve(freqHz, theta, phi, signal),
    }
    try {
      await fillSweep(solver, sweep, () => {
        if (this.running === sweep) this.events.onChange()
        return this.running === sweep
      })
    } catch (error) {
      this.fail(error as Error)
    }
    if (this.running === sweep) this.stopSweep()
  }

  /** Stops the sweep and keeps its finished part. */
  stopSweep(): void {
    this.running = null
    this.events.onChange()
  }

  close(): void {
    this.running = null
    this.ended.abort()
    this.moved.abort()
  }

  /** What a direction or a frequency does not allow is a note; anything else ends the session. */
  private fail(error: Error): void {
    if (this.ended.signal.aborted) return
    if (error instanceof Stopped) return this.say('')
    if (error instanceof InputError) return this.say(error.message)
    this.close()
    this.events.onEnd(error)
  }

  private say(note: string): void {
    this.note = note
    this.events.onChange()
  }

  private restart(): void {
    this.moved.abort()
    this.moved = new AbortController()
    void this.follow()
  }

  /** Computes directions of view until the target stands still, then its image. */
  private async follow(): Promise<void> {
    if (this.following) return
    this.following = true
    while (!this.ended.signal.aborted && this.angles) {
      const { angles, frequency } = this
      const { signal } = this.moved
      await this.compute(angles, frequency, signal).catch((error: Error) => this.fail(error))
      if (!signal.aborted) break
      // At most once per frame.
      await nextFrame()
    }
    this.following = false
  }

  private async compute(angles: Angles, frequency: number, signal: AbortSignal): Promise<void> {
    const { solver } = this
    if (this.now?.angles.join() !== angles.join()) {
      this.note = ''
      const solved = await solver.solve(frequency, angles[0], [angles[1]], this.ended.signal)
      if (frequency !== this.frequency) return
      this.now = { angles, field: solved.fields, seconds: solved.seconds }
      this.trace.add(angles, solved.fields)
      this.events.onChange()
    }
    if (!this.wantsImage || signal.aborted || this.image?.angles.join() === angles.join()) return
    this.say('image …')
    const onAspect = (done: number, total: number): void => this.say(`image: ${done} of ${total} aspects`)
    const image = await solver.image(frequency, angles, onAspect, signal)
    if (signal.aborted) return
    this.image = image
    this.say('')
  }
}
