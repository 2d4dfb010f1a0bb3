import { afterEach, expect, it, vi } from 'vitest'
import { Console } from '../../src/cli/console.js'

afterEach(() => vi.restoreAllMocks())

it('the remaining time is that which is given, where it is', () => {
  const lines: string[] = []
  const stream = { write: (text: string) => lines.push(text) }
  const out = new Console({ stdout: stream, stderr: stream })
  out.progress(1, 10, 'aspects')
  out.progress(5, 10, 'aspects', 75)
  out.progress(10, 10, 'aspects', 0)
  expect(lines).toEqual(['1 of 10 aspects\n', '5 of 10 aspects, 1 min 15 s left\n', '10 of 10 aspects\n'])
})

it('the remaining time is told from the second part on, without what came before the first was done', () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => 1000 * (now += 1e-6))
  const lines: string[] = []
  const stream = { write: (text: string) => lines.push(text) }
  const out = new Console({ stdout: stream, stderr: stream })
  // Three parts are kept from before; loading and the first part take 50 s, further ones 2 s each.
  out.progress(3, 10, 'aspects')
  now = 50
  out.progress(4, 10, 'aspects')
  now = 52
  out.progress(5, 10, 'aspects')
  now = 58
  out.progress(8, 10, 'aspects')
  now = 62
  out.progress(10, 10, 'aspects')
  expect(lines).toEqual([
    '3 of 10 aspects\n',
    '4 of 10 aspects\n',
    '5 of 10 aspects, 10 s left\n',
    '8 of 10 aspects, 4.0 s left\n',
    '10 of 10 aspects\n',
  ])
})
