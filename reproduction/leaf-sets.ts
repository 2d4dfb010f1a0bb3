import { conductorTracers, TileTracer } from '../cpu-sbr/index.js'
import { dot, type Vec3 } from '../scene/index.js'
import {
  fitAperture,
  type RayPath,
  type RayScene,
  type SbrJob,
  tubeSide,
  wholeAperture,
} from '../rays/index.js'

/** Key of a leaf: its level and cell of the lattice, the radiating bounces, the facets hit. */
const leafKey = (
  level: number,
  i: number,
  j: number,
  radiating: ArrayLike<number>,
  facets: ArrayLike<number>,
): string => `${level} ${i} ${j} ${Array.from(radiating).join('')} ${Array.from(facets).join(',')}`

/** Leaves of an aspect as the double-precision engine finds them. */
export function cpuLeaves(scene: RayScene, job: SbrJob): Set<string> {
  const aperture = fitAperture(scene, job.aspect.tx, tubeSide(job))
  const { base, u, v, h, offset } = aperture
  const { aspect, options } = job
  const tracers = conductorTracers(scene, aperture, aspect, options)
  const tracer = new TileTracer(scene, aperture, aspect, options, wholeAperture(aperture), tracers)
  const found = new Set<string>()
  const exit = job.options.formulation === 'exit'
  // The tracer passes every leaf to its contributor: record them there.
  tracer.contributor.add = (tube, facets, count, visible, corners) => {
    const scale = tube.side / h
    const o: Vec3 = [tube.ox - base[0], tube.oy - base[1], tube.oz - base[2]]
    const i = Math.round((dot(o, u) / h - offset[0]) / scale - 0.5)
    const j = Math.round((dot(o, v) / h - offset[1]) / scale - 0.5)
    const { onlyBounce } = job.options
    const radiates = (m: number): boolean =>
      (exit ? m === count - 1 : visible[m] === 1) && (!onlyBounce || m === onlyBounce - 1)
    const radiating = Array.from({ length: count }, (_, m) => (radiates(m) ? 1 : 0))
    if (!radiating.some(Boolean)) return false
    const met = [...facets.subarray(0, count), ...(corners ?? [])]
    found.add(leafKey(-Math.log2(scale), i, j, radiating, met))
    return true
  }
  for (let j = aperture.tileJ0; j < aperture.tileJ0 + aperture.tilesJ; j++)
    for (let i = aperture.tileI0; i < aperture.tileI0 + aperture.tilesI; i++) tracer.trace(i, j)
  return found
}

/** The leaf of a GPU path, in the same terms. */
const pathKey = ({ level, i, j, radiating, facets, corners }: RayPath): string =>
  leafKey(level, i, j, radiating, [...facets, ...(corners ?? [])])

/** The leaf without the facets at a quad's corners; other leaves unchanged. */
const withoutCorners = (key: string): string => {
  const facets = key.split(' ')[4].split(',')
  return facets.length === 5 ? `${key.slice(0, key.lastIndexOf(' '))} ${facets[0]}` : key
}

/**
 * Number of leaves of both engines; of those in only one of them; and of quads in both that differ in a corner that hit the
 * neighbouring facet (one corner ray on an edge belongs to up to four quads and does not affect their sums noticeably).
 */
export async function differingLeaves(
  scene: RayScene,
  job: SbrJob,
  paths: (visit: (path: RayPath) => void) => Promise<void>,
): Promise<{ gpu: number; cpu: number; differing: number; corners: number }> {
  const cpu = cpuLeaves(scene, job)
  let gpu = 0
  let common = 0
  const onlyGpu: string[] = []
  await paths((path) => {
    const key = pathKey(path)
    gpu++
    if (cpu.delete(key)) common++
    else onlyGpu.push(key)
  })
  const onlyCpu = new Set([...cpu].map(withoutCorners))
  const corners = onlyGpu.filter((key) => onlyCpu.has(withoutCorners(key))).length
  const total = common + cpu.size
  return { gpu, cpu: total, differing: onlyGpu.length + cpu.size - 2 * corners, corners }
}
