// Loaded before everything else (--import) in the process and in each of its threads. In a thread, one call of performance.now()
// (tasks time themselves by it), or of the function that ISAR_TEST_CALL names, goes wrong as ISAR_TEST_FAULT says: "exit", "throw", "hang" or "memory", at call number
// ISAR_TEST_AT, in as many threads as ISAR_TEST_FLAGS has files to be made of it; with "all" every call from that one on in each.
// Where ISAR_TEST_IN names a file, only calls made in it count.
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const {
  ISAR_TEST_FAULT: fault,
  ISAR_TEST_AT: at,
  ISAR_TEST_FLAGS: flags = '',
  ISAR_TEST_IN: file = '',
  ISAR_TEST_CALL: call = 'performance.now',
} = process.env

/** Whether this thread is one of those that go wrong: the first to make one of the files. */
function chosen() {
  for (const flag of flags.split(',').filter(Boolean))
    try {
      writeFileSync(flag, '', { flag: 'wx' })
      return true
    } catch {
      // Another thread was first.
    }
  return false
}

const FAULTS = {
  exit: () => process.exit(7),
  throw: () => {
    throw new Error('a fault on purpose')
  },
  hang: () => {
    for (;;);
  },
  memory: () => {
    const hoard = []
    for (;;) hoard.push(Array(1e6).fill(0.5))
  },
}

if (!isMainThread && fault) {
  const [owner, name] = call.split('.')
  const object = globalThis[owner]
  const real = object[name]
  let calls = 0
  object[name] = (...args) => {
    if (file && !new Error().stack.includes(file)) return real.apply(object, args)
    calls++
    if (flags === 'all' ? calls >= Number(at) : calls === Number(at) && chosen()) FAULTS[fault]()
    return real.apply(object, args)
  }
}
