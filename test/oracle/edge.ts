import { cross, dot, type Aspect, type Vec3 } from '../../scene/index.js'
import { phasor, product, scaled, sum, type Complex } from './complex.js'
import { ruleFor } from './quadrature.js'
import { add, times } from './vectors.js'
import { electricSlope, magneticField, magneticSlope } from './wedge-field.js'

/*
 * First-order edge diffraction as docs/edge-diffraction.md states it, before any integral is solved: the fringe current on a face is the
 * exact wedge's less that of physical optics, it ends where its strip does, and it radiates by equation (1) of docs/theory.md. All
 * integrals are taken by quadrature. F and P are those of docs/edge-diffraction.md, "Field of a strip".
 */

/** A straight piece of an edge and one of its faces. */
export interface EdgePiece {
  /** Exterior angle of the wedge over pi, 1 < N <= 2. */
  N: number
  /** Frame of the face: x in it, away from the edge; y its outward normal; z = x cross y, along the edge. */
  x: Vec3
  y: Vec3
  z: Vec3
  middle: Vec3
  /** Length of the piece [m]. */
  length: number
  /** Length [m] of the strip that starts so far from the middle along z [m]. */
  stripLength: (along: number) => number
}

/** Components along x, y and z of the mesh. */
type ComplexVec3 = [Complex, Complex, Complex]

/** F [m] of one face: 8 numbers, real and imaginary part of VV, HH, VH, HV; phase about the mesh's origin. */
export function edgeReference(piece: EdgePiece, aspect: Aspect, k: number): Float64Array {
  const { tx, rx } = aspect
  const gradient = add(rx.r, tx.r)
  const strips = new Map<number, ComplexVec3[]>()
  const stripsOf = (l: number): ComplexVec3[] => {
    const known = strips.get(l) ?? stripMoments(piece, aspect, k, l)
    strips.set(l, known)
    return known
  }
  const channels: Complex[] = [[0, 0], [0, 0], [0, 0], [0, 0]] // prettier-ignore
  const rule = ruleFor(k * piece.length * Math.abs(dot(gradient, piece.z)))
  rule.x.forEach((node, i) => {
    const along = (piece.length / 2) * node
    const phase = phasor(k * dot(gradient, add(piece.middle, piece.z, along)))
    const [fromV, fromH] = stripsOf(piece.stripLength(along))
    const radiated = [
      received(rx.thetaHat, fromV),
      received(rx.phiHat, fromH),
      received(rx.phiHat, fromV),
      received(rx.thetaHat, fromH),
    ]
    // -jk / 4 pi, and the weight of the node.
    const factor: Complex = [0, ((-k / (4 * Math.PI)) * rule.w[i] * piece.length) / 2]
    radiated.forEach((amplitude, channel) => {
      channels[channel] = sum(channels[channel], product(factor, product(phase, amplitude)))
    })
  })
  return Float64Array.from(channels.flat())
}

/** e_rx . P */
const received = (e: Vec3, [x, y, z]: ComplexVec3): Complex =>
  sum(sum(scaled(e[0], x), scaled(e[1], y)), scaled(e[2], z))

/** Panels of the quadrature along a strip, each a quarter as long as the next: the current has an integrable singularity at the edge. */
const PANELS = 16

/**
 * P times the impedance of free space: the fringe current integrated over the strip of length l that starts at a point
 * of the edge, with its phase towards the receiver; for waves e exp(-jk k_i.r) about that point, V and H.
 */
