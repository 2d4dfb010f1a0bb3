import type { Aperture, SbrJob } from '../../rays/index.js'
import { C0, wavenumber } from '../../scene/index.js'
import { DYNAMIC_STRIDE, type Values } from '../layout.js'
import { splitDouble, splitDoubles } from '../two-float.js'
import { SBR_JOB, SBR_STEP } from './layouts.js'

export interface ListCapacities {
  leaves: number
  /** Tails of long paths. */
  tails: number
  quads: number
  records: number
  quadRecords: number
  groups: number
  /** Cells to subdivide, and runs of them. */
  items: number
  chunks: number
  tiles: number
  /** Hit sums of contributions that are kept, for extrapolations. */
  hitSums: number
  /** Amplitudes at nodes of the band that are kept, on targets with materials. */
  amplitudes: number
  /** Facets with a list of what their reflected rays can meet. */
  facetLists: number
  /** Frequencies whose partial sums fit. */
  frequencies: number
}

/**
 * The uniform of one aspect.
 * @param lift           start of a reflected ray above its facet [m]
 * @param scene          facets, box diagonal [m], whether the facets' lists of candidates are in use, nodes of the band for its materials
 * @param fixedExponent  sums are integers times 2^-fixedExponent m^2
 */
export function packJob(
  job: SbrJob,
  aperture: Aperture,
  lift: number,
  fixedExponent: number,
  capacities: ListCapacities,
  scene: { count: number; diagonal: number; facetLists: boolean; materialNodes: number },
): ArrayBuffer {
  const { aspect, band, options } = job
  const { tx, rx } = aspect
  const [base, u, v, d, s] = [aperture.base, aperture.u, aperture.v, aperture.d, rx.r].map(splitDoubles)
  const exit = options.formulation === 'exit'
  return SBR_JOB.pack({
    base: base.high,
    baseLo: base.low,
    u: u.high,
    uLo: u.low,
    v: v.high,
    vLo: v.low,
    d: d.high,
    dLo: d.low,
    s: s.high,
    sLo: s.low,
    txV: tx.thetaHat,
    txH: tx.phiHat,
    rxV: rx.thetaHat,
    rxH: rx.phiHat,
    tubeSide: splitDouble(aperture.h),
    offsetU: splitDouble(aperture.offset[0]),
    offsetV: splitDouble(aperture.offset[1]),
    cyclesPerMetre: splitDouble(band.f0 / C0),
    cyclesPerMetreStep: splitDouble(band.df / C0),
    wavenumber: wavenumber(band.f0),
    wavenumberStep: wavenumber(band.df),
    lift,
    diagonal: scene.diagonal,
    zero: 0,
    exitForm: exit ? 1 : 0,
    onlyBounce: options.onlyBounce ?? 0,
    depth: exit ? 0 : options.subdivisions,
    fixedExponent,
    frequencies: band.n,
    leafCapacity: capacities.leaves,
    tailCapacity: capacities.tails,
    quadCapacity: capacities.quads,
    recordCapacity: capacities.records,
    quadRecordCapacity: capacities.quadRecords,
    groupCapacity: capacities.groups,
    itemCapacity: capacities.items,
    chunkCapacity: capacities.chunks,
    tileCapacity: capacities.tiles,
    slots: scene.count,
    facetLists: scene.facetLists ? 1 : 0,
    materialNodes: scene.materialNodes,
  })
}

/** What the kernels are given of a dispatch. */
export type Step = Values<(typeof SBR_STEP)['fields']>

/** The uniforms of an aspect's dispatches, DYNAMIC_STRIDE bytes apart. */
export const packSteps = (steps: Step[]): ArrayBuffer => SBR_STEP.packAll(steps, DYNAMIC_STRIDE)
