// Over 300 lines: one sum over an edge and its pieces, whose steps share the current edge.
import { type Aspect, type Band, C0, highestFrequency, wavenumber } from '../../scene/index.js'
import { segmentCount, segmentOf } from '../edge-field.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from '../edge-scene.js'
import { type Lighting, setLighting } from '../lighting.js'
import { exactSum, interpolatedSum, type PathSum } from '../path-sum.js'
import { SEGMENT_SIZE } from '../segments.js'
import type { Truncation } from '../strip.js'
import { emptyAmplitudes, type FaceAmplitudes, type SurfaceField } from './amplitudes.js'
import { coverOf, type FaceConditions } from './conditions.js'
import { allOf, EdgeConditions } from './edge-conditions.js'
import { type EdgeMaterials, JUNCTION, NOT_COATED, SHEET } from './edge-materials.js'
import { DIRICHLET, NEUMANN } from './maliuzhinets.js'
import { MaterialFace } from './material-face.js'
import { endFace, faceShare, sheetShare } from './missing-waves.js'
import { materialEdgeNodes } from './nodes.js'
import { StripEnds, type StripPiece } from './strip-ends.js'
import { MaterialWedge, SurfaceSpectrum } from './surface-spectrum.js'

/** Below this half of a piece's phase along the edge [rad] its two ends are added as one, as of conductors (`EdgeField`). */
const SHORT = 2
/** Wedges kept. */
const MOST_WEDGES = 256
/** Of the wedge's angle: where very sharp metal under coatings has its edge. */
const LEAST_SINE = 0.2
/** Fields of wedges that fade to less than this part are left out, as 80 dB below what the edge would have. */
const LEAST_WEIGHT = 1e-4

/** The first-order field of edges of other materials than perfect conductors, of one scene and band. One object per thread. */
export class MaterialEdges {
  private readonly sum: PathSum
  private readonly frequencies: Float64Array
  private readonly highest: number
  private readonly lowest: number
  /** k l of the current edge's longest and shortest strips, by face. */
  private readonly reach = [0.5, 0.5]
  private readonly least = [0.5, 0.5]
  private readonly wedges = new Map<number, MaterialWedge>()
  private readonly faces: MaterialFace[]
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  private readonly ends: StripEnds
  /** Amplitudes of the current edge's faces by frequency; null where a face has none. */
  private readonly of: (FaceAmplitudes[] | null)[] = [null, null]
  /** Memory of them. */
  private readonly amplitudes: FaceAmplitudes[][]
  private shift = 0.5
  private readonly conditions: EdgeConditions

  constructor(
    private readonly scene: EdgeScene,
    private readonly materials: EdgeMaterials,
    band: Band,
    private readonly truncation: Truncation,
    exact: boolean,
  ) {
    this.faces = [0, 1].map(() => new MaterialFace(truncation))
    const nodes = exact ? null : materialEdgeNodes(materials.list, band)
    this.sum = nodes ? interpolatedSum(band, nodes) : exactSum(band)
    this.frequencies = this.sum.k.map((k) => (k * C0) / (2 * Math.PI))
    this.amplitudes = this.faces.map(() => Array.from(this.frequencies, emptyAmplitudes))
    this.highest = wavenumber(Math.max(band.f0, highestFrequency(band)))
    this.conditions = new EdgeConditions(scene, materials, this.frequencies)
    this.lowest = Math.min(...this.sum.k)
    this.ends = new StripEnds(this.sum.k)
  }

  /** Adds the segments at positions `from` to `to` - 1 of an aspect's list to `out`: 8 numbers per frequency [m]. */
  add(aspect: Aspect, segments: Float64Array, from: number, to: number, out: Float64Array): void {
    const { materials, sum, faces, of } = this
    let edge = -1
    for (let o = from; o < to; o += SEGMENT_SIZE) {
      if (materials.kind[segments[o]] === NOT_COATED) continue
      if (edge < 0) sum.reset()
      if (segments[o] !== edge) {
        edge = segments[o]
        this.measure(segments, o, to)
        this.aim(edge, aspect)
      }
      for (let i = 0; i < 2; i++) {
        const amplitudes = of[i]
        if (amplitudes)
          this.addPiece(
            faces[i],
            amplitudes,
            segments[o + 1] + this.shift,
            segments[o + 2],
            segments[o + 3 + 2 * i],
            segments[o + 4 + 2 * i],
          )
      }
    }
    if (edge >= 0) sum.finish(out)
  }

  /** Sets the longest and the shortest strips of the edge's pieces, from position `at` on. */
  private measure(segments: Float64Array, at: number, to: number): void {
    const { reach, least, highest } = this
    reach.fill(0)
    least.fill(Infinity)
    for (let o = at; o < to && segments[o] === segments[at]; o += SEGMENT_SIZE)
      for (let i = 0; i < 2; i++) {
        const l = segments[o + 3 + 2 * i]
        const slant = 0.5 * segments[o + 2] * Math.abs(segments[o + 4 + 2 * i])
        reach[i] = Math.max(reach[i], highest * (l + slant))
        least[i] = Math.min(least[i], this.lowest * Math.max(0, l - slant))
      }
  }

