import type { Mesh } from '../../scene/index.js'

/** Opens the solver for one target: the first message to the worker. */
export interface OpenRequest {
  kind: 'open'
  /** Mesh as the solver used it [m]. */
  mesh: Mesh
  /** Edges with an interior wedge angle below this diffract [degrees]. */
  maxWedgeAngleDeg: number
}

/** Requests monostatic amplitudes; answered by a `Solved` or `Refused` of the same id. */
export interface SolveRequest {
  kind: 'solve'
  id: number
  freqHz: number
  /** theta and phi of each direction [degrees], interleaved. */
  anglesDeg: number[]
}

export interface Opened {
  kind: 'opened'
  /** Name of the GPU. */
  device: string
  isSoftware: boolean
  /** Time to prepare the target [s]. */
  prepareSeconds: number
}

export interface Solved {
  kind: 'solved'
  id: number
  /** 8 numbers per direction: re, im of F [m] for VV HH VH HV, VH and HV their mean (`symmetrise`). */
  fields: Float64Array
  /** From the request's arrival to its result [s]. */
  seconds: number
}

/** One request failed; others may succeed. */
export interface Refused {
  kind: 'refused'
  id: number
  message: string
}

/** The solver has ended: no GPU, an unsuitable one, or a lost one. */
export interface Failed {
  kind: 'failed'
  message: string
}

export type Request = OpenRequest | SolveRequest
export type Answer = Opened | Solved | Refused | Failed
