import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pythonWith, runPython } from '../helpers/python.js'
import { isar, temporaryFolder } from './cli.js'
import { expectRefusal } from './refusal.js'
import { words } from '../helpers/words.js'

const cube = resolve('samples/cube.stl')
const python = pythonWith('numpy', 'h5py', 'scipy.io')

/** Holds X.h5 and X.mat against X.npz for every X, and returns the phase centre that each says. */
const SCRIPT = `
import h5py, json, numpy as np, scipy.io, sys
seen = {}
for path in sys.argv[1:]:
    n = np.load(path + '.npz'); h = h5py.File(path + '.h5'); m = scipy.io.loadmat(path + '.mat')
    assert sorted(n.files) == sorted(h.keys()), (n.files, list(h.keys()))
    for k in n.files:
        assert h[k].dtype == n[k].dtype and np.array_equal(h[k][()], n[k]), k
        assert m[k].dtype == n[k].dtype and np.array_equal(m[k], np.atleast_2d(n[k])), k
    assert h.attrs['polarisation'] == m['attributes'][0, 0]['polarisation'][0]
    seen[path.split('/')[-1]] = [len(n.files), h.attrs['phase_centre_m'].tolist(), m['attributes'][0, 0]['phase_centre_m'][0].tolist()]
print(json.dumps(seen))`

describe('npz, HDF5 and MATLAB files of a result', () => {
  it.skipIf(!python)(
    'of render and centres hold the same arrays, and say where the phase centre is',
    async () => {
      const folder = temporaryFolder()
      const out = join(folder, 'r')
      const sweep = words`--band 2e9:2.5e9:8 --angles 8 --pol vv,vh --phase-centre 0.1,0,-0.2`
      const render = await isar`render ${cube} ${sweep} --device cpu --out ${out} --formats hdf5,mat`
      expect(render.code, render.stderr).toBe(0)
      expect((await isar`centres ${out} --count 5 --formats npz,hdf5,mat`).code).toBe(0)
      const files = ['image', 'phase-history', 'centres-vv', 'centres-vh'].map((name) => join(out, name))
      const centre = [0.1, 0, -0.2]
      expect(runPython(python!, SCRIPT, files)).toEqual({
        image: [4, centre, centre],
        'phase-history': [5, centre, centre],
        'centres-vv': [7, centre, centre],
        'centres-vh': [7, centre, centre],
      })
    },
  )

  it.skipIf(!python)('of rcs hold the same arrays', async () => {
    const folder = temporaryFolder()
    const args = ['rcs', cube, '--freq', '1e9,0.5e9', '--phi', '0:40:20', '--device', 'cpu', '--mechanisms']
    for (const ending of ['npz', 'h5', 'mat'])
      expect(
        (await isar(words`${args} --second-order reflected --out ${join(folder, `x.${ending}`)}`)).code,
      ).toBe(0)
    const seen = runPython<Record<string, [number, number[], number[]]>>(python!, SCRIPT, [join(folder, 'x')])
    expect(seen.x.slice(1)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(seen.x[0]).toBeGreaterThan(20)
  })

  it('are refused where the name is none of theirs', async () => {
    await expectRefusal(
      words`render ${cube} --band 2e9:2.5e9:8 --formats hdf5,xml`,
      /^isar: --formats: "xml" is not a format; give some of npz,hdf5,mat\n$/,
      '.',
    )
  })
})
