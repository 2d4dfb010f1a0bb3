import { expect, test } from 'vitest'
import { random } from '../helpers/random.js'
import { createEdgeEngine, EdgeFace, EdgeField, Wedge } from '../../cpu-diffraction/index.js'
import { C0, cross, direction, dot, type Aspect, type Vec3 } from '../../scene/index.js'
import { norm } from '../helpers/sbr.js'
import { edgeReference, type EdgePiece } from '../oracle/edge.js'
import { add, length, subtract, times, unit } from '../oracle/vectors.js'
import { LARGEST_X } from '../oracle/wedge-field.js'
import { meshOf, rows } from '../scene/shapes.js'
import { scenes, aspectAlong, inFrame, phasePath, randomDirection, randomFrame } from './meshes.js'

const LAMBDA = 0.03
const K = (2 * Math.PI) / LAMBDA

interface EdgeCase {
  piece: EdgePiece
  aspect: Aspect
  /** Amplitude of strips whose moments are 1 [m]. */
  scale: number
}

/** An edge in any direction, seen from outside the wedge; a third of the cases are monostatic. */
function randomEdge(next: () => number, N: number, edgeLength: number): EdgeCase {
  const frame = randomFrame(next)
  const [x, y, z] = [0, 3, 6].map((at) => Array.from(frame.subarray(at, at + 3)) as Vec3)
  const phi0 = N * Math.PI * next()
  const cosBeta0 = 1.6 * next() - 0.8
  const sinBeta0 = Math.sqrt(1 - cosBeta0 ** 2)
  const toRadar = inFrame(frame, sinBeta0 * Math.cos(phi0), sinBeta0 * Math.sin(phi0), -cosBeta0)
  const s = next() < 1 / 3 ? toRadar : randomDirection(next)
  const l = ((LARGEST_X - 2) * next() ** 2) / (K * sinBeta0 ** 2)
  return {
    piece: {
      N,
      x,
      y,
      z,
      middle: [0.1 * next(), -0.2 * next(), 0.3 * next()],
      length: edgeLength,
      stripLength: () => l,
    },
    aspect: aspectAlong(toRadar.map((v) => -v) as Vec3, s),
    scale: edgeLength / (2 * Math.PI * sinBeta0 ** 2),
  }
}

/** The engine's field of a piece cut into so many; its strips grow by `slope` along z. */
function engineField({ piece, aspect }: EdgeCase, segments = 1, slope = 0): Float64Array {
  const { N, x, y, z, middle, stripLength } = piece
  const face = new EdgeFace('tw-ildc')
  expect(face.aim(new Wedge(N), Float64Array.of(...x, ...y, ...z), 0, aspect, dot(aspect.tx.r, y) > 0)).toBe(
    true,
  )
  const field = EdgeField.of({ f0: (K * C0) / (2 * Math.PI), df: 0, n: 1 })
  for (let i = 0; i < segments; i++) {
    const along = piece.length * ((i + 0.5) / segments - 0.5)
    field.openSegment(phasePath(aspect, add(middle, z, along)), piece.length / segments)
    field.addFace(face, stripLength(along), slope)
    field.closeSegment()
  }
  const out = new Float64Array(8)
  field.finish(out)
  return out
}

/** Whether the engine takes the piece by segments: strips so short that both r a and r c are below .5. */
function isCut({ piece, aspect }: EdgeCase): boolean {
  const { N, x, y, z, length, stripLength } = piece
  const face = new EdgeFace('tw-ildc')
  face.aim(new Wedge(N), Float64Array.of(...x, ...y, ...z), 0, aspect, dot(aspect.tx.r, y) > 0)
  const { a, c, sinBeta0 } = face.strip
  const longest = Math.max(stripLength(length / 2), stripLength(-length / 2))
  return Math.max(a, c) * Math.sqrt(2 * K * longest) * sinBeta0 < 0.5
}

const difference = (a: Float64Array, b: Float64Array): number => norm(a.map((v, i) => v - b[i]))

test.each([
  // Partial fractions of functions whose arguments are close lose some digits.
  ['half-planes', 2, 2, 1e-11],
  // The sum of exponentials of a strip is off by 2e-7 (docs/edge-diffraction.md, "Exact truncation").
  ['wedges', 1.02, 1.98, 2e-7],
])('random %s radiate what the quadrature of their fringe current does', (_, least, most, tolerance) => {
  const next = random(5)
  for (let i = 0; i < 20; i++) {
    const edge = randomEdge(next, least + (most - least) * next(), LAMBDA * next())
    const reference = edgeReference(edge.piece, edge.aspect, K)
    expect(norm(reference)).toBeGreaterThan(1e-3 * edge.scale)
    expect(difference(engineField(edge), reference)).toBeLessThan(tolerance * edge.scale)
  }
})

