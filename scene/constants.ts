/** Speed of light in vacuum [m/s], exact. */
export const C0 = 299_792_458
/** Impedance of free space [ohm] (CODATA 2022). */
export const Z0 = 376.730313412
/** Permittivity of free space [F/m] (CODATA 2022). */
export const EPSILON_0 = 8.8541878188e-12
