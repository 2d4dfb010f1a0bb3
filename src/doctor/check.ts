/** Result of checking one thing that runs need. */
export interface Check {
  /** One word: `node`, `threads`, `vulkan`. */
  name: string
  /** `warning`: a run works without it, if slower; `problem`: no run works. */
  verdict: 'ok' | 'warning' | 'problem'
  /** What was found, one line. */
  text: string
  /** How to fix it, one line; absent where nothing is wrong. */
  fix?: string
}

export const ok = (name: string, text: string): Check => ({ name, verdict: 'ok', text })

export const warning = (name: string, text: string, fix: string): Check => ({
  name,
  verdict: 'warning',
  text,
  fix,
})

export const problem = (name: string, text: string, fix: string): Check => ({
  name,
  verdict: 'problem',
  text,
  fix,
})
