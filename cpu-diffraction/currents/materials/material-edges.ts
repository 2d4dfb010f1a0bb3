import { type Aspect, type Band, C0, frequency, InputError, wavenumber } from '../../../scene/index.js'
import { segmentCount, segmentOf, SHORT } from '../edge-field.js'
import { along, EDGE_SIZE, type EdgeScene, FRAMES_SIZE, vectorAt } from '../../geometry/edge-scene.js'
import { nodeCount, type PathSum, pathSum } from '../../engine/delay-amplitudes.js'
import { type Lighting, SEGMENT_SIZE, setLighting } from '../../light/segments.js'
import type { Truncation } from '../strip.js'
import {
  clearAmplitudes,
  emptyAmplitudes,
  type FaceAmplitudes,
  StripEnds,
  type StripPiece,
  type SurfaceField,
  turn,
  type Wall,
} from './amplitudes.js'
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
} from './conditions.js'
import { type EdgeMaterials, NOT_COATED, SHEET, WEDGE } from './edge-materials.js'
import { DIRICHLET, NEUMANN } from '../../../math/maliuzhinets.js'
import { MaterialFace, weightsOf } from './material-face.js'
import {
  aboveMiddle,
  cornerShare,
  endFace,
  endOnShare,
  fieldShare,
  mixing,
  shutShare,
  skewShare,
} from './missing-waves.js'
import { rimAmplitudes } from './skew-sheet.js'
import { skewAmplitudes, SkewWedge } from './skew-wedge.js'
import { type FaceImpedance, METAL, shapeOf } from './skew-face.js'
import { HALF_SPACE, MaterialWedge, SurfaceSpectrum } from './surface-spectrum.js'
import type { Material } from '../../../scene/materials/material.js'
import { EdgeWalls } from './walls.js'
import { type BandBasis, materialBasis } from '../../../rays/material-basis.js'

/** Wedges kept. */
const MOST_WEDGES = 256
/** Less of a wedge's field than this is left out, as 60 dB below what the edge would have. */
const LEAST_WEIGHT = 1e-3
/** E and H along a wedge that are coupled by less than this part are independent. */
const UNCOUPLED = 1e-3

/** An edge under an aspect, as its faces' amplitudes are found from it. */
interface AimedEdge {
  e: number
  aspect: Aspect
  N: number
  lit: readonly boolean[]
  isRim: boolean
  /** Waves pass through, or it is alike on both sides: then an opaque surface is a sheet through which nothing passes. */
  isSheet: boolean
  /** A bend with walls of its own (`wallDepths`). */
  hasWalls: boolean
  paths: readonly FacePath[]
  /** Incidence that each face's conditions are taken at. */
  takenAt: readonly FaceIncidence[]
}

/** Face of the current edge. */
interface Side {
  face: MaterialFace
  /** k l of the edge's longest and shortest strips. */
  reach: number
  least: number
  /** By frequency; none where it has no field. */
  parts: FacePart[]
  memory: FaceAmplitudes[][]
}

/** What a face's field has in one place. */
interface FacePart {
  amplitudes: FaceAmplitudes[]
  /** Where it is, by frequency; null: at the facets' edge. */
  walls: (Wall | null)[] | null
  /** On the facet between its edge and that of the walls, without other ends. */
  isBeyond: boolean
}

/** The first-order field of edges of other materials than perfect conductors, of one scene and band. One object per thread. */
export class MaterialEdges {
  private readonly sum: PathSum
  private readonly part: Float64Array
  private readonly frequencies: Float64Array
  /** Of the band's step of half an octave [Hz]: where the equations of oblique wedges are solved, not what they are. */
  private readonly middle: number
  private readonly wedges = new Map<number, MaterialWedge>()
  private readonly sides: Side[]
  private readonly ends: StripEnds
  private shift = NaN
  private readonly conditions: EdgeConditions
  private readonly walls: EdgeWalls
  /** Of each material at each node (`shutShare`). */
  private readonly shut: number[][]

  constructor(
    private readonly scene: EdgeScene,
    private readonly materials: EdgeMaterials,
    band: Band,
    private readonly truncation: Truncation,
    exact: boolean,
  ) {
    this.sum = pathSum(band, exact ? null : materialEdgeNodes(materials.list, band))
    this.part = new Float64Array(8 * band.n)
    this.frequencies = this.sum.k.map((k) => (k * C0) / (2 * Math.PI))
    this.sides = [0, 1].map(() => ({
      face: new MaterialFace(truncation),
      reach: NaN,
      least: NaN,
      parts: [],
      memory: Array.from({ length: 4 }, () => Array.from(this.frequencies, emptyAmplitudes)),
    }))
    this.middle = (C0 * Math.sqrt(this.sum.lowest * this.sum.highest)) / (2 * Math.PI)
    this.conditions = new EdgeConditions(scene, materials, this.frequencies)
    this.walls = new EdgeWalls(scene, materials)
    this.shut = materials.list.map((m) => Array.from(this.frequencies, (f) => shutShare(m, f)))
    this.ends = new StripEnds(this.sum.k)
  }

