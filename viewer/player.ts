/** Time in which a whole dwell is played [s]. */
const DWELL_S = 20

/** What a player moves through. */
export interface Played {
  count: number
  at: number
}

/** Plays through the columns of a spectrogram at an even pace, and starts again at its end. */
export class Player {
  private running = false

  /** @param of  columns and where it is; null: nothing to play */
  constructor(
    private readonly button: HTMLButtonElement,
    private readonly of: () => Played | null,
    private readonly to: (column: number) => void,
  ) {
    button.addEventListener('click', () => this.toggle())
  }

  toggle(): void {
    if (this.running) this.stop()
    else this.start()
  }

  stop(): void {
    this.running = false
    this.button.textContent = 'Play'
  }

  private start(): void {
    this.running = true
    this.button.textContent = 'Pause'
    let before = performance.now()
    let part = 0
    const frame = (now: number): void => {
      const played = this.of()
      if (!this.running || !played) return this.stop()
      part += ((now - before) / 1000 / DWELL_S) * played.count
      before = now
      const steps = Math.floor(part)
      part -= steps
      if (steps > 0) this.to((played.at + steps) % played.count)
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  }
}
