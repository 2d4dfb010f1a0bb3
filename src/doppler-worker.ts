import { solveUnit } from './doppler-units.js'

export default solveUnit
