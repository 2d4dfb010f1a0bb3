import type { Settings, TabName } from '../plots/index.js'

/** What stands beside the figures and goes with them: a target, a scene for radio waves, or the images of a dataset. */
export interface Side {
  /** The figure was drawn anew: other settings, another tab. */
  draw(tab: TabName, settings: Readonly<Settings>): void
  /** A point of the figure was chosen [axis units]. */
  pick(tab: TabName, x: number, y: number): void
  /** Other colours of the page: its background. */
  recolour(ground: string): void
  /** No longer on show. */
  close(): void
}
