/** Speed of light in vacuum [m/s], exact. */
export const C0 = 299_792_458
/** Impedance of free space [ohm]. */
export const Z0 = 376.730313668