function stripMoments(piece: EdgePiece, { tx, rx }: Aspect, k: number, l: number): ComplexVec3[] {
  const incidence = times(-1, tx.r)
  const cosBeta0 = dot(incidence, piece.z)
  const sinBeta0 = Math.sqrt(1 - cosBeta0 ** 2)
  // Along the Keller cone's line in the face; what a strip covers per length of edge and strip is sin(beta0).
  const u = add(times(sinBeta0, piece.x), piece.z, cosBeta0)
  const moments = [tx.thetaHat, tx.phiHat].map((): ComplexVec3 => [[0, 0], [0, 0], [0, 0]]) // prettier-ignore
  for (let panel = 0; panel < PANELS; panel++) {
    const [from, to] = [panel === PANELS - 1 ? 0 : 0.25 ** (panel + 1), 0.25 ** panel]
    // t = l v^2 makes most of the singularity regular.
    const [vFrom, vTo] = [Math.sqrt(from), Math.sqrt(to)]
    const rule = ruleFor(2 * k * l * (to - from))
    rule.x.forEach((node, i) => {
      const v = (vFrom + vTo) / 2 + ((vTo - vFrom) / 2) * node
      const dS = sinBeta0 * 2 * l * v * ((vTo - vFrom) / 2) * rule.w[i]
      const point = times(l * v * v, u)
      const observed = phasor(k * dot(rx.r, point))
      const field = wedgeField(piece, incidence, k, point)
      ;[tx.thetaHat, tx.phiHat].forEach((e, transmitted) => {
        const wedge = wedgeCurrent(piece, incidence, e, field)
        const plane = physicalOpticsCurrent(piece, incidence, e, k, point)
        moments[transmitted] = moments[transmitted].map((moment, c) => {
          const fringe = sum(wedge[c], scaled(-1, plane[c]))
          return sum(moment, scaled(dS, product(observed, fringe)))
        }) as ComplexVec3
      })
    })
  }
  return moments
}

/** 2n x H_i times the impedance, where the face is lit. */
function physicalOpticsCurrent({ y }: EdgePiece, d: Vec3, e: Vec3, k: number, point: Vec3): ComplexVec3 {
  const lit = dot(d, y) < 0 ? 2 : 0
  const current = times(lit, cross(y, cross(d, e)))
  return current.map((c) => scaled(c, phasor(-k * dot(d, point)))) as ComplexVec3
}

/** On a face of the endless wedge, for E_z or H_z of 1 in the incident wave: H_z, and both slopes over k sin(beta0). */
interface WedgeField {
  magnetic: Complex
  electricSlope: Complex
  magneticSlope: Complex
}

/** Across the edge the fields are those of a wave of wavenumber k sin(beta0), along it they go as exp(-jk z cos(beta0)). */
function wedgeField({ N, x, y, z }: EdgePiece, d: Vec3, k: number, point: Vec3): WedgeField {
  const phi0 = (Math.atan2(-dot(d, y), -dot(d, x)) + 2 * Math.PI) % (2 * Math.PI)
  const X = k * Math.hypot(dot(d, x), dot(d, y)) * dot(point, x)
  const alongEdge = phasor(-k * dot(d, z) * dot(point, z))
  return {
    magnetic: product(alongEdge, magneticField(N, X, 0, phi0)),
    electricSlope: product(alongEdge, electricSlope(N, X, phi0)),
    magneticSlope: product(alongEdge, magneticSlope(N, X, phi0)),
  }
}

/**
 * n x H = x H_z - z H_x times the impedance eta, where by Maxwell's equations
 *   eta H_x = j (dE_z/dy - cos(beta0) eta dH_z/dx) / (k sin^2(beta0)).
 */
function wedgeCurrent({ x, z }: EdgePiece, d: Vec3, e: Vec3, field: WedgeField): ComplexVec3 {
  const cosBeta0 = dot(d, z)
  const sinBeta0 = Math.sqrt(1 - cosBeta0 ** 2)
  const [ez, hz] = [dot(e, z), dot(cross(d, e), z)]
  const slopes = sum(scaled(ez, field.electricSlope), scaled(-cosBeta0 * hz, field.magneticSlope))
  const fieldX = product([0, 1 / sinBeta0], slopes)
  const fieldZ = scaled(hz, field.magnetic)
  return [0, 1, 2].map((c) => sum(scaled(x[c], fieldZ), scaled(-z[c], fieldX))) as ComplexVec3
}
