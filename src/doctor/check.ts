/** What is found of one thing that runs need. */
export interface Check {
  /** One word: `node`, `threads`, `vulkan`. */
  name: string
  /** `warning`: a run works without it, if slower; `problem`: no run works. */
  verdict: 'ok' | 'warning' | 'problem'
  /** What was found, one line. */
  text: string
  /** How to mend it, one line; absent where all is well. */
  mend?: string
}

export const ok = (name: string, text: string): Check => ({ name, verdict: 'ok', text })

export const warning = (name: string, text: string, mend: string): Check => ({
  name,
  verdict: 'warning',
  text,
  mend,
})

export const problem = (name: string, text: string, mend: string): Check => ({
  name,
  verdict: 'problem',
  text,
  mend,
})
