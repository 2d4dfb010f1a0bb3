/**
 * Bad input by the user (a file, an option, a scene). The message is one line that says what is wrong, where,
 * and how to mend it; the command line prints it and exits with 2.
 */
export class InputError extends Error {
  override readonly name = 'InputError'
}