  /** Adds the segments at positions `from` to `to` - 1 of an aspect's list to `out`: 8 numbers per frequency [m]. */
  add(aspect: Aspect, segments: Float64Array, from: number, to: number, out: Float64Array): void {
    const { materials, sum, part, sides } = this
    let edge = -1
    sum.reset()
    for (let o = from; o < to; o += SEGMENT_SIZE) {
      if (materials.kind[segments[o]] === NOT_COATED) continue
      if (segments[o] !== edge) {
        edge = segments[o]
        this.measure(segments, o, to)
        this.aim(edge, aspect)
      }
      for (const [i, { face, parts }] of sides.entries())
        for (const part of parts) this.addPart(face, part, segments, o, i)
    }
    if (sum.empty) return
    sum.finish(part)
    for (let i = 0; i < part.length; i++) out[i] += part[i]
  }

  /** Adds a segment, at a position of the list, of what face i has in one place. */
  private addPart(face: MaterialFace, part: FacePart, segments: Float64Array, o: number, i: number): void {
    const [edge, psi, length] = segments.subarray(o, o + 3)
    const [l, slope, middle] = [segments[o + 3 + 2 * i], segments[o + 4 + 2 * i], segments[o + 7]]
    const { amplitudes, walls, isBeyond } = part
    // The ends of what lies beyond follow the line from corner to corner.
    const inside = isBeyond ? 0.5 : 1
    const { edges, frames } = this.scene
    const p = EDGE_SIZE * edge
    // Along z of the face and along the edge.
    const sign = along(frames, FRAMES_SIZE * edge + 9 * i + 6, vectorAt(edges, p + 3))
    for (let first = 0, end = 0; first < amplitudes.length; first = end) {
      const wall = walls?.[first] ?? null
      // Frequencies whose walls lie in the same place are one.
      while (end < amplitudes.length && isSamePlace(wall, walls?.[end] ?? null)) end++
      const ends = wall?.ends ?? [0, 0]
      const from = Math.max(middle - 0.5 * length, inside * ends[0])
      const to = Math.min(middle + 0.5 * length, edges[p + 6] - inside * ends[1])
      if (!(to > from)) continue
      const moved = sign * (0.5 * (from + to) - middle)
      const strip = l + slope * moved
      const within =
        wall && wall.x > 0 && !isBeyond ? Math.max(0, strip - betweenWalls(face, wall.x, slope)) : strip
      const piece = { psi: psi + this.shift + face.slide * moved, length: to - from, l: within, slope }
      this.addPiece(face, amplitudes, { ...piece, first, end }, isBeyond)
    }
  }

  /** Sets the longest and the shortest strips of the edge's pieces, from position `at` on. */
  private measure(segments: Float64Array, at: number, to: number): void {
    const { highest, lowest } = this.sum
    for (const [i, side] of this.sides.entries()) {
      side.reach = 0
      side.least = Infinity
      for (let o = at; o < to && segments[o] === segments[at]; o += SEGMENT_SIZE) {
        const l = segments[o + 3 + 2 * i]
        const slant = 0.5 * segments[o + 2] * Math.abs(segments[o + 4 + 2 * i])
        side.reach = Math.max(side.reach, highest * (l + slant))
        side.least = Math.min(side.least, lowest * Math.max(0, l - slant))
      }
    }
  }

