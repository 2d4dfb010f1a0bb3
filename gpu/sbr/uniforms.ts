import { type Aperture, type SbrJob } from '../../rays/index.js'
import { C0, type Vec3, wavenumber } from '../../scene/index.js'
import { splitDouble } from '../two-float.js'

/** Bytes of the struct `Job` in sbr_job.wgsl, and of `Step` with the alignment dynamic offsets need. */
export const JOB_BYTES = 19 * 16
/** Words of the struct `Job` that hold the number of slots and the box diagonal. */
export const SLOTS_WORD = 70
export const DIAGONAL_WORD = 72
export const STEP_STRIDE = 256
export const STEP_BYTES = 48

export interface ListCapacities {
  leaves: number
  quads: number
  records: number
  quadRecords: number
  groups: number
  /** Cells to subdivide, and runs of them. */
  items: number
  chunks: number
  tiles: number
  /** Places of contributions that are kept, for looks. */
  places: number
  /** Facets with a list of what their reflected rays can meet. */
  facetLists: number
  /** Frequencies whose partial sums fit. */
  frequencies: number
}

/**
 * The uniform of one aspect.
 * @param lift           start of a reflected ray above its facet [m]
 * @param scene          facets, box diagonal [m], whether the facets' lists of candidates are in use
 * @param fixedExponent  sums are integers times 2^-fixedExponent m^2
 */
export function packJob(
  job: SbrJob,
  aperture: Aperture,
  lift: number,
  fixedExponent: number,
  capacities: ListCapacities,
  scene: { count: number; diagonal: number; facetLists: boolean },
): ArrayBuffer {
  const buffer = new ArrayBuffer(JOB_BYTES)
  const f = new Float32Array(buffer)
  const u = new Uint32Array(buffer)
  const i = new Int32Array(buffer)
  const { aspect, band, options } = job
  const pairs: [ArrayLike<number>, number][] = [
    [aperture.base, aperture.h],
    [aperture.u, aperture.offset[0]],
    [aperture.v, aperture.offset[1]],
    [aperture.d, band.f0 / C0],
    [aspect.rx.r, band.df / C0],
  ]
  pairs.forEach(([xyz, w], p) => {
    ;[xyz[0], xyz[1], xyz[2], w].forEach((value, a) => {
      const [high, low] = splitDouble(value)
      f[8 * p + a] = high
      f[8 * p + 4 + a] = low
    })
  })
  f.set([...aspect.tx.thetaHat, wavenumber(band.f0)], 40)
  f.set([...aspect.tx.phiHat, wavenumber(band.df)], 44)
  f.set([...aspect.rx.thetaHat, lift], 48)
  f.set([...aspect.rx.phiHat, 0], 52)
  u[56] = 0
  u[57] = options.formulation === 'exit' ? 1 : 0
  u[58] = options.onlyBounce === undefined ? 0xffffffff : 2 ** (options.onlyBounce - 1)
  u[59] = options.formulation === 'exit' ? 0 : options.subdivisions
  i[60] = fixedExponent
  u[61] = band.n
  u.set(
    [
      capacities.leaves,
      capacities.quads,
      capacities.records,
      capacities.quadRecords,
      capacities.groups,
      capacities.items,
      capacities.chunks,
      capacities.tiles,
      scene.count,
      scene.facetLists ? 1 : 0,
    ],
    62,
  )
  f[DIAGONAL_WORD] = scene.diagonal
  return buffer
}

export interface Step {
  cellI: number
  cellJ: number
  tilesI: number
  level: number
  firstFrequency: number
  frequencyCount: number
  tilesJ: number
  /** Of a look: number of the direction times frequencies, and the direction before it minus itself. */
  firstTotal?: number
  turn?: Vec3
}

/** The uniforms of an aspect's dispatches, STEP_STRIDE bytes apart. */
export function packSteps(steps: Step[]): ArrayBuffer {
  const buffer = new ArrayBuffer(STEP_STRIDE * steps.length)
  steps.forEach((s, n) => {
    new Int32Array(buffer, STEP_STRIDE * n, 8).set([
      s.cellI,
      s.cellJ,
      s.tilesI,
      s.level,
      s.firstFrequency,
      s.frequencyCount,
      s.tilesJ,
      s.firstTotal ?? 0,
    ])
    if (s.turn) new Float32Array(buffer, STEP_STRIDE * n + 32, 3).set(s.turn)
  })
  return buffer
}
