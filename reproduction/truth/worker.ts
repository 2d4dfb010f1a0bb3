import { solveBody, type SolveResult, type SolveTask } from './solve.js'

export default (task: SolveTask): Promise<SolveResult> => solveBody(task)
