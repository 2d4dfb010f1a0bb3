import { solveUnit } from './units.js'

export default solveUnit
