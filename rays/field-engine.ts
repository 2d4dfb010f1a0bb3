/**
 * Scattering amplitudes of one aspect: 8 numbers per frequency, real and imaginary part of F [m] for VV, HH, VH, HV
 * (transmit, receive), with E_s = F exp(-jkr)/r for a unit incident plane wave and time factor exp(+jwt).
 */
export type AspectField = Float64Array

/** What an engine says of itself. */
export interface EngineDescription {
  device: 'gpu' | 'cpu'
  /** A GPU that is a software adapter: much slower. */
  isSoftware?: boolean
  /** One line, e.g. `gpu, NVIDIA H200`. */
  text: string
  /** Aspects that keep the device busy when asked for at once. */
  aspectsInFlight: number
}

/** What gives the field of one target's facets: rays (`SbrEngine`), a raster (`RasterEngine`), or a cluster of either. */
export interface FieldEngine<Job> {
  describe(): EngineDescription
  /** Raw amplitudes (HV and VH not averaged). Rejects with an AbortError when the signal fires. */
  field(job: Job, signal?: AbortSignal): Promise<AspectResult>
  /** Releases threads or device; nothing else may be called then. */
  close(): Promise<void>
}

/** What one aspect cost. Counts are exact and the same on every device that traces the same paths. */
export interface AspectStatistics {
  /** Tubes of the aperture, before those across edges are cut. */
  tubes: number
  /** Rays launched from the aperture, corner and central ones, where the engine counts them. */
  rays?: number
  /** Tubes and sub-tubes that contributed. */
  leaves: number
  /** Contributions (a tube's bounce each). */
  contributions: number
  /** Aperture of the tubes that contribute, in tubes of full size: in proportion to it stands the power that they bring. */
  lit?: number
  /** Part of `lit` whose central ray meets the target once more after the last reflection followed. */
  cutOff?: number
}

/** Counts of nothing yet. */
export const noStatistics = (): Required<AspectStatistics> => ({
  tubes: 0,
  rays: 0,
  leaves: 0,
  contributions: 0,
  lit: 0,
  cutOff: 0,
})

/** The field of one aspect, and what it cost. */
export interface AspectResult {
  field: AspectField
  statistics: AspectStatistics
  /** Busy seconds of the device in each sub-grid. */
  partSeconds: number[]
  /** Seconds: ray-tube tracing, field integrals and reduction as busy time of the device, and the time it took in all. */
  times: { trace: number; field: number; reduction: number; total: number }
  /**
   * Where the job names its tiles: their exact sums in units of the engine's own. Those of disjoint parts of an aperture
   * add up, modulo 2^64, to the sums that the whole aspect's field is made of (`cpuField`, `gpuField`).
   */
  totals?: BigInt64Array
}
