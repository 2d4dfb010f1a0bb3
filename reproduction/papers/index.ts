import { PAPER as PAPER_000 } from '../paper-000.js'
import { PAPER as PAPER_001 } from '../paper-001.js'
import { PAPER as PAPER_002 } from '../paper-002.js'
import { PAPER as PAPER_003 } from '../paper-003.js'
import { PAPER as PAPER_004 } from '../paper-004.js'
import type { Paper } from './kit.js'

export const PAPERS: Paper[] = [PAPER_000, PAPER_001, PAPER_002, PAPER_003, PAPER_004]
