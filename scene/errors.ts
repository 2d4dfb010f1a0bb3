/** Messages quote files: what is in quotes is cut beyond so many characters, a longer message in its middle. */
const MOST_QUOTED = 160
const LONGEST = 2000

/**
 * A message as one line that is safe to print: line ends and control characters, with which a quoted file could forge lines
 * or control the terminal, become blanks and question marks; long quotations are cut, and a very long message in its middle.
 */
export function oneLine(message: string): string {
  const cut = message.replace(/"[^"]*"/g, (quoted) =>
    quoted.length > MOST_QUOTED ? `${quoted.slice(0, MOST_QUOTED)}..."` : quoted,
  )
  const text = cut.length > LONGEST ? `${cut.slice(0, 700)} ... ${cut.slice(-250)}` : cut
  return text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '?')
}

/** The text with control and bidirectional characters escaped: names from files must not control a terminal. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * Bad input by the user (a file, an option, a scene). The message is one line that says what is wrong, where,
 * and how to fix it; the command line prints it and exits with 2.
 */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(message: string, options?: ErrorOptions) {
    super(oneLine(message), options)
  }
}

/** Terms used by other programs, without dashes: our name for each, and a remark. */
const OTHER_WORDS: Record<string, [name: string, remark?: string]> = {
  azimuth: ['phi'],
  az: ['phi'],
  elevation: ['theta', '90 minus the elevation'],
  el: ['theta', '90 minus the elevation'],
  bounces: ['maxreflections'],
  reflections: ['maxbounces'],
  origin: ['phasecentre'],
  centre: ['phasecentre'],
  center: ['phasecentre'],
  output: ['out'],
  threads: ['workers'],
  overwrite: ['force'],
  gpu: ['device'],
  cpu: ['device'],
  tx: ['transmitter'],
  rx: ['receivers'],
}

/** Shortest word to match. */
const LEAST_LETTERS = 3

const letters = (word: string): string => word.replace(/^-+|[-_ ]/g, '').toLowerCase()
const parts = (word: string): string[] =>
  word
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_ ]+/)

/**
 * ` (did you mean NAME?)` where an unknown name is a synonym, a prefix, a part or a near misspelling of a known one; else an
 * empty string.
 */
export function didYouMean(word: string, names: readonly string[]): string {
  const known = [...new Set(names)]
  const asked = letters(word)
  if (asked === '' || !Object.hasOwn(OTHER_WORDS, asked)) return suggestion(nearest(asked, known))
  const [name, remark] = OTHER_WORDS[asked]
  const meant = known.find((k) => letters(k) === name)
  return meant ? suggestion([meant], remark) : suggestion(nearest(asked, known))
}

const suggestion = (names: string[], remark?: string): string =>
  names.length === 0 ? '' : ` (did you mean ${names.join(' or ')}${remark ? `: ${remark}` : ''}?)`

function nearest(asked: string, known: readonly string[]): string[] {
  const found = (fits: (name: string) => boolean): string[] => known.filter((k) => fits(k)).slice(0, 3)
  const long = (text: string): boolean => text.length >= LEAST_LETTERS
  const same = found((k) => letters(k) === asked)
  if (same.length > 0) return same
  const misspelt = found((k) => asked.length > 4 && distance(asked, letters(k)) === 1)
  if (misspelt.length > 0) return misspelt
  const begins = found((k) => long(letters(k)) && asked.startsWith(letters(k)))
  if (begins.length > 0) return begins
  const within = long(asked) ? found((k) => letters(k).startsWith(asked) || parts(k).includes(asked)) : []
  if (within.length > 0) return within
  const distances = known.map((k) => distance(asked, letters(k)))
  const least = Math.min(...distances)
  return least <= asked.length / 3 ? known.filter((_, i) => distances[i] === least).slice(0, 3) : []
}

/** Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbouring letters. */
function distance(a: string, b: string): number {
  const d = Array.from({ length: a.length + 1 }, (_, i) => [i])
  for (let j = 1; j <= b.length; j++) d[0][j] = j
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1)
    }
  return d[a.length][b.length]
}