  /** Takes an edge: sets the amplitudes of its faces. */
  private aim(e: number, aspect: Aspect): void {
    const { scene, materials, lighting, of, faces, reach, least } = this
    const f = FRAMES_SIZE * e
    setLighting(scene, e, aspect.tx.r, lighting)
    const { lit, share } = lighting
    const N = scene.edges[EDGE_SIZE * e + 7]
    const isRim = scene.faces[2 * e] === scene.faces[2 * e + 1]
    // Alike on both sides, an opaque surface is a sheet through which nothing passes.
    const isSheet = materials.kind[e] === SHEET || (isRim && this.isAlike(e))
    this.shift = materials.kind[e] === SHEET ? 0 : this.toMetal(e, aspect, isRim)
    of.fill(null)
    const conditions = isSheet ? null : this.conditions.ofWedge(e, aspect, lit)
    for (let i = 0; i < 2; i++) {
      // The currents of a sheet are those of both sides: once at a rim, from the side that is lit.
      if (isSheet && isRim && i !== (lit[1] ? 1 : 0)) continue
      const face = faces[i]
      if (!face.aim(scene.frames, f + 9 * i, aspect, N, reach[i], share, least[i])) continue
      if (isSheet && isRim && !lit[0] && !lit[1]) face.takeMean()
      if (conditions && this.isFaded(face, conditions[i], conditions[1 - i])) continue
      const isSkewRim = isSheet && isRim && face.isSkew
      of[i] = this.amplitudes[i]
      for (let p = 0; p < this.frequencies.length; p++) {
        const out = this.amplitudes[i][p]
        if (isSkewRim)
          face.rimAmplitudes(
            this.wedgeOf(1),
            this.conditions.at(e, i, aspect, true, p, true),
            this.longest(i, p),
            this.endOf(e, p),
            out,
          )
        else {
          const fields = conditions
            ? this.wedgeFields(
                e,
                conditions[i][p],
                conditions[1 - i][p],
                face,
                lit[i],
                isRim,
                p,
                this.longest(i, p),
              )
            : this.sheetFields(e, i, aspect, lit[i], isRim, p)
          face.amplitudes(fields, out)
        }
      }
    }
  }

  /** k l of the edge's longest strip at node p. */
  private longest(i: number, p: number): number {
    return (this.reach[i] * this.sum.k[p]) / this.highest
  }

  private endOf(e: number, p: number): number {
    return endFace(this.materials.list[this.materials.of[2 * e]], this.frequencies[p])
  }

  /** Phase path by which the metal edge under coatings is ahead of the facets' [m]. */
  private toMetal(e: number, { tx, rx }: Aspect, isRim: boolean): number {
    const { scene, materials, lighting } = this
    if (materials.kind[e] === JUNCTION) return 0
    const { frames, sides } = scene
    const f = FRAMES_SIZE * e
    const cover = [0, 1].map((i) => coverOf(materials.list[materials.of[2 * e + i]], sides[2 * e + i] < 0))
    const along = (i: number): number => {
      let sum = 0
      for (let c = 0; c < 3; c++) sum += frames[f + i + c] * (tx.r[c] + rx.r[c])
      return sum
    }
    // At a rim the facet is the outer face of the side that is lit.
    if (isRim) return lighting.lit[1] ? cover[1] * along(3) : -cover[0] * along(3)
    // The point of both metal planes: at -cover along each outward normal. Of face 0's frame the other normal is (sin, cos) of N pi - pi.
    const turn = (scene.edges[EDGE_SIZE * e + 7] - 1) * Math.PI
    const [sin, cos] = [-Math.max(Math.sin(turn), LEAST_SINE), Math.cos(turn)]
    const y = -cover[0]
    const x = (-cover[1] - cos * y) / sin
    return x * along(0) + y * along(3)
  }

  /** Whether so little of a wedge's field counts, over the whole band, that it is left out. */
  private isFaded(face: MaterialFace, own: FaceConditions[], other: FaceConditions[]): boolean {
    return own.every(({ E, H }, p) => face.skewWeight([E, H, other[p].E, other[p].H]) < LEAST_WEIGHT)
  }

  private wedgeFields(
    e: number,
    own: FaceConditions,
    other: FaceConditions,
    face: MaterialFace,
    lit: boolean,
    isRim: boolean,
    p: number,
    kL: number,
  ): SurfaceField[] {
    const wedge = this.wedgeOf(this.scene.edges[EDGE_SIZE * e + 7])
    const skew = face.skewWeight([own.E, own.H, other.E, other.H])
    const end = isRim ? this.endOf(e, p) : 0
    const fields: SurfaceField[] = []
    for (const isE of [true, false]) {
      const [mine, others] = isE ? [own.E, other.E] : [own.H, other.H]
      const spectrum = new SurfaceSpectrum(wedge, face.phi0, lit, mine, others)
      const weight = skew * faceShare(spectrum, face.mu, kL, isE ? 0 : end)
      fields.push({ spectrum, isE, normal: true, jump: true, weight })
    }
    return fields
  }

