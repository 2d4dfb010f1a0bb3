/** Names of the distributions without their implementation: quick to load. */
export { DISTRIBUTIONS, type Distribution } from './distribution.js'
export { ADJUST, type AdjustOptions } from './partition.js'
