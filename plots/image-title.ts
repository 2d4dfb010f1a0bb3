export interface ImageTitle {
  /** What was imaged, e.g. the mesh's name. */
  name: string
  /** Channel, e.g. `vv` (transmit, receive). */
  channel: string
  thetaDeg: number
  phiDeg: number
  /** Lowest and highest frequency [Hz]. */
  f0: number
  f1: number
  apertureDeg: number
  rangeResolutionM: number
  crossRangeResolutionM: number
  window: string
}

const short = (x: number, digits = 4): string => String(Number(x.toPrecision(digits))).replace('-', '−')

/** Title and subtitle of an ISAR picture: target and channel; aspect, band, aperture, resolution and window. */
export function imageTitle(t: ImageTitle): { title: string; subtitle: string } {
  return {
    title: `${t.name}, ${t.channel.toUpperCase()}`,
    subtitle: [
      `θ = ${short(t.thetaDeg)}°, φ = ${short(t.phiDeg)}°`,
      `${short(t.f0 / 1e9)}–${short(t.f1 / 1e9)} GHz`,
      `aperture ${short(t.apertureDeg, 3)}°`,
      `resolution ${short(t.rangeResolutionM, 2)} × ${short(t.crossRangeResolutionM, 2)} m`,
      t.window === 'none' ? 'no window' : `${t.window} window`,
    ].join('  ·  '),
  }
}
