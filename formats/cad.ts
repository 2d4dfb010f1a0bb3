import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { boundingBox, InputError, type Mesh } from '../scene/index.js'
import { groupsOf } from './element-mesh.js'
import { GrowingFloats, GrowingInts } from './text-scanner.js'

/** An optional package, found when a program runs: neither the compiler nor a bundle looks for it. */
const PACKAGE = 'occt-import-js'

/**
 * Largest distance of a facet from its surface as a part of the mean side of the bounding box, 1 over this: of the file alone, since a result is
 * not to depend on the other frequencies of its run. `--curved` cuts facets further, by the wavelength.
 */
const BOX_PARTS = 2000
/** The package exceeds the distance that it is asked for, 1.7 times on a sphere. */
const EXCESS = 2
/** Largest angle between neighbouring facets of a curved surface [rad]: half of the default `--smooth-angle`, or they would be edges. */
const ANGLE = Math.PI / 18
/** Most bytes of a file: the package's memory of 2 GiB holds no more. */
const MOST_BYTES = 2 ** 29 - 2 ** 20
/** Some damaged files keep the package busy for ever: a file may take so long [s], and so much more for each MiB. */
const LEAST_SECONDS = 20
const SECONDS_PER_MIB = 60
/** Most names in a message. */
const NAMED = 3

/** The thread that reads a file: it can be ended, and a signal is heard meanwhile. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const { from, call, bytes, parameters } = workerData
const silent = () => {}
require(from)({ print: silent, printErr: silent }).then((occt) => parentPort.postMessage(occt[call](bytes, parameters)))`

/** What the package answers (README.md of occt-import-js 0.0.23). */
interface Imported {
  success: boolean
  root?: Node
  meshes?: { name: string; attributes: { position: { array: number[] } }; index: { array: number[] } }[]
}
interface Node {
  name: string
  meshes: number[]
  children: Node[]
}

/**
 * Reads a STEP or IGES file: its surfaces as facets, in metres by the file's unit, the parts' names as groups. Parts share no vertices.
 * @param leastSeconds  a file may take this and `SECONDS_PER_MIB`
 * @throws InputError  where occt-import-js is not installed, does not read the file, or not in that time
 */
export async function readCad(
  kind: 'STEP' | 'IGES',
  bytes: Uint8Array,
  leastSeconds = LEAST_SECONDS,
): Promise<Mesh> {
  if (bytes.length > MOST_BYTES)
    throw new InputError(`more than ${MOST_BYTES / 2 ** 20} MiB of ${kind}; export its parts one by one`)
  const text = new TextDecoder('latin1').decode(bytes)
  if (!(kind === 'STEP' ? /ISO-10303-21\s*;/ : /^.{72}[SC]\s*0*1\b/m).test(text.slice(0, 2 ** 16)))
    throw new InputError(`no ${kind} file: its first lines are not those of one; export it again`)
  const found = await imported(kind, bytes, leastSeconds)
  if (!found.success || !found.root || !found.meshes)
    throw new InputError(`occt-import-js does not read this ${kind} file; export it again`)
  const leftOut = [...emptyParts(found.root), ...(kind === 'STEP' ? leftOfStep(text) : leftOfIges(text))]
  return meshOf(kind, found.meshes, leftOut)
}

async function imported(kind: 'STEP' | 'IGES', bytes: Uint8Array, leastSeconds: number): Promise<Imported> {
  let from: string
  try {
    from = createRequire(import.meta.url).resolve(PACKAGE)
  } catch (error) {
    throw new InputError(
      `STEP and IGES files are read by the package ${PACKAGE}, which is not installed: npm install ${PACKAGE}, or convert the file to .msh or .stl`,
      { cause: error },
    )
  }
  const parameters = {
    linearUnit: 'meter',
    linearDeflectionType: 'bounding_box_ratio',
    linearDeflection: 1 / (EXCESS * BOX_PARTS),
    angularDeflection: ANGLE,
  }
  const call = kind === 'STEP' ? 'ReadStepFile' : 'ReadIgesFile'
  const thread = new Worker(THREAD, { eval: true, workerData: { from, call, bytes, parameters } })
  const seconds = Math.ceil(leastSeconds + (SECONDS_PER_MIB * bytes.length) / 2 ** 20)
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Imported>((resolve, reject) => {
      thread.once('message', resolve)
      thread.once('error', (cause) =>
        reject(
          new InputError(`${PACKAGE} stopped at this ${kind} file: it is damaged, or too large`, { cause }),
        ),
      )
      const late = `${PACKAGE} did not read this ${kind} file within ${seconds} s: it is damaged; export it again, or convert it to .msh or .stl`
      timer = setTimeout(() => reject(new InputError(late)), 1000 * seconds)
    })
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}

