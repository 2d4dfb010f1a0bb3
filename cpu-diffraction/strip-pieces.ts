import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { StripFan } from './strip-fan.js'

/** Takes a piece of an edge: midpoint from the edge's start, length, strip length there [m], and slope along z of the face's frame. */
export type TakePiece = (t: number, piece: number, length: number, slope: number) => void

/**
 * Cuts parts of an edge into pieces over which the strips of one face end on a line, and which are short against the Fresnel zones of
 * their strips. One object per thread.
 */
export class StripPieces {
  private readonly fan: StripFan
  private readonly corners: number[]
  private take!: TakePiece

  /**
   * @param segmentLength  pieces need not be shorter [m]
   * @param zones          longest piece in Fresnel zones of its strips
   * @param wavelength     the shortest [m]
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly segmentLength: number,
    private readonly zones: number,
    private readonly wavelength: number,
  ) {
    this.fan = new StripFan(scene)
    this.corners = [0.5]
    this.corners.length = 0
  }

  /** Takes face i of edge e under a wave whose direction has these components across and along z of the face's frame. */
  aim(e: number, i: number, sinBeta0: number, cosBeta0: number): void {
    const { scene, fan, corners } = this
    fan.aim(e, i, sinBeta0, cosBeta0)
    corners.length = 0
    fan.breaks(scene.edges[EDGE_SIZE * e + 6], corners)
    if (corners.length > 1) corners.sort(ascending)
  }

  /** Hands over the pieces between two places. */
  cut(from: number, to: number, take: TakePiece): void {
    const { corners, scene } = this
    this.take = take
    const least = Math.min(scene.tolerance, 0.5 * (to - from))
    for (let i = 0; i < corners.length; i++) {
      const corner = corners[i]
      if (corner - from < least || to - corner < least) continue
      this.between(from, corner)
      from = corner
    }
    this.between(from, to)
  }

  private between(from: number, to: number): void {
    const { fan, segmentLength } = this
    const middle = 0.5 * (from + to)
    const piece = to - from
    fan.at(middle)
    const { length, slope } = fan
    if (piece > segmentLength && piece > this.zones * Math.sqrt(this.wavelength * length)) {
      this.between(from, middle)
      this.between(middle, to)
    } else this.take(middle, piece, length, slope)
  }
}

const ascending = (a: number, b: number): number => a - b
