import {
  type Aperture,
  fitAperture,
  gordonSum,
  isExitForm,
  type RayScene,
  type SbrOptions,
  type SceneMaterials,
  sinc,
  tubeCount,
  wholeAperture,
} from '../rays/index.js'
import { type Aspect, isMonostatic, wavelength, wavenumber } from '../scene/index.js'
import type { Contributor } from './contribution.js'
import { conductorTracers, type Tracers, type TubeContributor, type TubeRay } from './lattice-tracer.js'
import { type BranchContributor, branchTracers, FACTOR, ROW } from './materials/branches.js'
import { type BranchTracer, HIDDEN } from './materials/path.js'
import type { PathTracer } from './path-tree.js'
import { CONTRIBUTION, PARALLELOGRAM, QUADRILATERAL, type Records } from './records.js'
import { TileTracer } from './tile.js'

/** Tubes whose paths radiate, P of them with H hits in all, and their contributions, N of them. */
export interface PathList {
  /** P + 1 offsets into the hits. */
  hitStart: Uint32Array
  /** 3H coordinates of the hits [m], in the mesh's own coordinates. */
  hits: Float32Array
  /** H facets met. */
  facets: Uint32Array
  /** N: path of each contribution, and the bounce that radiates (1, 2, ...). */
  path: Uint32Array
  bounce: Uint8Array
  /**
   * 2N: where the contribution lies in an ISAR image about the aspect [m], from the mesh's origin: range L / 2, and cross-range
   * (first hit + this hit) / 2 . phi-hat, by which a path's length changes as the radar turns (docs/numerics.md, "Aspect extrapolation").
   */
  place: Float64Array
  /**
   * 8N: what it adds to a pixel at its place, re, im of VV HH VH HV [m]: sqrt(4 pi) k / 4 pi V I at frequency `freqHz`, without the
   * factor j and the phase exp(-jkL); |sum|^2 is RCS [m^2].
   */
  amplitude: Float32Array
  /**
   * 4T: per facet of the scene the area mean of |V| / 2 for VV HH VH HV: the induced current that radiates in the channel, relative
   * to 2 |H| of the incident wave. Bounces on the same facet add up as magnitudes.
   */
  current: Float32Array
  /** Tubes per wavelength at `freqHz`: `options.raysPerWavelength`, or fewer to keep to `mostTubes`. */
  raysPerWavelength: number
  freqHz: number
}

/** What each path of an aspect contributes at one frequency, in double precision: what hot spots are traced back with. */
export function listPaths(
  scene: RayScene,
  aspect: Aspect,
  freqHz: number,
  options: SbrOptions,
  mostTubes: number,
): PathList {
  if (!isMonostatic(aspect))
    throw new RangeError('paths are listed for a radar whose receiver is its transmitter')
  const lambda = wavelength(freqHz)
  const coarse = fitAperture(scene, aspect.tx, scene.diagonal / 1024)
  const finest = Math.sqrt(mostTubes / tubeCount(coarse)) * (lambda / coarse.h)
  const raysPerWavelength = Math.min(options.raysPerWavelength, finest)
  const aperture = fitAperture(scene, aspect.tx, lambda / raysPerWavelength)
  const lister = scene.materials
    ? new BranchLister(scene, aperture, aspect, options, freqHz, scene.materials)
    : new ConductorLister(scene, aperture, aspect, options, freqHz)
  for (let j = 0; j < aperture.tilesJ; j++)
    for (let i = 0; i < aperture.tilesI; i++) lister.trace(aperture.tileI0 + i, aperture.tileJ0 + j)
  return { ...lister.list(), raysPerWavelength, freqHz }
}

abstract class PathLister<Ray extends TubeRay, Tubes extends TubeContributor<Ray>> extends TileTracer<
  Ray,
  Tubes