  /** Takes an edge: sets the amplitudes of its faces. */
  private aim(e: number, aspect: Aspect): void {
    const { scene, materials, sides } = this
    const f = FRAMES_SIZE * e
    const lighting: Lighting = { lit: [false, false], share: 1 }
    setLighting(scene, e, aspect.tx.r, lighting)
    const { lit, share } = lighting
    const N = scene.edges[EDGE_SIZE * e + 7]
    const isWedge = materials.kind[e] === WEDGE
    const isRim = scene.faces[2 * e] === scene.faces[2 * e + 1]
    const isSheet = materials.kind[e] === SHEET || (isRim && this.isAlike(e))
    for (const side of sides) side.parts = []
    if (!isSheet && this.sum.k.every((_, p) => this.shutOf(e, p) < LEAST_WEIGHT)) return
    const litSide = lit[1] ? 1 : 0
    // The metal edge of a rim under a coating lies below the facets, the outer face of the side that is lit.
    this.shift = isWedge && isRim ? this.ahead(e, litSide, aspect, -this.coverOf(e, litSide)) : 0
    // Between bent faces physical optics ends at the facets' edge, and not where metal under coatings has its own.
    const isSymmetric = isRim || !isWedge
    const paths = [0, 1].map((i) => pathOver(scene.frames, f + 9 * i, aspect, lit[i], isSheet))
    const takenAt = paths.map(({ incidence, mean }) => (isSymmetric ? mean : incidence))
    const edge = { e, aspect, N, lit, isRim, isSheet, hasWalls: isWedge && !isRim, paths, takenAt }
    const conditions = isSheet ? null : takenAt.map((at, i) => this.conditions.ofFace(e, i, at))
    let solutions: SkewWedge[] | null = null
    for (const [i, side] of sides.entries()) {
      // The currents of a sheet are those of both sides: once at a rim, from the side that is lit.
      if (isSheet && isRim && i !== litSide) continue
      const { face } = side
      const walls = edge.hasWalls ? this.wallsOf(edge, i) : null
      const strips = { reach: side.reach, least: walls ? 0 : side.least }
      if (!face.aim(scene.frames, f + 9 * i, aspect, N, strips, share)) continue
      if (isSheet && isRim && !lit[0] && !lit[1]) face.takeMean()
      const isSkewWedge = conditions !== null && face.isSkew && this.isCoupled(e, face, takenAt)
      const endOn = isSkewWedge ? endOnShare(face.sinBeta0) : 1
      if (endOn < LEAST_WEIGHT) continue
      const isSkewRim = isSheet && isRim && face.isSkew
      side.parts = this.partsOf(side, walls, isSkewWedge)
      for (let p = 0; p < this.frequencies.length; p++) {
        const out = side.memory[0][p]
        const gap = isSymmetric && lit[i] ? this.gapOf(edge, i, isSkewRim, p) : null
        if (isSkewRim) {
          const own = this.conditions.at(e, i, takenAt[i], p, true)
          rimAmplitudes(face, own, this.longest(i, p), this.endOf(e, p), out, gap)
        } else {
          const fields = conditions
            ? this.wedgeFields(edge, i, walls?.[p] ?? null, [conditions[i][p], conditions[1 - i][p]], p)
            : this.sheetFields(edge, i, p)
          const weight = isSheet ? endOn : endOn * this.shutOf(e, p)
          for (const field of fields) field.weight *= weight
          if (isSkewWedge) {
            solutions ??= this.skewWedges(edge)
            skewAmplitudes(face, solutions[p], i, fields, lit[i], out)
          } else if (walls) fields.forEach((field, u) => face.amplitudes([field], side.memory[u][p]))
          else face.amplitudes(fields, out)
          if (gap) face.addGap(gap, weightsOf(fields), out)
          if (walls) this.addBesides(side, fields, lit[i], isSkewWedge, p)
        }
        if (!isSheet || !isRim) continue
        // The face of an opaque sheet is above its middle plane.
        const above = aboveMiddle(this.materialOf(e, i), this.frequencies[p])
        if (above !== 0) turn(out, this.sum.k[p] * this.ahead(e, i, aspect, above))
      }
    }
  }

  private materialOf(e: number, i: number): Material {
    return this.materials.list[this.materials.of[2 * e + i]]
  }

  /** See `coverOf`. */
  private coverOf(e: number, i: number): number {
    return coverOf(this.materialOf(e, i), this.scene.sides[2 * e + i] < 0)
  }

  /** By frequency the walls of face i, of E and of H; null where there are none but the facets. */
  private wallsOf({ e, aspect }: AimedEdge, i: number): (Wall[] | null)[] | null {
    const walls = Array.from(this.frequencies, (frequency) => this.walls.of(e, i, frequency, aspect))
    return walls.some((of) => of !== null) ? walls : null
  }

  /** What a face has: E and H at their walls, coupled ones at the metal, and both on the facets beyond. */
  private partsOf({ memory }: Side, walls: (Wall[] | null)[] | null, isCoupled: boolean): FacePart[] {
    if (!walls) return [{ amplitudes: memory[0], walls: null, isBeyond: false }]
    const all = memory.map((amplitudes, n) => ({
      amplitudes,
      walls: walls.map((of) => of?.[n & 1] ?? null),
      isBeyond: n > 1,
    }))
    return isCoupled ? all.filter((_, n) => n !== 1) : all
  }

