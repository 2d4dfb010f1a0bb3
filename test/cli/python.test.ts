import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { pythonWith, runPython } from '../helpers/python.js'
import { temporaryFolder, readJson } from './cli.js'
import { words } from '../helpers/words.js'

const run = promisify(execFile)
const python = pythonWith('numpy', 'h5py', 'scipy.io')
const installer = pythonWith('numpy', 'ensurepip', 'setuptools', 'wheel')
const env = {
  ...process.env,
  PYTHONPATH: resolve('python'),
  PYTHONDONTWRITEBYTECODE: '1',
  ISAR_COMMAND: `'${process.execPath}' '${resolve('dist/src/cli/main.js')}'`,
}

describe('the Python package', () => {
  it('has the version number of the npm package', () => {
    const { version } = readJson<{ version: string }>('package.json')
    expect(/^version = "(.*)"$/m.exec(readFileSync('python/pyproject.toml', 'utf8'))?.[1]).toBe(version)
    expect(/^__version__ = "(.*)"$/m.exec(readFileSync('python/isar/__init__.py', 'utf8'))?.[1]).toBe(version)
  })

  it.skipIf(!python)(
    'passes its own tests',
    async () => {
      const { stderr } = await run(python!, ['-m', 'unittest', 'discover', '-s', 'python/tests', '-t', 'python'], { env }) // prettier-ignore
      expect(stderr).toMatch(/^Ran (1\d|[2-9]\d) tests/m)
      // Without PyTorch its test is left out.
      expect(stderr).toMatch(/^OK( \(skipped=1\))?$/m)
    },
    300_000,
  )

  it.skipIf(!installer)('installs without a network where NumPy is, and is imported from there', async () => {
    const folder = temporaryFolder()
    // pip builds beside the sources.
    cpSync('python', join(folder, 'python'), { recursive: true })
    const venv = join(folder, 'venv')
    await run(installer!, ['-m', 'venv', '--system-site-packages', venv])
    await run(join(venv, 'bin/pip'), words`install --no-index --no-build-isolation ${join(folder, 'python')}`)
    const script = `
import importlib.metadata, isar, json
print(json.dumps([isar.__file__.startswith(${JSON.stringify(venv)}), importlib.metadata.version('isar') == isar.__version__]))`
    expect(runPython(join(venv, 'bin/python'), script, [])).toEqual([true, true])
  })

  it.skipIf(!python)(
    'has a notebook that goes from meshes to a classifier',
    async () => {
      const script = `
import json, sys
space = {}
for cell in json.load(open(sys.argv[1]))['cells']:
    if cell['cell_type'] == 'code':
        exec(compile(''.join(cell['source']), 'cell', 'exec'), space)
print(json.dumps([space['accuracy'], len(space['test']), list(space['image'].axes), sorted(space['images'].classes)]))`
      const notebook = resolve('python/examples/mesh-to-classifier.ipynb')
      const { stdout } = await run(python!, ['-c', script, notebook], { env, cwd: temporaryFolder() })
      const [accuracy, ...rest] = JSON.parse(stdout.trim().split('\n').at(-1)!) as [number, ...unknown[]]
      expect(rest).toEqual([36, ['range_m', 'cross_range_m'], ['tower', 'truck', 'van']])
      // A third by chance.
      expect(accuracy).toBeGreaterThan(0.9)
    },
    300_000,
  )
})
