/** The mechanisms of the uniform theory: by their change the model error of a run is estimated (docs/error-estimate.md). */
export const UNIFORM = ['reflected', 'wall', 'double'] as const
/**
 * Mechanisms beyond first order (docs/second-order.md). At edges (`SecondOrderEdges`): `reflected`: diffraction followed by reflection,
 * reflection followed by diffraction, and both; `wall`: fringe currents that a wall across their face turns back; `double`: diffraction at
 * one edge of a face and then at another. Waves that corners turn back (`EdgeWaves`): `edge-wave` along straight edges, `corner` on
 * faces. On smooth surfaces `travelling`: waves that a tip turns back (`TravellingWaves`); `creeping`: currents at shadow boundaries and
 * behind them (`CreepingWaves`). All are computed where nothing is said, of targets and with methods that have any (docs/second-order.md, "Default").
 */
export const SECOND_ORDER = [...UNIFORM, 'edge-wave', 'corner', 'travelling', 'creeping'] as const
/** One of the mechanisms of second order. */
export type SecondOrder = (typeof SECOND_ORDER)[number]
/** Those of smooth surfaces, which need no edges. */
export const WITHOUT_EDGES: readonly SecondOrder[] = ['travelling', 'creeping']