  /** Adds what a lit face has beside the fields of its walls. */
  private addBesides(
    { face, memory }: Side,
    fields: SurfaceField[],
    lit: boolean,
    isCoupled: boolean,
    p: number,
  ): void {
    fields.forEach((field, u) => {
      clearAmplitudes(memory[2 + u][p])
      if (!lit || !field.wall) return
      face.addStrip(field, this.sum.k[p], memory[2 + u][p])
      face.addWayDown(field, this.sum.k[p], memory[isCoupled ? 0 : u][p])
    })
  }

  /** Of a face that physical optics has, at node p; null where there is none. */
  private gapOf({ e, isRim, paths }: AimedEdge, i: number, across: boolean, p: number): Gap | null {
    const { conditions, frequencies } = this
    const path = paths[i]
    if (path.mean === path.incidence && path.sine === path.sine0) return null
    const cover = isRim ? this.coverOf(e, i) : 0
    return opticsGap(
      path,
      conditions.at(e, i, path.mean, p, across),
      conditions.at(e, i, path.incidence, p, across),
      wavenumber(frequencies[p]) * path.incidence.sinBeta * cover,
    )
  }

  /** k l of the edge's longest strip at node p. */
  private longest(i: number, p: number): number {
    return (this.sides[i].reach * this.sum.k[p]) / this.sum.highest
  }

  /** How much of a wedge counts for the waves that pass through its faces. */
  private shutOf(e: number, p: number): number {
    const { of } = this.materials
    return Math.min(this.shut[of[2 * e]][p], this.shut[of[2 * e + 1]][p])
  }

  private endOf(e: number, p: number): number {
    return endFace(this.materialOf(e, 0), this.frequencies[p])
  }

  /** Phase path by which what lies `above` face i [m] is ahead of it. */
  private ahead(e: number, i: number, { tx, rx }: Aspect, above: number): number {
    if (above === 0) return 0
    const at = FRAMES_SIZE * e + 9 * i + 3
    return above * (along(this.scene.frames, at, tx.r) + along(this.scene.frames, at, rx.r))
  }

  /** Whether E and H along a wedge are coupled by more than a conductor's limit, at the middle of the step: alike for all its nodes. */
  private isCoupled(e: number, face: MaterialFace, takenAt: readonly FaceIncidence[]): boolean {
    const [first, other] = this.known((frequency) =>
      takenAt.map((at, i) => this.conditions.of(e, i, at, frequency)),
    )
    return face.cotangent * mixing([first.E, first.H, other.E, other.H]) > UNCOUPLED
  }

  /** The coupled fields of an edge's wedge at all nodes. */
  private skewWedges({ e, N, takenAt }: AimedEdge): SkewWedge[] {
    const { face } = this.sides[0]
    const wedge = this.wedgeOf(N)
    const at = (frequency: number): (FaceImpedance | null)[] =>
      takenAt.map((incidence, i) => this.conditions.impedance(e, i, incidence, frequency))
    const shapes = this.known(at).map((impedance) => shapeOf(impedance ?? METAL, face.sinBeta0))
    return Array.from(this.frequencies, (frequency) => new SkewWedge(wedge, at(frequency), shapes, face))
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
    { e, N, lit, isRim, hasWalls }: AimedEdge,
    i: number,
    walls: Wall[] | null,
    [own, other]: FaceConditions[],
    p: number,
  ): SurfaceField[] {
    const frequency = this.frequencies[p]
    const { face } = this.sides[i]
    const wedge = this.wedgeOf(N)
    const corner = hasWalls ? [0, 1].map((f) => cornerShare(this.materialOf(e, f), frequency, N)) : [1]
    const end = isRim ? this.endOf(e, p) : 0
    return [true, false].map((isE) => {
      const [mine, others] = isE ? [own.E, other.E] : [own.H, other.H]
      const wall = walls ? walls[isE ? 0 : 1] : null
      const spectrum = new SurfaceSpectrum(wedge, face.phi0, lit[i], mine, others, wall?.phase)
      const share = fieldShare(spectrum, spectrum, face.mu, this.longest(i, p), isE ? 0 : end)
      const weight = (isE ? Math.min(...corner) : 1) * share
      return { spectrum, isE, normal: true, jump: true, weight, wall }
    })
  }