> {
  private readonly hitStart: number[] = [0]
  private readonly hits: number[] = []
  private readonly facets: number[] = []
  private readonly path: number[] = []
  private readonly bounce: number[] = []
  private readonly positions: number[] = []
  private readonly amplitudes: number[] = []
  private readonly current: Float64Array
  protected readonly k: number
  private readonly shape = new Float64Array(2)
  /** A of the contribution to be added, re and im of VV HH VH HV. */
  protected readonly radiated = new Float64Array(8)

  constructor(
    private readonly rays: RayScene,
    aperture: Aperture,
    aspect: Aspect,
    options: SbrOptions,
    freqHz: number,
    tracers: Tracers<Ray, Tubes>,
  ) {
    super(rays, aperture, aspect, options, wholeAperture(aperture), tracers)
    this.k = wavenumber(freqHz)
    this.current = new Float64Array(4 * rays.count)
  }

  list(): Omit<PathList, 'raysPerWavelength' | 'freqHz'> {
    return {
      hitStart: Uint32Array.from(this.hitStart),
      hits: Float32Array.from(this.hits),
      facets: Uint32Array.from(this.facets),
      path: Uint32Array.from(this.path),
      bounce: Uint8Array.from(this.bounce),
      place: Float64Array.from(this.positions),
      amplitude: Float32Array.from(this.amplitudes),
      current: Float32Array.from(this.current, (x, i) => x / (2 * this.area(i >> 2))),
    }
  }

  /** Of a facet [m^2]. */
  private area(facet: number): number {
    const [p, at] = [this.rays.vertices, 9 * facet]
    const [ux, uy, uz] = [0, 1, 2].map((c) => p[at + 3 + c] - p[at + c])
    const [vx, vy, vz] = [0, 1, 2].map((c) => p[at + 6 + c] - p[at + c])
    return Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx) / 2
  }

  /** Ends a path of hits on facets, at points x y z each. */
  protected addPath(facets: ArrayLike<number>, points: ArrayLike<number>, count: number): void {
    const { origin } = this.rays
    for (let m = 0; m < count; m++) {
      this.facets.push(facets[m])
      for (let c = 0; c < 3; c++) this.hits.push(points[3 * m + c] + origin[c])
    }
    this.hitStart.push(this.facets.length)
  }

  /** Adds a parallelogram that bounce m of the path to come radiates from a facet. @param area  that `radiated` is without */
  protected addParallelogram(m: number, facet: number, data: Float64Array, at: number, area = 1): void {
    const { k, shape } = this
    const spans = at + PARALLELOGRAM.spans
    shape[0] = area * sinc(k * data[spans]) * sinc(k * data[spans + 1])
    shape[1] = 0
    this.add(m, facet, data, at, shape, area)
  }

  protected addQuadrilateral(facet: number, data: Float64Array, at: number): void {
    gordonSum(data, at + QUADRILATERAL.edges, 4, this.k, this.shape)
    this.add(0, facet, data, at, this.shape, this.footprint(facet))
  }

  /** Area that the tube lights on a facet at the first bounce [m^2]. */
  private footprint(facet: number): number {
    const { normals } = this.rays
    const { d } = this.aperture
    const cosine = [0, 1, 2].reduce((sum, c) => sum + normals[4 * facet + c] * d[c], 0)
    return this.cell.side ** 2 / Math.abs(cosine)
  }

  /**
   * The contribution of bounce m whose record begins at data[at], `radiated` times a shape.
   *
   * @param area  that `radiated` is to be weighted with for the current
   */
  private add(
    m: number,
    facet: number,
    data: Float64Array,
    at: number,
    [shapeRe, shapeIm]: Float64Array,
    area: number,
  ): void {
    const { radiated } = this
    for (let c = 0; c < 4; c++)
      this.current[4 * facet + c] += area * Math.hypot(radiated[2 * c], radiated[2 * c + 1])
    const { tx } = this.aspect
    const { origin } = this.rays
    let range = data[at + CONTRIBUTION.pathLength] / 2
    let cross = 0
    for (let c = 0; c < 3; c++) {
      range -= origin[c] * tx.r[c]
      cross += (data[at + CONTRIBUTION.hitSum + c] / 2 + origin[c]) * tx.phiHat[c]
    }
    this.path.push(this.hitStart.length - 1)
    this.bounce.push(m + 1)
    this.positions.push(range, cross)
    const scale = (Math.sqrt(4 * Math.PI) * this.k) / (4 * Math.PI)
    for (let c = 0; c < 8; c += 2) {
      const re = scale * radiated[c]
      const im = scale * radiated[c + 1]
      this.amplitudes.push(re * shapeRe - im * shapeIm, re * shapeIm + im * shapeRe)
    }
  }
}

