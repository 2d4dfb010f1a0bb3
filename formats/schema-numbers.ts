import { z } from 'zod'

type Input = { input?: unknown }

/** Beyond any material; products of a few stay within double precision. */
const MOST = 1e12
const beyond = { error: ({ input }: Input) => `${String(input)} is beyond ${MOST}` }
export const number = () => z.number().min(-MOST, beyond).max(MOST, beyond)

export const positive = (text: string) =>
  z
    .number()
    .max(1e15, { error: ({ input }: Input) => `${String(input)} is beyond 1e15` })
    .gt(0, { error: ({ input }: Input) => `${String(input)} is not above zero` })
    .describe(text)
export const notNegative = (text: string) =>
  number()
    .min(0, { error: ({ input }: Input) => `${String(input)} is negative; give 0 or more` })
    .describe(text)
