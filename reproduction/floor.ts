import { GpuSbrEngine } from '../gpu/index.js'
import { TILE_RAY_WORDS } from '../gpu/sbr/kernels.js'
import { CONTRIBUTION, LEAF } from '../gpu/sbr/layouts.js'
import { direction } from '../scene/index.js'
import { TILE } from '../rays/index.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { loadTarget } from '../run/loaded-target.js'
import { measureCeilings } from './ceilings.js'

/** Single-precision operations of one contribution at one frequency in sum_frequencies.wgsl: phasor, two sinc, eight multiply-adds. */
const SUM_FLOPS = 20 + 2 * 10 + 16
/** Bytes read and written per contribution and per leaf: their records, written once and read once. */
const CONTRIBUTION_BYTES = 2 * CONTRIBUTION.size
const LEAF_BYTES = 2 * LEAF.size
/** Bytes of a tube's rays, of its corner and its centre, written by the tracing kernels and read by those that sort. */
const RAY_BYTES = (2 * 4 * TILE_RAY_WORDS) / TILE ** 2

const BOUNCES = 5
const FREQUENCIES = 128

/**
 * A table: aircraft-a at one aspect, the time of its kernels against the minimum time of the operations of direct summation
 * over all frequencies and of the bytes passed between kernels at the GPU's measured peak.
 */
export async function measureFloor(): Promise<string> {
  const { name, flops, bytes } = await measureCeilings()
  const loaded = await loadTarget('samples/aircraft-a.stl', 'm', 20)
  const context = await openNodeGpu(false)
  if (!context) throw new Error('no GPU found')
  const engine = new GpuSbrEngine(context, loaded.scene, loaded.target.area, { subGrid: 2048 })
  const d = direction(80, 0)
  const row = async (frequencySum: 'direct' | 'fast') => {
    const job = {
      aspect: { tx: d, rx: d },
      band: { f0: 9.25e9, df: 1.5e9 / (FREQUENCIES - 1), n: FREQUENCIES },
      options: {
        raysPerWavelength: 10,
        maxBounces: BOUNCES,
        subdivisions: 2,
        frequencySum,
      },
    }
    const runs = []
    for (let i = 0; i < 8; i++) runs.push(await engine.field(job))
    runs.sort((a, b) => a.times.trace + a.times.field - b.times.trace - b.times.field)
    return runs[3]
  }
  const ms = (seconds: number): string => (1e3 * seconds).toFixed(3)
  const [direct, fast] = [await row('direct'), await row('fast')]
  const { tubes, leaves, contributions } = direct.statistics
  const sum = (contributions * FREQUENCIES * SUM_FLOPS) / flops
  const moved = (contributions * CONTRIBUTION_BYTES + leaves * LEAF_BYTES) / bytes
  const rays = (leaves * RAY_BYTES) / bytes
  context.device.destroy()
  return `Measured on ${name} by \`reproduction/ceilings.ts\`: ${(flops / 1e12).toFixed(1)} Tflop/s in single precision, ${(bytes / 1e12).toFixed(2)} TB/s read and written. One
aspect of aircraft-a, ${tubes} tubes, ${leaves} of them hit (cut ones counted), ${contributions} contributions, ${FREQUENCIES} frequencies. The floor is what the operations counted
(${SUM_FLOPS} a contribution and frequency summed directly) or the bytes counted (rays of corners and centres, leaves, records) take at these ceilings.

| kernels | milliseconds | floor | of it |
| --- | --- | --- | --- |
| tracing, bytes of the rays that hit | ${ms(direct.times.trace)} | ${ms(rays)} | ${(direct.times.trace / rays).toFixed(0)} times |
| contributions and direct sum, operations | ${ms(direct.times.field)} | ${ms(sum)} | ${(direct.times.field / sum).toFixed(1)} times |
| the same, bytes | ${ms(direct.times.field)} | ${ms(moved)} | ${(direct.times.field / moved).toFixed(0)} times |
| contributions and sum at nodes of the band (default) | ${ms(fast.times.field)} | ${ms(sum)} (of the direct sum) | ${(fast.times.field / sum).toFixed(1)} times |

Tracing is bound by neither: rays wait for the boxes and facets that their tile's lists name, in caches.`
}
