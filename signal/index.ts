export { chebyshevNodes, lagrange } from './chebyshev.js'
export { DelaySum } from './delay-sum.js'
export { delayRows, delayTables, type DelayTables, spreadWidth } from './delay-tables.js'
export { type BandBasis, materialBasis } from './material-basis.js'
