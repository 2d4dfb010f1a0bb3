/** Names of the distributions without their implementation: quick to load. */
export { ADJUST, type AdjustOptions, type Distribution, DISTRIBUTIONS } from './partition.js'
