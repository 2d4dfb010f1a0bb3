import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeMat5 } from '../../formats/mat5.js'
import { pythonWith, runPython } from '../helpers/python.js'

const python = pythonWith('numpy', 'scipy.io')

describe('MATLAB 5 files', () => {
  const bytes = writeMat5({
    name: 'ship Ä',
    empty: '',
    x: 2.5,
    m: { data: Float64Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] },
    z: { data: Float32Array.of(1, -1, 2, -2, 3, -3, 4, -4), shape: [2, 2], complex: true },
    data: {
      fields: {
        azim: { data: Float64Array.of(0, 0.0625), shape: [1, 2] },
        elev: 30,
        hh: { data: Float64Array.of(1, 2), shape: [1, 1], complex: true },
        text: 'in a struct',
      },
    },
  })

  it('have the format’s header and elements of whole words', () => {
    expect(Buffer.from(bytes.subarray(0, 10)).toString()).toBe('MATLAB 5.0')
    expect([...bytes.subarray(124, 128)]).toEqual([0, 1, 0x49, 0x4d])
    expect(bytes.length % 8).toBe(0)
  })

  it.skipIf(!python)('are read by scipy with the values and types that were written', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'isar-mat-')), 'a.mat')
    writeFileSync(file, bytes)
    const script = `
import json, sys, scipy.io
a = scipy.io.loadmat(sys.argv[1])
d = a['data'][0, 0]
print(json.dumps(dict(name=a['name'].tolist(), empty=a['empty'].tolist(), x=a['x'].tolist(), m=a['m'].tolist(),
  z=[[[v.real, v.imag] for v in r] for r in a['z'].tolist()], ztype=str(a['z'].dtype), mtype=str(a['m'].dtype),
  fields=sorted(d.dtype.names), azim=d['azim'].tolist(), elev=d['elev'].tolist(), hh=[d['hh'][0,0].real, d['hh'][0,0].imag],
  text=d['text'].tolist())))`
    expect(runPython(python!, script, [file])).toEqual({
      name: ['ship Ä'],
      empty: [],
      x: [[2.5]],
      m: [
        [1, 2, 3],
        [4, 5, 6],
      ],
      z: [
        [
          [1, -1],
          [2, -2],
        ],
        [
          [3, -3],
          [4, -4],
        ],
      ],
      ztype: 'complex64',
      mtype: 'float64',
      fields: ['azim', 'elev', 'hh', 'text'],
      azim: [[0, 0.0625]],
      elev: [[30]],
      hh: [1, 2],
      text: ['in a struct'],
    })
  })

  it('refuse names and shapes that do not fit', () => {
    expect(() => writeMat5({ '1a': 1 })).toThrow(/not a valid MATLAB name/)
    expect(() => writeMat5({ a: { data: Float64Array.of(1), shape: [2, 1] } })).toThrow(/do not fill/)
  })
})
