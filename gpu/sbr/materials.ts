import type { RayScene, SbrJob, SceneMaterials } from '../../rays/index.js'
import { C0, frequency, wavenumber } from '../../scene/index.js'
import { crossing } from '../../scene/ground/index.js'
import { greatestPower, slab } from '../../scene/materials/slab.js'
import { type BandBasis, materialBasis } from '../../signal/index.js'
import { BRANCH_CONSTANTS } from './layouts.js'
import { upload } from './scene-buffers.js'

/** Intervals of the cosine of the angle of incidence between samples of the coefficients. */
export const MATERIAL_COSINES = 1024
/** Error of coefficients between nodes of the band. */
const TOLERANCE = 1e-6
/** Nodes of a band at the most. */
const MOST_NODES = 32
/** Bands whose tables are kept. */
const KEPT = 4

/** What the kernels of an aspect need to know of the target's materials. */
export interface MaterialTables {
  /** Nodes of the band. */
  nodes: number
  buffers: {
    /**
     * Number of each facet's material, with the bits SHEET, BELOW and METAL. With sheets then the greatest |R|^2 and |T|^2 over polarisations and nodes by
     * material, side (front, back) and cosine 0 ... 1.
     */
    materials: GPUBuffer
    /** R_s, R_p by material, side, node and cosine, and last T_s, T_p of a ground (`crossing`); with sheets then T_s, T_p. */
    coefficients: GPUBuffer
    /** By frequency and node: what amplitudes are interpolated with. */
    nodeWeights: GPUBuffer
  }
}

/** The tables of a target's materials, by band and bounces. */
export class MaterialStore {
  private readonly kept: { key: string; tables: MaterialTables }[] = []

  constructor(
    private readonly device: GPUDevice,
    scene: RayScene,
    private readonly materials: SceneMaterials,
  ) {
    if (scene.count !== materials.of.length) throw new RangeError('one material per facet')
  }

  take({ band, options }: SbrJob): MaterialTables {
    const key = [band.f0, band.df, band.n, options.maxBounces].join()
    const at = this.kept.findIndex((of) => of.key === key)
    const [found] = at < 0 ? [{ key, tables: this.make(band, options.maxBounces) }] : this.kept.splice(at, 1)
    this.kept.unshift(found)
    // What aspects in flight use lives until they are done.
    for (const { tables } of this.kept.splice(KEPT))
      for (const buffer of Object.values(tables.buffers)) buffer.destroy()
    return found.tables
  }

  private make(band: SbrJob['band'], bounces: number): MaterialTables {
    const { device, materials } = this
    const { list, of, isSheet, sheets, ground } = materials
    const { k, weights } = bandBasis(materials, band, bounces)
    const samples = MATERIAL_COSINES + 1
    const entries = (2 * list.length + (ground ? 1 : 0)) * samples
    const coefficients = new Float32Array(4 * entries * k.length * (sheets ? 2 : 1))
    const facets = new Float32Array(of.length + (sheets ? 2 * entries : 0))
    const words = new Uint32Array(facets.buffer)
    const { SHEET, BELOW, METAL } = BRANCH_CONSTANTS
    const bits = list.map(({ kind }, m) => (isSheet[m] ? SHEET : 0) | (kind === 'conductor' ? METAL : 0))
    of.forEach((m, f) => (words[f] = m | bits[m] | (ground?.below[f] ? BELOW : 0)))
    const out = new Float64Array(8)
    const powers = facets.subarray(of.length)
    for (let side = 0; side < 2 * list.length; side++)
      for (let p = 0; p < k.length; p++)
        for (let c = 0; c < samples; c++) {
          slab(list[side >> 1], (k[p] * C0) / (2 * Math.PI), c / MATERIAL_COSINES, out, side % 2 === 1)
          const at = 4 * ((side * k.length + p) * samples + c)
          coefficients.set(out.subarray(0, 4), at)
          if (!sheets) continue
          coefficients.set(out.subarray(4), 4 * entries * k.length + at)
          const to = 2 * (side * samples + c)
          powers[to] = Math.max(powers[to], greatestPower(out, 0))
          powers[to + 1] = Math.max(powers[to + 1], greatestPower(out, 4))
        }
    if (ground)
      for (let p = 0; p < k.length; p++)
        for (let c = 0; c < samples; c++) {
          crossing(ground.ground, (k[p] * C0) / (2 * Math.PI), c / MATERIAL_COSINES, out)
          coefficients.set(out.subarray(0, 4), 4 * ((2 * list.length * k.length + p) * samples + c))
        }
    return {
      nodes: k.length,
      buffers: {
        materials: upload(device, 'materials', facets),
        coefficients: upload(device, 'coefficients', coefficients),
        nodeWeights: upload(device, 'nodeWeights', Float32Array.from(weights)),
      },
    }
  }
}

/** What amplitudes are interpolated with, whose phases and shapes are taken at every frequency; the band's own where many nodes were needed. */
function bandBasis({ list, ground }: SceneMaterials, band: SbrJob['band'], bounces: number): BandBasis {
  const constant = (k: Float64Array): Float64Array[] => [new Float64Array(k.length).fill(1)]
  const most = Math.min(MOST_NODES, band.n - 1)
  const basis = materialBasis(list, band, bounces, constant, TOLERANCE, most, ground?.ground)
  if (basis) return basis
  const k = Float64Array.from({ length: band.n }, (_, n) => wavenumber(frequency(band, n)))
  const weights = Float64Array.from({ length: band.n ** 2 }, (_, i) => (i % (band.n + 1) === 0 ? 1 : 0))
  return { k, weights }
}
