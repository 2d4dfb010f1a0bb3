/**
 * Mechanisms beyond first order (docs/second-order.md). At edges (`SecondOrderEdges`): `reflected`: diffraction followed by reflection,
 * reflection followed by diffraction, and both; `wall`: fringe currents that a wall across their face turns back; `double`: diffraction at
 * one edge of a face and then at another. Waves that corners turn back (`EdgeWaves`): `edge-wave` along straight edges, `corner` on
 * faces. `travelling`: waves along smooth surfaces that a tip turns back (`TravellingWaves`).
 */
export const SECOND_ORDER = ['reflected', 'wall', 'double', 'edge-wave', 'corner', 'travelling'] as const
/** One of the mechanisms of second order. */
export type SecondOrder = (typeof SECOND_ORDER)[number]
