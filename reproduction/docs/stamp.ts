/** How a measured page was made. */
export interface Stamp {
  /** Of the table of measured pages (`MEASURED`). */
  name: string
  /** `0.2.0 (1a2b3c4)`. */
  version: string
  /** `2026-11-26`. */
  date: string
  /** Processor, threads, Node's version, GPU. */
  machine: string
}

const PATTERN = /^Made by `npm run docs -- ([\w-]+)` with isar (\S+ \(\S+\)), (\d{4}-\d\d-\d\d): (.+)\.$/m

/** The page with its stamp below its title, in place of an earlier one. */
export function stamped(page: string, { name, version, date, machine }: Stamp): string {
  const line = `Made by \`npm run docs -- ${name}\` with isar ${version}, ${date}: ${machine}.`
  const [title, ...rest] = page.replace(new RegExp(`${PATTERN.source}\n\n?`, 'm'), '').split('\n')
  if (!title.startsWith('# ')) throw new Error(`${name}: a page begins with its title, not "${title}"`)
  return [title, '', line, ...(rest[0] === '' ? [] : ['']), ...rest].join('\n')
}

/** The stamp of a page; null without one. */
export function stampOf(page: string): Stamp | null {
  const match = PATTERN.exec(page)
  return match && { name: match[1], version: match[2], date: match[3], machine: match[4] }
}
