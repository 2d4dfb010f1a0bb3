import type { KernelContract } from '../gpu/kernel.js'
import { struct, uniform } from '../gpu/layout.js'
import { ELECTRIC, MIDDLE, NEAR } from './pair-integrals.js'

/** Constant over a system. */
export const MOMENT_JOB = uniform('Job', {
  k: ['f32', 'wavenumber [rad/m]'],
  charge: ['f32', '4 / k^2 [m^2]'],
  unknowns: ['u32', ''],
  order: ['u32', 'rows of the matrix, padded'],
  triangles: ['u32', 'of one image'],
  images: ['u32', 'of the triangles, themselves with them'],
  opposite: ['u32', 'bit i: the currents of image i have the other sign'],
})

/** One dispatch: columns `first` to `first + width` of the matrix in a block. */
export const MOMENT_STEP = uniform('Step', {
  first: ['u32', ''],
  width: ['u32', ''],
  row: ['u32', 'first row'],
  entry: ['u32', 'first of the entries close together'],
  count: ['u32', 'of those'],
})

/** A triangle; corners about its centre [m]. */
export const MOMENT_TRIANGLE = struct('Triangle', {
  centre: ['vec3f', '[m]'],
  area: ['f32', '[m^2]'],
  centreRest: ['vec3f', 'what single precision leaves of the centre [m]'],
  size: ['f32', 'longest edge [m]'],
  corner0: ['vec3f', ''],
  corner1: ['vec3f', ''],
  corner2: ['vec3f', ''],
  normal: ['vec3f', 'outwards; 0 on open surfaces'],
})

/** The two triangles of an RWG function, its corner of each, and ± l / 2A [1/m]. */
export const MOMENT_FUNCTION = struct('FunctionParts', {
  triangles: ['vec2u', ''],
  corners: ['vec2u', ''],
  factors: ['vec2f', ''],
})

/** An entry of the matrix as the host computed it. */
export const NEAR_ENTRY = struct('NearEntry', {
  row: ['u32', ''],
  column: ['u32', ''],
  value: ['vec2f', ''],
})

const structs = () => [MOMENT_JOB, MOMENT_STEP, MOMENT_TRIANGLE, MOMENT_FUNCTION, NEAR_ENTRY]
const read = (name: string) => ({ name, access: 'read' as const })
const BLOCK = { name: 'block', access: 'read_write' as const }

export const MOMENT_FILL: KernelContract = {
  name: 'moment_fill',
  structs,
  constants: { ELECTRIC, MIDDLE, NEAR },
  modules: ['phase', 'moment_fill'],
  buffers: [read('triangles'), read('functions'), read('rules'), BLOCK],
}

export const MOMENT_NEAR: KernelContract = {
  name: 'moment_near',
  structs,
  modules: ['moment_near'],
  buffers: [read('entries'), BLOCK],
}
