// Constants of the diffracted wave of a wedge and of its fans, for TypeScript (currents/wedge-wave.ts, light/ray-fan.ts) and AssemblyScript
// alike: without types, so that both read them. Numbers with a point are doubles.

/** The penumbra of a boundary of light ends where x |cos| of `WedgeWave` is this; */
export const PENUMBRA = 3.2
/** at least this many wavelengths from the edge. */
export const NEAR_ZONE = 17.0
/** About half is left of a wave there. */
export const HALF_PENUMBRA = 2.35
export const HALF_NEAR = 12.5
/** Waves that graze a face vanish as the square of the phase below falls under this [rad]. */
export const GRAZING = 0.04
/** Argument of `offGrazing` [rad] beyond which nothing is missing in double precision. */
export const CLEAR_OF_GRAZING = 38.0 * GRAZING
/** Nearer than this to a pole of the cotangent its product with the vanishing modulus is taken in the limit. */
export const AT_POLE = 1e-9
/** Parts of 1 in which W and the fading beyond `NEAR_ZONE` are tabulated; cubics between err by less than 1e-10. */
export const PARTS = 384.0
/** As far as the table goes: beyond, nothing is left of a wave but near the edge. */
export const TABULATED = 4.0

/** Reflections of a diffracted ray that are followed. */
export const MAX_REFLECTIONS = 6
/** Halvings of a piece at most. */
export const MOST_HALVES = 3
/** First rays of a fan at most. */
export const MOST_RAYS = 4096
