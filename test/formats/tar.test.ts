import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeTar } from '../../dataset/chip-formats.js'

describe('tar archives', () => {
  it('are unpacked by tar to the same files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'isar-tar-'))
    const files = [
      { name: '000001.json', data: new TextEncoder().encode('{"a": 1}') },
      { name: '000001.npy', data: Uint8Array.from({ length: 1000 }, (_, i) => i % 251) },
      { name: 'empty', data: new Uint8Array(0) },
    ]
    writeFileSync(join(folder, 'a.tar'), writeTar(files))
    execFileSync('tar', ['xf', 'a.tar'], { cwd: folder })
    for (const { name, data } of files)
      expect(new Uint8Array(readFileSync(join(folder, name)))).toEqual(Uint8Array.from(data))
    expect(
      execFileSync('tar', ['tf', 'a.tar'], { cwd: folder, encoding: 'utf8' }).trim().split('\n'),
    ).toEqual(files.map((f) => f.name))
  })

  it('refuse names that are too long', () => {
    expect(() => writeTar([{ name: 'x'.repeat(101), data: new Uint8Array(1) }])).toThrow(/too long/)
  })
})
