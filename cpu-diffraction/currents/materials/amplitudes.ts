import type { Complex } from '../../../math/complex.js'
import { MANY, NODES, type SurfaceSpectrum } from './surface-spectrum.js'

/** 1 to 0 about x = 1, analytic so that bands can be interpolated. */
export const fading = (x: number): number => 1 / (1 + x ** 8)

/** Decay of what the nodes after this one leave out, the part of the field closest to the edge. */
export const restDecay = (first: number): number => 1.5 * NODES[first] ** 2

/** Terms that have decayed by so many nepers at a strip's end are none. */
export const GONE = 30

/** A surface field and what it radiates: currents along and across the edge, by jumps of du/dn and of u. */
export interface SurfaceField {
  spectrum: SurfaceSpectrum
  /** Of E_z, or of H_z times 377 ohm. */
  isE: boolean
  /** Whether du/dn and u radiate: both of an opaque face. */
  normal: boolean
  jump: boolean
  /** Factor of its field. */
  weight: number
  /** Where the edge of a coated wedge is instead of the facets'. */
  wall?: Wall | null
}

/** The edge of a wedge's walls under its facets: along x of the face, below it [m], and its phase, of transmitter and receiver. */
export interface Wall {
  x: number
  depth: number
  phase: Complex
}

/** A term of the current of a strip of length L = k l sin^2 beta0: amplitudes times exp(-decay L), decay without its part 2jc^2. */
export interface GuidedTerm {
  decay: Complex
  amplitudes: Float64Array
}

/** Amplitudes per length of edge of one face at one frequency: re and im of VV HH VH HV (transmit, receive). */
export interface FaceAmplitudes {
  /** Of the endless strips. */
  untruncated: Float64Array
  /** What the ends take away, per node, 8 numbers each. */
  nodes: Float64Array
  /** The same of the field closest to the edge, and of guided waves. */
  rest: Float64Array
  guided: GuidedTerm[]
}

export const emptyAmplitudes = (): FaceAmplitudes => ({
  untruncated: new Float64Array(8),
  nodes: new Float64Array(8 * MANY),
  rest: new Float64Array(8),
  guided: [],
})

/** Makes amplitudes 0 again. */
export function clearAmplitudes({ untruncated, nodes, rest, guided }: FaceAmplitudes): void {
  untruncated.fill(0)
  nodes.fill(0)
  rest.fill(0)
  guided.length = 0
}

/** Multiplies amplitudes by exp(j phase). */
export function turn({ untruncated, nodes, rest, guided }: FaceAmplitudes, phase: number): void {
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  for (const of of [untruncated, nodes, rest, ...guided.map(({ amplitudes }) => amplitudes)])
    for (let i = 0; i < of.length; i += 2) {
      const re = of[i]
      of[i] = re * cos - of[i + 1] * sin
      of[i + 1] = re * sin + of[i + 1] * cos
    }
}

/** Sets what is left for the field closest to the edge: strips without length have no current. */
export function setRest({ untruncated, nodes, rest, guided }: FaceAmplitudes): void {
  rest.set(untruncated)
  for (let i = 0; i < nodes.length; i++) rest[i & 7] -= nodes[i]
  for (const { amplitudes } of guided) for (let i = 0; i < 8; i++) rest[i] -= amplitudes[i]
}

/** Sets the field closest to the edge, and all parts' sum. */
export function setWhole({ untruncated, nodes, rest, guided }: FaceAmplitudes, closest: Float64Array): void {
  rest.set(closest)
  untruncated.set(closest)
  for (let i = 0; i < nodes.length; i++) untruncated[i & 7] += nodes[i]
  for (const { amplitudes } of guided) for (let i = 0; i < 8; i++) untruncated[i] += amplitudes[i]
}
