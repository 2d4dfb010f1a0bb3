import { type ChipResult, type ChipTask, makeChips } from './chip.js'

export default (task: ChipTask): ChipResult => makeChips(task)
