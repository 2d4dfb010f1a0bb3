/** Messages quote what files hold: longer ones lose their middle. */
const LONGEST = 1000

/**
 * A message as one line that a terminal shows as it is: line ends and control characters, with which a quoted file could
 * forge lines or steer the terminal, become blanks and question marks; a very long one loses its middle.
 */
export function oneLine(message: string): string {
  const text = message.length > LONGEST ? `${message.slice(0, 700)} ... ${message.slice(-250)}` : message
  return text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '?')
}

/**
 * Bad input by the user (a file, an option, a scene). The message is one line that says what is wrong, where,
 * and how to mend it; the command line prints it and exits with 2.
 */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(message: string, options?: ErrorOptions) {
    super(oneLine(message), options)
  }
}
