// The WebAssembly module of `RayCaster` (rays/ray-caster.ts).
import { facet, nearest as findNearest, t } from './caster'

export { occluded, placeRopes, placeScene } from './caster'

/** The first address that is free. */
export function start(): usize {
  return __heap_base
}

/** See `RayCaster.nearest`. Writes distance and facet of the hit, two doubles, to `out`. */
export function nearest(
  x: f64,
  y: f64,
  z: f64,
  alongX: f64,
  alongY: f64,
  alongZ: f64,
  skip: i32,
  limit: f64,
  out: usize,
): bool {
  const met = findNearest(x, y, z, alongX, alongY, alongZ, skip, limit)
  store<f64>(out, t)
  store<f64>(out, <f64>facet, 8)
  return met
}
