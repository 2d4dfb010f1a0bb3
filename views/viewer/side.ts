import type { Settings, TabName } from '../figures/index.js'

/** The panel beside the figures: a target, a propagation scene, or the images of a dataset. */
export interface Side {
  /** The figure was redrawn: other settings, another tab. */
  draw(tab: TabName, settings: Readonly<Settings>): void
  /** A point of the figure was selected [axis units]. */
  pick(tab: TabName, x: number, y: number): void
  /** The page's colour theme changed. */
  recolour(ground: string): void
  /** The panel is no longer shown. */
  close(): void
}
