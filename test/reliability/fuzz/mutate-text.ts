import { below, type Next, pick, several } from './chance.js'

/** What readers of numbers stumble over. */
const NUMBERS = [
  'nan', 'inf', '-inf', 'Infinity', '1e999', '-1e308', '1e308', '1e200', '1e30', '1e-320', '0', '-0', '-1', '1', '2',
  '2147483647', '2147483648', '4294967295', '4294967296', '9007199254740993', '1e15', '99999999999999999999', '0x10',
  '1_000', '٣', '1'.repeat(400), '.', '+', '1e', '--1', '', '1.5', '1e6', '16777217',
] // prettier-ignore

/** Names that mean something to JavaScript, to a terminal, to a file system or to nobody. */
const NAMES = [
  '__proto__', 'constructor', 'toString', 'prototype', 'hasOwnProperty', 'valueOf', 'length', '\0', '\x1b[31m', '\r',
  '../../../../etc/passwd', '/dev/zero', 'file:///etc/passwd', '%00', '%', '\ufeff', 'x'.repeat(20_000), '💣', '#', '\\',
  '//', 'null', '{', '"',
] // prettier-ignore

/** Longer texts are cut: what a change does to a megabyte it does to less. */
const LONGEST = 2 ** 20

/** One to four changes of a text of lines of words. `others`: texts whose lines may stray in. */
export function mutateText(text: string, others: readonly string[], next: Next): string {
  const words = (t: string, by: (word: string) => string): string => replaceOne(t, /\S+/g, by, next)
  const numbers = (t: string): string => replaceOne(t, /[-+]?\d[\d.e+-]*/g, () => pick(next, NUMBERS), next)
  const lines = (t: string, by: (line: string) => string[]): string => {
    const all = t.split('\n')
    const at = below(next, all.length)
    return [...all.slice(0, at), ...by(all[at]), ...all.slice(at + 1)].join('\n')
  }
  return several(next, 4, text, [
    numbers,
    numbers,
    (t) => words(t, () => (next() < 0.5 ? pick(next, NAMES) : pick(next, t.split(/\s+/)))),
    (t) => words(t, (word) => `${word} ${pick(next, NAMES)}`),
    (t) => lines(t, () => []),
    (t) => lines(t, (line) => Array.from({ length: pick(next, [2, 3, 50, 1000]) }, () => line)),
    (t) => lines(t, (line) => [line, pick(next, pick(next, others).split('\n'))]),
    (t) => t.slice(0, below(next, t.length + 1)),
    (t) => t.replaceAll('\n', pick(next, ['\r\n', ' ', '\r', '\n\n', '\\\n'])),
    (t) => t + pick(next, NAMES).repeat(pick(next, [1, 5, 100])),
  ]).slice(0, LONGEST)
}

function replaceOne(text: string, pattern: RegExp, by: (match: string) => string, next: Next): string {
  const matches = [...text.slice(0, LONGEST).matchAll(pattern)]
  if (matches.length === 0) return text
  const { 0: match, index } = pick(next, matches)
  return text.slice(0, index) + by(match) + text.slice(index + match.length)
}
