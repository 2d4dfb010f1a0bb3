export { addExactly, exactQuantum, roundTo, staysExact } from './exact-sum.js'
export { shared } from './shared-memory.js'
