export { chebyshevNodes, lagrange } from '../math/chebyshev.js'
export { delayRows, DelaySum, delayTables, type DelayTables, spreadWidth } from './delay-sum.js'
export { type BandBasis, materialBasis } from './material-basis.js'
