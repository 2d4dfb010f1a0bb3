import {
  type Aperture,
  fitAperture,
  gordonSum,
  type RayScene,
  type SbrOptions,
  sinc,
  tubeCount,
  wholeAperture,
} from '../rays/index.js'
import { type Aspect, InputError, isMonostatic, wavelength, wavenumber } from '../scene/index.js'
import type { Contributor } from './contribution.js'
import { conductorTracers } from './lattice-tracer.js'
import type { PathTracer } from './path.js'
import { TileTracer } from './tile.js'
import { CONTRIBUTION, PARALLELOGRAM, QUADRILATERAL } from './records.js'

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
  if (scene.materials)
    throw new InputError('paths are listed for perfect conductors; open the target without materials')
  if (!isMonostatic(aspect))
    throw new RangeError('paths are listed for a radar whose receiver is its transmitter')
  const lambda = wavelength(freqHz)
  const coarse = fitAperture(scene, aspect.tx, scene.diagonal / 1024)
  const finest = Math.sqrt(mostTubes / tubeCount(coarse)) * (lambda / coarse.h)
  const raysPerWavelength = Math.min(options.raysPerWavelength, finest)
  const aperture = fitAperture(scene, aspect.tx, lambda / raysPerWavelength)
  const lister = new PathLister(scene, aperture, aspect, options, freqHz)
  for (let j = 0; j < aperture.tilesJ; j++)
    for (let i = 0; i < aperture.tilesI; i++) lister.trace(aperture.tileI0 + i, aperture.tileJ0 + j)
  return { ...lister.list(), raysPerWavelength, freqHz }
}

class PathLister extends TileTracer<PathTracer, Contributor> {
  private readonly hitStart: number[] = [0]
  private readonly hits: number[] = []
  private readonly facets: number[] = []
  private readonly path: number[] = []
  private readonly bounce: number[] = []
  private readonly positions: number[] = []
  private readonly amplitudes: number[] = []
  private readonly current: Float64Array
  private readonly k: number
  private readonly shape = new Float64Array(2)

  constructor(
    private readonly rays: RayScene,
    aperture: Aperture,
    aspect: Aspect,
    options: SbrOptions,
    freqHz: number,
  ) {
    const tracers = conductorTracers(rays, aperture, aspect, options)
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

  protected override addTube(i: number, j: number, scale: number, corners: Int32Array | null): void {
    const { contributor, centre, rays, k, shape } = this
    const { parallelograms, quadrilaterals } = contributor
    const before = contributor.count
    let parallelogram = parallelograms.length
    let quadrilateral = quadrilaterals.length
    super.addTube(i, j, scale, corners)
    if (contributor.count === before) return
    for (let m = 0; m < centre.count; m++) {
      const exit = this.options.formulation === 'exit'
      if (exit ? m < centre.count - 1 : centre.visible[m] === 0) continue
      if (parallelogram < parallelograms.length) {
        const { data } = parallelograms
        const at = PARALLELOGRAM.size * parallelogram++
        const spans = at + PARALLELOGRAM.spans
        this.add(m, data, at, sinc(k * data[spans]) * sinc(k * data[spans + 1]), 0, 1)
      } else if (quadrilateral < quadrilaterals.length) {
        const { data } = quadrilaterals
        const at = QUADRILATERAL.size * quadrilateral++
        gordonSum(data, at + QUADRILATERAL.edges, 4, k, shape)
        this.add(m, data, at, shape[0], shape[1], this.footprint(centre.facets[0]))
      }
    }
    for (let m = 0; m < centre.count; m++) {
      this.facets.push(centre.facets[m])
      for (let c = 0; c < 3; c++) this.hits.push(centre.hits[3 * m + c] + rays.origin[c])
    }
    this.hitStart.push(this.facets.length)
  }

  /** Area that the tube lights on a facet at the first bounce [m^2]. */
  private footprint(facet: number): number {
    const { normals } = this.rays
    const { d } = this.aperture
    const cosine = [0, 1, 2].reduce((sum, c) => sum + normals[4 * facet + c] * d[c], 0)
    return this.cell.side ** 2 / Math.abs(cosine)
  }

  /**
   * The contribution of bounce m whose record begins at data[at], with its shape at this frequency.
   *
   * @param area  that the record's amplitudes are still to be weighted with for the current
   */
  private add(
    m: number,
    data: Float64Array,
    at: number,
    shapeRe: number,
    shapeIm: number,
    area: number,
  ): void {
    const amplitude = at + CONTRIBUTION.amplitudes
    for (let c = 0; c < 4; c++)
      this.current[4 * this.centre.facets[m] + c] += area * Math.abs(data[amplitude + c])
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
    for (let c = 0; c < 4; c++) {
      const v = scale * data[amplitude + c]
      this.amplitudes.push(v * shapeRe, v * shapeIm)
    }
  }
}
