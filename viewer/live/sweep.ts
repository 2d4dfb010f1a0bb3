/** A cut over all azimuths, possibly unfinished. */
export interface Sweep {
  freqHz: number
  thetaDeg: number
  /** From 0 to 360, both ends [degrees]. */
  phiDeg: number[]
  /** Fields of the directions computed so far: 8 numbers each, re, im of VV HH VH HV [m]. */
  fields: Float64Array[]
}

/** Computes directions of a sweep (`LiveSolver`). */
export interface DirectionSolver {
  /** 8 numbers per direction, re, im of VV HH VH HV [m], and the computing time [s]. */
  solve(
    freqHz: number,
    thetaDeg: number,
    phiDeg: number[],
  ): Promise<{ fields: Float64Array; seconds: number }>
}

/** Longest time that a batch may keep a new direction waiting [s], and its maximum number of directions. */
const BATCH_SECONDS = 0.15
const LARGEST_BATCH = 64

/** A sweep of a cut at `thetaDeg`, evenly spaced by about `stepDeg`. */
export function emptySweep(freqHz: number, thetaDeg: number, stepDeg: number): Sweep {
  const steps = Math.max(1, Math.round(360 / stepDeg))
  const phiDeg = Array.from({ length: steps + 1 }, (_, i) => (360 * i) / steps)
  return { freqHz, thetaDeg, phiDeg, fields: [] }
}

/**
 * Computes a sweep in batches sized by the solver's speed.
 * @param onProgress  called after each batch; returns whether to continue
 */
export async function fillSweep(
  solver: DirectionSolver,
  sweep: Sweep,
  onProgress: () => boolean,
): Promise<void> {
  const { freqHz, thetaDeg, phiDeg, fields } = sweep
  let batch = 1
  while (fields.length < phiDeg.length) {
    const part = phiDeg.slice(fields.length, fields.length + batch)
    const solved = await solver.solve(freqHz, thetaDeg, part)
    part.forEach((_, i) => fields.push(solved.fields.slice(8 * i, 8 * i + 8)))
    if (!onProgress()) return
    const fitting = Math.floor((batch * BATCH_SECONDS) / solved.seconds)
    batch = Math.max(1, Math.min(LARGEST_BATCH, 2 * batch, fitting))
  }
}