  /** The even and the odd problem about the sheet's plane: half-spaces, beyond the sheet with no du/dn or no u, or with another sheet's. */
  private sheetFields({ e, lit, isRim, takenAt }: AimedEdge, i: number, p: number): SurfaceField[] {
    const own = this.conditions.at(e, i, takenAt[i], p)
    const other = isRim ? null : this.conditions.at(e, 1 - i, takenAt[1 - i], p)
    const { face } = this.sides[i]
    const fields: SurfaceField[] = []
    const skew = other ? skewShare([...allOf(own), ...allOf(other)], face.cotangent) : 1
    if (skew === 0) return fields
    const end = isRim ? this.endOf(e, p) : 0
    for (const isE of [true, false]) {
      const [u, du] = isE ? (['E', 'jumpE'] as const) : (['H', 'jumpH'] as const)
      const even = new SurfaceSpectrum(HALF_SPACE, face.phi0, lit[i], own[u], other?.[u] ?? NEUMANN)
      const odd = new SurfaceSpectrum(HALF_SPACE, face.phi0, lit[i], own[du], other?.[du] ?? DIRICHLET)
      const weight = skew * fieldShare(even, odd, face.mu, this.longest(i, p), isE ? 0 : end)
      if (even.face !== NEUMANN) fields.push({ spectrum: even, isE, normal: true, jump: false, weight })
      if (odd.face !== DIRICHLET) fields.push({ spectrum: odd, isE, normal: false, jump: true, weight })
    }
    return fields
  }

  /** Whether the rim of an opaque surface is alike on both of its sides. */
  private isAlike(e: number): boolean {
    const material = this.materialOf(e, 0)
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
    piece: Pick<StripPiece, 'psi' | 'length' | 'l' | 'slope' | 'first' | 'end'>,
    isEndless: boolean,
  ): void {
    const { highest } = this.sum
    const { slide, cone, sinBeta0, strip } = face
    const { psi, length, l } = piece
    const half = 0.5 * length
    // No strip is shorter than nothing (`EdgeField`).
    const slope = half * Math.abs(piece.slope) > l ? Math.sign(piece.slope) * (l / half) : piece.slope
    const longest = l + half * Math.abs(slope)
    if (this.truncation !== 'eec' && !isEndless && longest === 0) return
    const square = sinBeta0 * sinBeta0
    const phase = slide - slope * cone
    if (!strip.isCut(highest * longest * square)) {
      const displaced = strip.displaced(phase, sinBeta0, slope)
      this.integrate(face, amplitudes, { ...piece, slope, cone, phase, displaced }, isEndless)
      return
    }
    const displaced = strip.displaced(phase, sinBeta0, 0)
    const apart = { ...piece, slope: 0, cone: 2 * square * strip.c * strip.c, phase, displaced }
    const count = segmentCount(highest * (Math.abs(slide) + Math.abs(slope) * cone) * length)
    for (let i = 0; i < count; i++) {
      const [t, size] = segmentOf(i, count, length, slope)
      this.integrate(
        face,
        amplitudes,
        { ...apart, psi: psi + slide * t, length: size, l: l + slope * t },
        isEndless,
      )
    }
  }

  /** Adds A e^{jk(psi + slide t)} less what the ends take away, integrated along a piece. */
  private integrate(
    face: MaterialFace,
    amplitudes: FaceAmplitudes[],
    piece: StripPiece,
    isEndless: boolean,
  ): void {
    const { sum, ends } = this
    const { psi, length, l, cone, phase } = piece
    const { slide } = face
    const sidesOf = (rate: number): number[] =>
      sum.highest * Math.abs(rate) * length <= 2 * SHORT ? [0] : [-1, 1]
    for (const side of sidesOf(slide)) {
      ends.untruncated(amplitudes, piece, slide, side)
      sum.add(psi + side * 0.5 * length * slide, ends.out)
    }
    if (this.truncation === 'eec' || isEndless) return
    for (const side of sidesOf(phase)) {
      ends.truncation(face, amplitudes, piece, side)
      sum.add(psi - l * cone + side * 0.5 * length * phase, ends.out)
    }
  }
}

const isSamePlace = (a: Wall | null, b: Wall | null): boolean =>
  a === b || (a?.x === b?.x && a?.ends[0] === b?.ends[0] && a?.ends[1] === b?.ends[1])

/**
 * By how much the strips of a face are shorter from wall to wall than from edge to edge [m]; the other end's wall is taken to be as far
 * inside. Its line, which is straight, follows from the slope of the strips' lengths.
 */
function betweenWalls({ sinBeta0, kappa }: MaterialFace, inset: number, slope: number): number {
  const across = (1 + slope * kappa) / sinBeta0
  return inset * (Math.hypot(slope, across) + across)
}

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
