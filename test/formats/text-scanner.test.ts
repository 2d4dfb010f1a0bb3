import { describe, expect, test } from 'vitest'
import { TextScanner } from '../../formats/text-scanner.js'
import { random } from '../helpers/random.js'
import { bytesOf } from './shapes.js'

const parse = (text: string): number => {
  const scanner = new TextScanner(bytesOf(text))
  scanner.next()
  return scanner.number()
}

describe('TextScanner', () => {
  test('numbers are those of the language, to the last bit', () => {
    const texts = '0 -0 +1 .5 5. 1e5 1E-5 -1.25e+3 123456789012345 1234567890123456789'.split(' ')
    texts.push('0.1', '1e22', '1e23', '1e-22', '1e-23', '4.9e-324', '0.000000000000000000000001', '00001.5')
    texts.push('9007199254740993', '1.7976931348623157e308', '2.2250738585072011e-308')
    const next = random(9)
    const view = new DataView(new ArrayBuffer(8))
    for (let i = 0; i < 5000; i++) {
      view.setUint32(0, Math.floor(next() * 2 ** 32))
      view.setUint32(4, Math.floor(next() * 2 ** 32))
      const x = view.getFloat64(0)
      if (!Number.isFinite(x)) continue
      texts.push(
        String(x),
        x.toExponential(),
        (next() * 1000 - 500).toFixed(6),
        Math.fround(next()).toString(),
      )
    }
    expect(texts.filter((text) => !Object.is(parse(text), Number(text)))).toEqual([])
  })

  test('everything else is refused', () => {
    for (const text of 'nan inf -Infinity 1e999 1e 1.2.3 --1 1,5 0x . - e5 1e+ 5f'.split(' '))
      expect(() => parse(text), text).toThrow(`line 1: "${text}" is not a finite number`)
  })

  test('lines, joined lines, and the line in a message', () => {
    const scanner = new TextScanner(bytesOf('\ufeffa b \\\r\n c\\\nd\n\n  e f g\n'))
    const words: string[] = []
    scanner.next()
    words.push(scanner.text())
    while (scanner.nextOnLine()) words.push(scanner.text())
    expect(words).toEqual(['a', 'b', 'c', 'd'])
    scanner.next()
    expect(scanner.is('e')).toBe(true)
    expect(() => scanner.fail('x')).toThrow('line 5: x')
    expect(scanner.restOfLine()).toBe('f g')
    expect(scanner.next()).toBe(false)
  })
})
