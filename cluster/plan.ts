/** How work is distributed, without what it takes to do so: quick to load. */
export { DISTRIBUTIONS, type Distribution } from './distribution.js'
export { ADJUST, type AdjustOptions } from './partition.js'
