/**
 * Says on a line of its own that tests are left out for want of software. Continuous integration leaves none out (`.ci/run` sets
 * ISAR_ALL_TESTS): there it fails. @param what  is missing, with what brings it
 */
export function leftOut(what: string): void {
  if (process.env.ISAR_ALL_TESTS) throw new Error(`${what}; ISAR_ALL_TESTS is set: no test may be left out`)
  process.stderr.write(`${what}: its tests are left out\n`)
}
