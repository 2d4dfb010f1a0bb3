// Loaded before everything else: the process interrupts itself when the rows in ISAR_TEST_ROWS are ISAR_TEST_BYTES long.
import { statSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const { ISAR_TEST_ROWS: rows, ISAR_TEST_BYTES: bytes } = process.env
const timer = isMainThread && setInterval(look, 10).unref()

function look() {
  if ((statSync(rows, { throwIfNoEntry: false })?.size ?? 0) <= Number(bytes)) return
  clearInterval(timer)
  process.kill(process.pid, 'SIGINT')
}
