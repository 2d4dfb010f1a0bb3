/** Messages quote file contents: longer ones are shortened in the middle. */
const LONGEST = 1000

/**
 * A message as one line that is safe to print: line ends and control characters, with which a quoted file could forge lines
 * or control the terminal, become blanks and question marks; a very long message is shortened in the middle.
 */
export function oneLine(message: string): string {
  const text = message.length > LONGEST ? `${message.slice(0, 700)} ... ${message.slice(-250)}` : message
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
