// Loaded before everything else (--import): the process sends itself, or ISAR_TEST_PID, ISAR_TEST_SIGNAL as soon as its messages match
// ISAR_TEST_WHEN and, where ISAR_TEST_FILE names a file, that is there. Sent by another process the signal may come too late.
import { existsSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const {
  ISAR_TEST_WHEN: when,
  ISAR_TEST_SIGNAL: signal,
  ISAR_TEST_FILE: file,
  ISAR_TEST_PID: pid,
} = process.env

if (isMainThread && when) {
  const { stderr } = process
  const write = stderr.write.bind(stderr)
  const pattern = new RegExp(when, 'm')
  let text = ''
  let sent = false
  stderr.write = (chunk, ...more) => {
    const written = write(chunk, ...more)
    text += String(chunk)
    if (!sent && pattern.test(text) && (!file || existsSync(file))) {
      sent = true
      process.kill(pid ? Number(pid) : process.pid, signal)
    }
    return written
  }
}
