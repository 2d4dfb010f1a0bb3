import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeBinaryStl } from '../../formats/index.js'
import type { Mesh } from '../../scene/index.js'

/** Writes a file, an object as JSON, and returns its path; folders on the way are made. */
export function write(folder: string, name: string, data: string | Uint8Array | object): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  const isText = typeof data === 'string' || data instanceof Uint8Array
  writeFileSync(path, isText ? data : JSON.stringify(data))
  return path
}

export const writeMesh = (folder: string, name: string, mesh: Mesh): string =>
  write(folder, `${name}.stl`, writeBinaryStl(mesh))

/** A square of 2 m of two materials. */
export const TWO_MATERIALS =
  'v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\no plate\nusemtl steel\nf 1 2 3\nusemtl pane\nf 1 3 4\n'

/** A material of its own for one of the two, of a plastic that is given from 1 to 2 GHz. */
export const WINDOW = {
  media: { plastic: { frequency_hz: [1e9, 2e9], eps_real: [3, 2.9], loss_tangent: 0.01 } },
  materials: { window: { sheet: [{ medium: 'plastic', thickness_m: 0.005 }] } },
  groups: { pane: 'window' },
}

/** A radio scene: a closed room of metal with 4 receivers along a walk, 5 x 3 on the floor and one on a desk. */
export const HALL = {
  name: 'hall',
  frequency: ['900 MHz', 1.8e9],
  geometry: [{ box: { min: [0, 0, 0], max: [12, 9, 4], inward: true }, material: 'pec' }],
  transmitter: { position: [2.13, 3.31, 1.57], powerDbm: 20, polarisation: 'both' },
  receivers: [
    { name: 'walk', line: [[3, 3, 1.5], [3, 7, 1.5], [6, 7, 1.5]], step: 2 }, // prettier-ignore
    { name: 'floor', grid: { x: [4, 8], y: [2, 4], z: 1 }, step: 1 },
    { name: 'desk', points: [[10, 8, 1]] },
  ],
  rays: 2000,
  maxReflections: 2,
  paths: ['desk'],
}

/** Eight frequencies of a cube above which a plate turns, seen while both turn. */
export const TURNING = {
  mesh: resolve('samples/cube.stl'),
  radar: { band: [2.5e8, 4e8, 8], prf_hz: 100, pulses: 200, theta_deg: 70, phi_deg: 10 },
  motion: { rates_deg_s: [0, 0, 5], velocity_m_s: [1, 0, 0] },
  parts: [{ mesh: resolve('samples/plate.stl'), pivot_m: [0, 0, 1.5], axis: [0, 1, 0], rate_rev_s: 2 }],
}

/** A dataset of spectrograms of one target, a chip for each of two azimuths. */
export const SPECTROGRAMS = {
  name: 'tiny',
  product: 'spectrograms',
  targets: [{ label: 'rotor', motion: { ...TURNING, radar: undefined, interaction: false } }],
  aspects: { azimuth: [0, 200], elevation: [20] },
  radar: { freqHz: '150 MHz', prfHz: [60, 100], snrDb: 20 },
  spectrogram: { pulses: 16, columns: 12 },
  solver: { 'max-bounces': 2, device: 'cpu' },
}