  /** The even and the odd problem about the sheet's plane: half-spaces, beyond the sheet with no du/dn or no u, or with another sheet's. */
  private sheetFields(
    e: number,
    i: number,
    aspect: Aspect,
    lit: boolean,
    isRim: boolean,
    p: number,
  ): SurfaceField[] {
    const wedge = this.wedgeOf(1)
    const own = this.conditions.at(e, i, aspect, true, p)
    const other = isRim ? null : this.conditions.at(e, 1 - i, aspect, true, p)
    const face = this.faces[i]
    const fields: SurfaceField[] = []
    const skew = other ? face.skewWeight([...allOf(own), ...allOf(other)]) : 1
    if (skew === 0) return fields
    const kL = this.longest(i, p)
    const end = isRim ? this.endOf(e, p) : 0
    for (const isE of [true, false]) {
      const beyondEven = other ? (isE ? other.E : other.H) : NEUMANN
      const beyondOdd = other ? (isE ? other.jumpE : other.jumpH) : DIRICHLET
      const even = new SurfaceSpectrum(wedge, face.phi0, lit, isE ? own.E : own.H, beyondEven)
      const odd = new SurfaceSpectrum(wedge, face.phi0, lit, isE ? own.jumpE : own.jumpH, beyondOdd)
      const weight = skew * sheetShare(even, odd, face.mu, kL, isE ? 0 : end)
      if (even.face !== NEUMANN) fields.push({ spectrum: even, isE, normal: true, jump: false, weight })
      if (odd.face !== DIRICHLET) fields.push({ spectrum: odd, isE, normal: false, jump: true, weight })
    }
    return fields
  }

  /** Whether the rim of an opaque surface is alike on both of its sides. */
  private isAlike(e: number): boolean {
    const { list, of } = this.materials
    const material = list[of[2 * e]]
    return !('sides' in material && material.sides === 'front')
  }

  private wedgeOf(N: number): MaterialWedge {
    let wedge = this.wedges.get(N)
    if (wedge) return wedge
    if (this.wedges.size >= MOST_WEDGES) this.wedges.clear()
    this.wedges.set(N, (wedge = new MaterialWedge(N)))
    return wedge
  }

  /** Adds a piece of an edge for one face. */
  private addPiece(
    face: MaterialFace,
    amplitudes: FaceAmplitudes[],
    psi: number,
    length: number,
    l: number,
    slope: number,
  ): void {
    const { highest, truncation } = this
    const { slide, cone, sinBeta0 } = face
    const half = 0.5 * length
    // No strip is shorter than nothing (`EdgeField`).
    if (half * Math.abs(slope) > l) slope = Math.sign(slope) * (l / half)
    const longest = l + half * Math.abs(slope)
    if (truncation !== 'eec' && longest === 0) return
    const square = sinBeta0 * sinBeta0
    const phase = slide - slope * cone
    if (!face.strip.isCut(highest * longest * square)) {
      const displaced = face.strip.displaced(phase, sinBeta0, slope)
      this.integrate(face, amplitudes, { psi, length, l, slope, cone, phase, displaced })
      return
    }
    const apart = {
      slope: 0,
      cone: 2 * square * face.strip.c * face.strip.c,
      phase,
      displaced: face.strip.displaced(phase, sinBeta0, 0),
    }
    const count = segmentCount(highest * (Math.abs(slide) + Math.abs(slope) * cone) * length)
    for (let i = 0; i < count; i++) {
      const [t, size] = segmentOf(i, count, length, slope)
      this.integrate(face, amplitudes, { ...apart, psi: psi + slide * t, length: size, l: l + slope * t })
    }
  }

  /** Adds A e^{jk(psi + slide t)} less what the ends take away, integrated along a piece. */
  private integrate(face: MaterialFace, amplitudes: FaceAmplitudes[], piece: StripPiece): void {
    const { sum, ends, highest, truncation } = this
    const { psi, length, l, cone, phase } = piece
    const { slide } = face
    const half = 0.5 * length
    for (const side of highest * Math.abs(slide) * length <= 2 * SHORT ? [0] : [-1, 1]) {
      ends.untruncated(amplitudes, length, slide, side)
      sum.add(psi + side * half * slide, ends.out)
    }
    if (truncation === 'eec') return
    for (const side of highest * Math.abs(phase) * length <= 2 * SHORT ? [0] : [-1, 1]) {
      ends.truncation(face, amplitudes, piece, side)
      sum.add(psi - l * cone + side * half * phase, ends.out)
    }
  }
}