function meshOf(kind: string, meshes: NonNullable<Imported['meshes']>, leftOut: string[]): Mesh {
  const positions = new GrowingFloats()
  const triangles = new GrowingInts()
  const groups: number[] = []
  const names = new Map<string, number>()
  for (const { name, attributes, index } of meshes) {
    const first = positions.length / 3
    for (const x of attributes.position.array) positions.push(x)
    const group = names.get(name) ?? names.size
    names.set(name, group)
    index.array.forEach((vertex, i) => {
      triangles.push(first + vertex)
      if (i % 3 === 0) groups.push(group)
    })
  }
  if (triangles.length === 0)
    throw new InputError(
      `the ${kind} file has no surfaces${leftOut.length > 0 ? `, but ${leftOut.join(', ')}` : ''}`,
    )
  const mesh = { positions: positions.take(), triangles: Uint32Array.from(triangles.take()) }
  const { min, max } = boundingBox(mesh)
  return {
    ...mesh,
    sagitta: (max[0] - min[0] + max[1] - min[1] + max[2] - min[2]) / (3 * BOX_PARTS),
    ...groupsOf(
      groups,
      [...names.keys()].map((name) => name || 'default'),
    ),
    ...(leftOut.length > 0 && { leftOut: leftOut.join(', ') }),
  }
}

/** Parts of the tree that hold neither facets nor parts, such as those of curves alone or of other files. */
function emptyParts(root: Node): string[] {
  const empty: string[] = []
  const walk = ({ name, meshes, children }: Node): void => {
    if (meshes.length + children.length === 0) empty.push(name || 'without a name')
    children.forEach(walk)
  }
  root.children.forEach(walk)
  return empty.length > 0 ? [`parts without surfaces (${counted(empty)})`] : []
}

const counted = (names: readonly string[]): string =>
  names.length > NAMED
    ? `${names.slice(0, NAMED).join(', ')} and ${names.length - NAMED} more`
    : names.join(', ')

/** Entities of STEP that are no surfaces, in words. */
const STEP_OTHERS = [
  ['curve sets', /=\s*GEOMETRIC_CURVE_SET\s*\(/g],
  ['annotations', /=\s*(?:DRAUGHTING_CALLOUT|ANNOTATION_\w+)\s*\(/g],
] as const

function leftOfStep(text: string): string[] {
  const files = [...text.matchAll(/=\s*DOCUMENT_FILE\s*\(\s*'([^']*)'/g)].map(([, name]) => name)
  return [
    ...(files.length > 0 ? [`parts in other files (${counted([...new Set(files)])})`] : []),
    ...STEP_OTHERS.map(([what, pattern]) => [what, (text.match(pattern) ?? []).length] as const)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${what} (${count})`),
  ]
}

/** Numbers of IGES entities that are no surfaces (IGES 5.3, table 3), by their kind. */
const IGES_OTHERS = new Map([
  ...[100, 102, 104, 106, 110, 112, 126, 130].map((type) => [type, 'curves'] as const),
  [116, 'points'] as const,
  ...[202, 204, 206, 208, 210, 212, 214, 216, 218, 220, 222, 228, 230].map(
    (type) => [type, 'annotations'] as const,
  ),
])

/** Independent entities that are no surfaces, by the directory: two lines each, type in columns 1 to 8, status in 65 to 72. */
function leftOfIges(text: string): string[] {
  const counts = new Map<string, number>()
  for (const [line] of text.matchAll(/^.{72}D\s*\d*[13579]\s*$/gm)) {
    const what = IGES_OTHERS.get(Number(line.slice(0, 8)))
    // The second pair of digits: 00 where no other entity needs it.
    if (what && line.slice(66, 68).trim().padStart(2, '0') === '00')
      counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${what} (${count})`)
}
