import type { RayScene, SbrJob, SceneMaterials } from '../../rays/index.js'
import { C0, frequency, highestFrequency, wavenumber } from '../../scene/index.js'
import { slab } from '../../scene/materials/slab.js'
import { chebyshevNodes, lagrange, materialSeries } from '../../signal/index.js'
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
    /** Number of each facet's material. */
    materials: GPUBuffer
    /** R_s, R_p by material, side (front, back), node and cosine 0 ... 1. */
    coefficients: GPUBuffer
    /** By frequency and node: what amplitudes are interpolated with. */
    nodeWeights: GPUBuffer
  }
}

/** The tables of a target's materials, by band and bounces. */
export class MaterialStore {
  private readonly kept: { key: string; tables: MaterialTables }[] = []
  private readonly facets: GPUBuffer

  constructor(
    private readonly device: GPUDevice,
    scene: RayScene,
    private readonly materials: SceneMaterials,
  ) {
    this.facets = upload(device, 'materials', new Float32Array(Uint32Array.from(materials.of).buffer))
    if (scene.count !== materials.of.length) throw new RangeError('one material per facet')
  }

  take({ band, options }: SbrJob): MaterialTables {
    const key = [band.f0, band.df, band.n, options.maxBounces].join()
    const at = this.kept.findIndex((of) => of.key === key)
    const [found] = at < 0 ? [{ key, tables: this.make(band, options.maxBounces) }] : this.kept.splice(at, 1)
    this.kept.unshift(found)
    // What aspects in flight use lives until they are done.
    for (const { tables } of this.kept.splice(KEPT))
      for (const buffer of [tables.buffers.coefficients, tables.buffers.nodeWeights]) buffer.destroy()
    return found.tables
  }

  private make(band: SbrJob['band'], bounces: number): MaterialTables {
    const { device, materials, facets } = this
    const { list } = materials
    const k = bandNodes(materials, band, bounces)
    const samples = MATERIAL_COSINES + 1
    const coefficients = new Float32Array(4 * list.length * 2 * k.length * samples)
    const out = new Float64Array(8)
    let at = 0
    for (const material of list)
      for (let back = 0; back < 2; back++)
        for (const x of k)
          for (let c = 0; c < samples; c++, at += 4) {
            slab(material, (x * C0) / (2 * Math.PI), c / MATERIAL_COSINES, out, back === 1)
            coefficients.set(out.subarray(0, 4), at)
          }
    const weights = new Float32Array(band.n * k.length)
    for (let n = 0; n < band.n; n++) weights.set(lagrange(k, wavenumber(frequency(band, n))), n * k.length)
    return {
      nodes: k.length,
      buffers: {
        materials: facets,
        coefficients: upload(device, 'coefficients', coefficients),
        nodeWeights: upload(device, 'nodeWeights', weights),
      },
    }
  }
}

/** Wavenumbers between which amplitudes are interpolated [rad/m]; the band's own where they are not more. */
function bandNodes({ list }: SceneMaterials, band: SbrJob['band'], bounces: number): Float64Array {
  const series = materialSeries(list, band, bounces)
  for (let count = 1; count < Math.min(MOST_NODES, band.n); count++)
    if (series.tail(count) <= TOLERANCE)
      return chebyshevNodes(wavenumber(band.f0), wavenumber(highestFrequency(band)), count)
  return Float64Array.from({ length: band.n }, (_, n) => wavenumber(frequency(band, n)))
}
