import { appendFileSync } from 'node:fs'

/** Rows for docs/tables/reliability.md, where its command asks for them: one line of JSON each in the file that it names. */
export function record(table: string, row: Record<string, string | number>): void {
  const path = process.env.ISAR_RELIABILITY_ROWS
  if (path) appendFileSync(path, `${JSON.stringify({ table, row })}\n`)
}
