export { addExactly, exactQuantum, roundTo, staysExact } from '../math/exact-sum.js'
export { shared } from './shared-memory.js'