test.each([
  ['half-planes', 2, 2, 1e-11],
  ['wedges', 1.02, 1.98, 2e-7],
])('random %s whose strips grow along the edge radiate, as one piece or several, what the quadrature does', (_, least, most, tolerance) => {
  const next = random(17)
  for (let i = 0; i < 12; i++) {
    const edge = randomEdge(next, least + (most - least) * next(), 0.5 * LAMBDA)
    // From strips of length 0, of some, and to both sides.
    const slope = (i % 2 ? 1 : -1) * (0.1 + 0.9 * next())
    // The quadrature along the edge is off by 1e-5 where they begin with a square root.
    const shortest = i % 3 === 0 ? 0 : 0.3 * LAMBDA * next()
    edge.piece.stripLength = (along) =>
      shortest + Math.abs(slope) * (0.5 * edge.piece.length + Math.sign(slope) * along)
    const reference = edgeReference(edge.piece, edge.aspect, K)
    for (const pieces of [1, 3])
      expect(difference(engineField(edge, pieces, slope), reference)).toBeLessThan(
        (shortest > 0 && !isCut(edge) ? tolerance : 3e-5) * edge.scale,
      )
  }
}) // prettier-ignore

/** The pieces of the rims of a convex sheet, front and back, between the points where strips meet a corner. */
function sheetPieces(corners: Vec3[], aspect: Aspect): EdgePiece[] {
  const normal = unit(cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0])))
  const rims = corners.map((from, i) => {
    const side = subtract(corners[(i + 1) % corners.length], from)
    return { from, side, inwards: unit(cross(normal, side)) }
  })
  return rims.flatMap(({ from, side, inwards: x }) => {
    const incidence = times(-1, aspect.tx.r)
    const along = unit(side)
    const cosBeta0 = dot(incidence, along)
    const u = add(times(Math.sqrt(1 - cosBeta0 ** 2), x), along, cosBeta0)
    /** To where a strip leaves the sheet. */
    const stripFrom = (r: Vec3): number =>
      Math.min(
        ...rims
          .filter((rim) => dot(rim.inwards, u) < -1e-9)
          .map((rim) => dot(rim.inwards, subtract(rim.from, r)) / dot(rim.inwards, u)),
      )
    const breaks = corners
      .map((corner) => subtract(corner, from))
      .map((to) => dot(add(to, u, -dot(to, x) / dot(u, x)), along))
      .filter((at) => at > 1e-9 && at < length(side) - 1e-9)
    const ends = [0, ...breaks.sort((a, b) => a - b), length(side)]
    return ends.slice(1).flatMap((to, i) =>
      [normal, times(-1, normal)].map((y): EdgePiece => {
        const z = cross(x, y)
        const middle = add(from, along, (ends[i] + to) / 2)
        return {
          N: 2,
          x,
          y,
          z,
          middle,
          length: to - ends[i],
          stripLength: (distance) => stripFrom(add(middle, z, distance)),
        }
      }),
    )
  })
}

test('the rims of a three-cornered sheet radiate what the quadrature of their fringe currents does', async () => {
  const corners: Vec3[] = [[0.1, 0.2, 0.3], [0.122, 0.203, 0.301], [0.108, 0.221, 0.296]] // prettier-ignore
  const { edges, rays } = scenes(meshOf(corners, [[0, 1, 2]]))
  const engine = createEdgeEngine(edges, rays, { workers: 0 })
  const band = { f0: (K * C0) / (2 * Math.PI), df: 0, n: 1 }
  const aspect = { tx: direction(152, 71), rx: direction(61, -47) }
  const reference = sheetPieces(corners, aspect)
    .map((piece) => edgeReference(piece, aspect, K))
    .reduce((a, b) => a.map((v, i) => v + b[i]))
  // Where strips shrink to nothing, segments approach it in proportion to their length.
  for (const [segmentsPerWavelength, most] of rows('3 0.03, 48 1e-3, 192 3e-4')) {
    const { field } = await engine.field({
      aspect,
      band,
      options: { diffraction: 'tw-ildc', segmentsPerWavelength, exact: true },
    })
    expect(difference(field, reference)).toBeLessThan(most * norm(reference))
  }
  await engine.close()
})
