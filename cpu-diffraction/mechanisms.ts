/** The mechanisms of the uniform theory: by their change the model error of a run is estimated (docs/error-estimate.md). */
export const UNIFORM = ['reflected', 'wall', 'double'] as const
/**
 * Mechanisms of second order at edges (docs/second-order.md). `reflected`: diffraction followed by reflection, reflection followed
 * by diffraction, and both. `wall`: fringe currents that a wall across their face turns back. `double`: diffraction at one edge of a
 * face and then at another. `edge-wave`: waves along straight edges that corners turn back. `corner`: waves on a face that its corners
 * turn back. The last two are added by `EdgeWaves`.
 */
export const SECOND_ORDER = [...UNIFORM, 'edge-wave', 'corner'] as const
/** One of the mechanisms of second order. */
export type SecondOrder = (typeof SECOND_ORDER)[number]
