/**
 * Segments of edges as the GPU takes them over (written by cpu-diffraction/records.ts, read by gpu/diffraction and
 * shaders/edge_*.wgsl): one self-contained buffer of 16-byte units. Its head is `EDGE_RECORD_HEAD` words, positions of the
 * sections in units; then follow
 *   spectrum  floats: wavenumbers of the nodes [rad/m], then for every node its Lagrange polynomial at all frequencies
 *   blocks    1 unit per block of segments: first and number of its near records, first and number of its slots
 *   near      2 units per record, the untruncated parts: turns at f0 and per step (units of 2^-32), half the phase's slope
 *             times the length [m], 0; four real amplitudes [m]
 *   slots     2 units per complex part with a delay of its own: turns at f0 and per step, face or NO_FACE, first unit of the
 *             table; half the slope times the length [m], minus the length [m], L per wavenumber [m], 0
 *   faces     8 units per direction of a strip: c, a, a of the second pole, first term; number of terms, second pole
 *             present, 0, 0; 4 factors of W each for S/j, T and R; 4 each of coefS, coefT, coefR
 *   terms     2 units per term of an exponential sum: sinh^2 v, pairs of S, T and R, 0
 *   tables    2 units per node for the slots without a face: real, then imaginary parts of the four amplitudes [m]
 */
export const EDGE_RECORD_HEAD = 16

/** Words of the head; the last ones are floats. */
export const EDGE_HEAD = {
  frequencies: 0,
  nodes: 1,
  /** Sums are integers times 2^-fixedExponent m (two's complement). */
  fixedExponent: 2,
  blocks: 3,
  slots: 4,
  spectrumAt: 5,
  blockAt: 6,
  nearAt: 7,
  slotAt: 8,
  faceAt: 9,
  termAt: 10,
  tableAt: 11,
  /** Wavenumber of the first frequency and its step [rad/m]. */
  k0: 12,
  dk: 13,
} as const

/** In place of a face: the slot's amplitudes stand in the tables. */
export const NO_FACE = 0xffffffff