class ConductorLister extends PathLister<PathTracer, Contributor> {
  constructor(scene: RayScene, aperture: Aperture, aspect: Aspect, options: SbrOptions, freqHz: number) {
    super(scene, aperture, aspect, options, freqHz, conductorTracers(scene, aperture, aspect, options))
  }

  protected override addTube(i: number, j: number, scale: number, corners: Int32Array | null): void {
    const { contributor, centre, radiated } = this
    const { parallelograms, quadrilaterals } = contributor
    const before = contributor.count
    let parallelogram = parallelograms.length
    let quadrilateral = quadrilaterals.length
    super.addTube(i, j, scale, corners)
    if (contributor.count === before) return
    for (let m = 0; m < centre.count; m++) {
      if (isExitForm(this.options) ? m < centre.count - 1 : centre.visible[m] === 0) continue
      const isParallelogram = parallelogram < parallelograms.length
      if (!isParallelogram && quadrilateral === quadrilaterals.length) continue
      const { data } = isParallelogram ? parallelograms : quadrilaterals
      const at = isParallelogram ? PARALLELOGRAM.size * parallelogram++ : QUADRILATERAL.size * quadrilateral++
      for (let c = 0; c < 4; c++) radiated[2 * c] = data[at + CONTRIBUTION.amplitudes + c]
      if (isParallelogram) this.addParallelogram(m, centre.facets[m], data, at)
      else this.addQuadrilateral(centre.facets[0], data, at)
    }
    this.addPath(centre.facets, centre.hits, centre.count)
  }
}

/** With materials; each hit that radiates ends a path of its own, as rays branch. */
class BranchLister extends PathLister<BranchTracer, BranchContributor> {
  constructor(
    scene: RayScene,
    aperture: Aperture,
    aspect: Aspect,
    options: SbrOptions,
    freqHz: number,
    materials: SceneMaterials,
  ) {
    const k = Float64Array.of(wavenumber(freqHz))
    const tracers = branchTracers(scene, materials, aperture, { aspect, options }, k)
    super(scene, aperture, aspect, options, freqHz, tracers)
  }

  protected override addTube(i: number, j: number, scale: number, corners: Int32Array | null): void {
    const { contributor, centre } = this
    const { parallelograms, quadrilaterals, fields } = contributor
    let parallelogram = parallelograms.length
    let quadrilateral = quadrilaterals.length
    super.addTube(i, j, scale, corners)
    const next = (row: number, { data, length }: Records, record: number, size: number): boolean =>
      record < length && data[size * record + ROW] === row
    for (let hit = 0; hit < centre.count; hit++) {
      const row = centre.sights[hit] === HIDDEN ? -1 : fields.row(centre.paths[hit], centre.sights[hit])
      if (row < 0) continue
      const chain: number[] = []
      for (let h = hit; h >= 0; h = centre.before[h]) chain.unshift(h)
      const facet = centre.facets[hit]
      this.radiated.set(fields.amplitudes.subarray(8 * row, 8 * row + 8))
      if (next(row, parallelograms, parallelogram, PARALLELOGRAM.size)) {
        const at = PARALLELOGRAM.size * parallelogram++
        this.addParallelogram(
          chain.length - 1,
          facet,
          parallelograms.data,
          at,
          parallelograms.data[at + FACTOR],
        )
      } else if (next(row, quadrilaterals, quadrilateral, QUADRILATERAL.size))
        this.addQuadrilateral(facet, quadrilaterals.data, QUADRILATERAL.size * quadrilateral++)
      else continue
      const facets = chain.map((h) => centre.facets[h])
      const points = chain.flatMap((h) => Array.from(centre.points.subarray(3 * h, 3 * h + 3)))
      this.addPath(facets, points, chain.length)
    }
  }
}
