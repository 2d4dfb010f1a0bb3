import {
  type Aspect,
  type Band,
  C0,
  frequency,
  InputError,
  type Vec3,
  wavenumber,
} from '../../../scene/index.js'
import { segmentCount, segmentOf, SHORT } from '../edge-field.js'
import { along, EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from '../../geometry/edge-scene.js'
import { nodeCount, type PathSum, pathSum } from '../../engine/delay-amplitudes.js'
import { type Lighting, SEGMENT_SIZE, setLighting } from '../../light/segments.js'
import type { Truncation } from '../strip.js'
import { emptyAmplitudes, type FaceAmplitudes, type SurfaceField, turn } from './amplitudes.js'
import {
  allOf,
  coverOf,
  EdgeConditions,
  type FaceConditions,
  type FaceIncidence,
  type FacePath,
  type Gap,
  opticsGap,
  pathOver,
  wallsOf,
} from './conditions.js'
import { type EdgeMaterials, NOT_COATED, SHEET, WEDGE } from './edge-materials.js'
import { DIRICHLET, NEUMANN } from '../../../math/maliuzhinets.js'
import { MaterialFace } from './material-face.js'
import {
  aboveMiddle,
  cornerShare,
  endFace,
  endOnShare,
  faceShare,
  mixing,
  sheetShare,
  shutShare,
  skewShare,
} from './missing-waves.js'
import { addOverhang, StripEnds, type StripPiece } from './strip-ends.js'
import { rimAmplitudes } from './skew-sheet.js'
import { skewAmplitudes, SkewWedge } from './skew-wedge.js'
import { type FaceImpedance, METAL, shapeOf } from './skew-face.js'
import { MaterialWedge, SurfaceSpectrum } from './surface-spectrum.js'
import type { Material } from '../../../scene/materials/material.js'
import { type BandBasis, materialBasis } from '../../../rays/material-basis.js'

/** Wedges kept. */
const MOST_WEDGES = 256
/** Less of a wedge's field than this is left out, as 60 dB below what the edge would have. */
const LEAST_WEIGHT = 1e-3
/** E and H along a wedge that are coupled by less than this part are independent. */
const UNCOUPLED = 1e-3

/** The first-order field of edges of other materials than perfect conductors, of one scene and band. One object per thread. */
export class MaterialEdges {
  private readonly sum: PathSum
  private readonly part: Float64Array
  private readonly frequencies: Float64Array
  /** Of the band's step of half an octave [Hz]: where the equations of oblique wedges are solved, not what they are. */
  private readonly middle: number
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
  /**
   * Of the current edge's faces: how far inside the facets' edge the walls of H have theirs [m] by frequency, where H has amplitudes of its
   * own (`inner`); empty elsewhere.
   */
  private readonly insets: number[][] = [[], []]
  private readonly inner: FaceAmplitudes[][]
  private readonly conditions: EdgeConditions
  /** Of each material at each node (`shutShare`). */
  private readonly shut: number[][]

  constructor(
    private readonly scene: EdgeScene,
    private readonly materials: EdgeMaterials,
    band: Band,
    private readonly truncation: Truncation,
    exact: boolean,
  ) {
    this.faces = [0, 1].map(() => new MaterialFace(truncation))
    this.sum = pathSum(band, exact ? null : materialEdgeNodes(materials.list, band))
    this.part = new Float64Array(8 * band.n)
    this.frequencies = this.sum.k.map((k) => (k * C0) / (2 * Math.PI))
    this.amplitudes = this.faces.map(() => Array.from(this.frequencies, emptyAmplitudes))
    this.inner = this.faces.map(() => Array.from(this.frequencies, emptyAmplitudes))
    const { lowest, highest } = this.sum
    this.highest = highest
    this.middle = (C0 * Math.sqrt(lowest * highest)) / (2 * Math.PI)
    this.conditions = new EdgeConditions(scene, materials, this.frequencies)
    this.shut = materials.list.map((m) => Array.from(this.frequencies, (f) => shutShare(m, f)))
    this.lowest = lowest
    this.ends = new StripEnds(this.sum.k)
  }

  /** Adds the segments at positions `from` to `to` - 1 of an aspect's list to `out`: 8 numbers per frequency [m]. */
  add(aspect: Aspect, segments: Float64Array, from: number, to: number, out: Float64Array): void {
    const { materials, sum, part, faces, of } = this
    let edge = -1
    sum.reset()
    for (let o = from; o < to; o += SEGMENT_SIZE) {
      if (materials.kind[segments[o]] === NOT_COATED) continue
      if (segments[o] !== edge) {
        edge = segments[o]
        this.measure(segments, o, to)
        this.aim(edge, aspect)
      }
      for (let i = 0; i < 2; i++) {
        const amplitudes = of[i]
        if (!amplitudes) continue
        const psi = segments[o + 1] + this.shift
        const length = segments[o + 2]
        const [l, slope] = [segments[o + 3 + 2 * i], segments[o + 4 + 2 * i]]
        this.addPiece(faces[i], amplitudes, psi, length, l, slope)
        // Frequencies whose walls lie in the same place are one.
        const insets = this.insets[i]
        for (let first = 0, end = 0; first < insets.length; first = end) {
          while (end < insets.length && insets[end] === insets[first]) end++
          const within = Math.max(0, l - this.betweenWalls(i, insets[first], slope))
          this.addPiece(faces[i], this.inner[i], psi, length, within, slope, first, end)
        }
      }
    }
    if (sum.empty) return
    sum.finish(part)
    for (let i = 0; i < part.length; i++) out[i] += part[i]
  }

  /**
   * By how much the strips of face i are shorter from wall to wall than from edge to edge [m]; the other end's wall is taken to be as far
   * inside. Its line, which is straight, follows from the slope of the strips' lengths.
   */
  private betweenWalls(i: number, inset: number, slope: number): number {
    const { sinBeta0, kappa } = this.faces[i]
    const across = (1 + slope * kappa) / sinBeta0
    return inset * (Math.hypot(slope, across) + across)
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
    if (!isSheet && this.sum.k.every((_, p) => this.shutOf(e, p) < LEAST_WEIGHT)) return void of.fill(null)
    this.shift = materials.kind[e] === WEDGE && isRim ? this.toMetal(e, aspect) : 0
    of.fill(null)
    // Between bent faces physical optics ends at the facets' edge, and not where metal under coatings has its own.
    const isSymmetric = isRim || materials.kind[e] !== WEDGE
    const paths = [0, 1].map((i) => pathOver(scene.frames, f + 9 * i, aspect, lit[i], isSheet))
    const takenAt = paths.map(({ incidence, mean }) => (isSymmetric ? mean : incidence))
    const conditions = isSheet ? null : takenAt.map((at, i) => this.conditions.ofFace(e, i, at))
    let solutions: SkewWedge[] | null = null
    for (let i = 0; i < 2; i++) {
      // The currents of a sheet are those of both sides: once at a rim, from the side that is lit.
      if (isSheet && isRim && i !== (lit[1] ? 1 : 0)) continue
      const face = faces[i]
      const hasWalls = materials.kind[e] === WEDGE && !isRim
      // Opaque sheets have theirs outside.
      this.insets[i] = hasWalls ? this.insetsOf(e, i, aspect) : []
      const shortest = this.insets[i].length > 0 ? 0 : least[i]
      if (!face.aim(scene.frames, f + 9 * i, aspect, N, reach[i], share, shortest)) continue
      if (isSheet && isRim && !lit[0] && !lit[1]) face.takeMean()
      const isSkewWedge = conditions !== null && face.isSkew && this.isCoupled(e, face, takenAt)
      if (isSkewWedge) this.insets[i] = []
      const endOn = isSkewWedge ? endOnShare(face.sinBeta0) : 1
      if (endOn < LEAST_WEIGHT) continue
      const isSkewRim = isSheet && isRim && face.isSkew
      of[i] = this.amplitudes[i]
      for (let p = 0; p < this.frequencies.length; p++) {
        const out = this.amplitudes[i][p]
        const above = isSheet && isRim ? this.aboveFacets(e, i, aspect, p) : 0
        const gap = isSymmetric && lit[i] ? this.gapOf(e, i, paths[i], isRim, isSkewRim, p) : null
        if (isSkewRim)
          rimAmplitudes(
            face,
            this.wedgeOf(1),
            this.conditions.at(e, i, takenAt[i], p, true),
            this.longest(i, p),
            this.endOf(e, p),
            out,
            gap,
          )
        else {
          const fields = conditions
            ? this.wedgeFields(e, i, aspect, conditions[i][p], conditions[1 - i][p], lit[i], isRim, p)
            : this.sheetFields(e, i, takenAt, lit[i], isRim, p)
          const share = isSheet ? endOn : endOn * this.shutOf(e, p)
          for (const field of fields) field.weight *= share
          if (isSkewWedge) {
            solutions ??= this.skewWedges(e, takenAt)
            skewAmplitudes(face, solutions[p], i, fields, lit[i], out, gap)
          } else if (this.insets[i].length > 0) {
            face.amplitudes(
              fields.filter(({ isE }) => !isE),
              this.inner[i][p],
            )
            face.amplitudes(
              fields.filter(({ isE }) => isE),
              out,
            )
          } else face.amplitudes(fields, out, gap)
          if (lit[i])
            for (const field of fields)
              if (field.wall) addOverhang(face, field, field.wall, this.sum.k[p], out)
        }
        if (above !== 0) turn(out, this.sum.k[p] * above)
      }
    }
  }

  /** See `insets`. */
  private insetsOf(e: number, i: number, aspect: Aspect): number[] {
    const { scene, materials, frequencies } = this
    const insets = Array.from(frequencies, (frequency) => {
      const walls = wallsOf(scene, materials, e, i, frequency, aspect)
      return walls ? Math.max(0, walls[1].x) : 0
    })
    return insets.some((inset) => inset > 0) ? insets : []
  }

  /** Of a face that physical optics has, at node p; null where there is none. */
  private gapOf(
    e: number,
    i: number,
    path: FacePath,
    isRim: boolean,
    across: boolean,
    p: number,
  ): Gap | null {
    const { scene, materials, conditions, frequencies } = this
    if (path.mean === path.incidence && path.sine === path.sine0) return null
    const material = materials.list[materials.of[2 * e + i]]
    const cover = isRim ? coverOf(material, scene.sides[2 * e + i] < 0) : 0
    return opticsGap(
      path,
      conditions.at(e, i, path.mean, p, across),
      conditions.at(e, i, path.incidence, p, across),
      wavenumber(frequencies[p]) * path.incidence.sinBeta * cover,
    )
  }

  /** k l of the edge's longest strip at node p. */
  private longest(i: number, p: number): number {
    return (this.reach[i] * this.sum.k[p]) / this.highest
  }

  private cornerShareOf(e: number, p: number): number {
    const { list, of } = this.materials
    const N = this.scene.edges[EDGE_SIZE * e + 7]
    return Math.min(...[0, 1].map((i) => cornerShare(list[of[2 * e + i]], this.frequencies[p], N)))
  }

  /** How much of a wedge counts for the waves that pass through its faces. */
  private shutOf(e: number, p: number): number {
    const { of } = this.materials
    return Math.min(this.shut[of[2 * e]][p], this.shut[of[2 * e + 1]][p])
  }

  private endOf(e: number, p: number): number {
    return endFace(this.materials.list[this.materials.of[2 * e]], this.frequencies[p])
  }

  /** Phase path by which a rim's metal edge under a coating is ahead of the facets' [m]: they are the outer face of the side that is lit. */
  private toMetal(e: number, { tx, rx }: Aspect): number {
    const { scene, materials, lighting } = this
    const i = lighting.lit[1] ? 1 : 0
    const cover = coverOf(materials.list[materials.of[2 * e + i]], scene.sides[2 * e + i] < 0)
    const up = along(scene.frames, FRAMES_SIZE * e + 3, bisector(tx.r, rx.r))
    return (i === 1 ? cover : -cover) * up
  }

  /** Phase path by which the face of a rim's opaque sheet is ahead of its middle plane at node p [m]. */
  private aboveFacets(e: number, i: number, { tx, rx }: Aspect, p: number): number {
    const { scene, materials, frequencies } = this
    const above = aboveMiddle(materials.list[materials.of[2 * e + i]], frequencies[p])
    if (above === 0) return 0
    return above * along(scene.frames, FRAMES_SIZE * e + 9 * i + 3, bisector(tx.r, rx.r))
  }

  /** Whether E and H along a wedge are coupled by more than a conductor's limit, at the middle of the step: alike for all its nodes. */
  private isCoupled(e: number, face: MaterialFace, takenAt: FaceIncidence[]): boolean {
    const [first, other] = this.known((frequency) =>
      takenAt.map((at, i) => this.conditions.of(e, i, at, frequency)),
    )
    return face.cotangent * mixing([first.E, first.H, other.E, other.H]) > UNCOUPLED
  }

  /** The coupled fields of edge e's wedge at all nodes. */
  private skewWedges(e: number, takenAt: FaceIncidence[]): SkewWedge[] {
    const { conditions, frequencies } = this
    const [{ phi0, sinBeta0, kappa }] = this.faces
    const wedge = this.wedgeOf(this.scene.edges[EDGE_SIZE * e + 7])
    const at = (frequency: number): (FaceImpedance | null)[] =>
      takenAt.map((incidence, i) => conditions.impedance(e, i, incidence, frequency))
    const shapes = this.known(at).map((face) => shapeOf(face ?? METAL, sinBeta0))
    return Array.from(
      frequencies,
      (frequency) => new SkewWedge(wedge, at(frequency), shapes, sinBeta0, kappa, phi0),
    )
  }

  /** What holds at the middle, or, where a material's table does not reach so far, at the nearest frequency of the run. */
  private known<T>(at: (frequency: number) => T): T {
    try {
      return at(this.middle)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      const from = (f: number): number => Math.abs(f - this.middle)
      return at(this.frequencies.reduce((a, b) => (from(b) < from(a) ? b : a)))
    }
  }

  private wedgeFields(
    e: number,
    i: number,
    aspect: Aspect,
    own: FaceConditions,
    other: FaceConditions,
    lit: boolean,
    isRim: boolean,
    p: number,
  ): SurfaceField[] {
    const { scene, materials, frequencies } = this
    const face = this.faces[i]
    const wedge = this.wedgeOf(scene.edges[EDGE_SIZE * e + 7])
    const isWedge = materials.kind[e] === WEDGE && !isRim
    const shareE = isWedge ? this.cornerShareOf(e, p) : 1
    const end = isRim ? this.endOf(e, p) : 0
    const walls = isWedge ? wallsOf(scene, materials, e, i, frequencies[p], aspect) : null
    return [true, false].map((isE) => {
      const [mine, others] = isE ? [own.E, other.E] : [own.H, other.H]
      const wall = walls ? walls[isE ? 0 : 1] : null
      const spectrum = new SurfaceSpectrum(wedge, face.phi0, lit, mine, others, wall?.phase)
      const share = faceShare(spectrum, face.mu, this.longest(i, p), isE ? 0 : end)
      return { spectrum, isE, normal: true, jump: true, weight: (isE ? shareE : 1) * share, wall }
    })
  }

  /** The even and the odd problem about the sheet's plane: half-spaces, beyond the sheet with no du/dn or no u, or with another sheet's. */
  private sheetFields(
    e: number,
    i: number,
    at: readonly FaceIncidence[],
    lit: boolean,
    isRim: boolean,
    p: number,
  ): SurfaceField[] {
    const wedge = this.wedgeOf(1)
    const own = this.conditions.at(e, i, at[i], p)
    const other = isRim ? null : this.conditions.at(e, 1 - i, at[1 - i], p)
    const face = this.faces[i]
    const fields: SurfaceField[] = []
    const skew = other ? skewShare([...allOf(own), ...allOf(other)], face.cotangent) : 1
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

  /** Adds a piece of an edge for one face at nodes first to end - 1. */
  private addPiece(
    face: MaterialFace,
    amplitudes: FaceAmplitudes[],
    psi: number,
    length: number,
    l: number,
    slope: number,
    first = 0,
    end = amplitudes.length,
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
      this.integrate(face, amplitudes, { psi, length, l, slope, cone, phase, displaced, first, end })
      return
    }
    const apart = {
      slope: 0,
      cone: 2 * square * face.strip.c * face.strip.c,
      phase,
      displaced: face.strip.displaced(phase, sinBeta0, 0),
      first,
      end,
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
      ends.untruncated(amplitudes, piece, slide, side)
      sum.add(psi + side * half * slide, ends.out)
    }
    if (truncation === 'eec') return
    for (const side of highest * Math.abs(phase) * length <= 2 * SHORT ? [0] : [-1, 1]) {
      ends.truncation(face, amplitudes, piece, side)
      sum.add(psi - l * cone + side * half * phase, ends.out)
    }
  }
}

const bisector = (a: Vec3, b: Vec3): Vec3 => a.map((x, c) => x + b[c]) as Vec3

/** Bound of what the coefficients of materials are off by between the nodes. */
const TOLERANCE = 1e-6
/** Nodes above which every frequency is evaluated. */
const MOST_NODES = 32
/** Powers of the coefficients: amplitudes of edges are no polynomials of them. */
const POWERS = 2
/** Largest phase of a piece's half about its middle, at the middle of the band [rad]; decay of a strip's terms at its end. */
const PHASE = 2
const DECAYS = [0.5, 3]

/**
 * Nodes and weights that interpolate the amplitudes of edges of these materials over a band, kinks of tables included; null where they vary
 * too fast and every frequency is evaluated.
 */
export function materialEdgeNodes(list: readonly Material[], band: Band): BandBasis | null {
  const last = frequency(band, band.n - 1)
  if (band.n <= nodeCount(band.f0, last) + 2) return null
  const middle = (Math.PI * (band.f0 + last)) / C0
  const shapes = (k: Float64Array): Float64Array[] => [
    k.map((x) => (middle / x) ** 2),
    k.map((x) => Math.cos((PHASE * (x - middle)) / middle)),
    k.map((x) => Math.sin((PHASE * (x - middle)) / middle)),
    ...DECAYS.map((decay) => k.map((x) => Math.exp((-decay * x) / middle))),
  ]
  return materialBasis({ list }, band, POWERS, shapes, TOLERANCE, Math.min(MOST_NODES, band.n - 3))
}
