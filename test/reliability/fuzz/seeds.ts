import { readFileSync } from 'node:fs'
import { zipSync } from 'fflate'
import { writeNpz, writeBinaryStl } from '../../../formats/index.js'
import { cphdOf } from '../../../src/imaging/cphd.js'
import { sicdOf } from '../../../src/imaging/sicd.js'
import { circularPass, pointPulses } from '../../../samples/models/gotcha.js'
import { asciiStl, box } from '../../formats/shapes.js'
import { below, type Next, pick, several } from './chance.js'
import { glb, gltfSeed } from './gltf-seed.js'
import { joined, mutateBytes } from './mutate-bytes.js'
import { type Json, mutateJson } from './mutate-json.js'
import { mutateText } from './mutate-text.js'

/** A kind of file: how its name ends, and a mutated one. */
export interface Kind {
  ending: string
  make: (next: Next) => Uint8Array
}

/** Whether files of a kind are read by the CAD package. */
export const isCad = ({ ending }: Kind): boolean => ending === '.step' || ending === '.igs'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const mesh = box()

const OBJ = `# a box with every kind of face
mtllib box.mtl
o box
g side
usemtl metal
${Array.from({ length: 8 }, (_, v) => `v ${Array.from(mesh.positions.subarray(3 * v, 3 * v + 3)).join(' ')}`).join('\n')}
vn 0 0 1
vt 0 0
f 1 3 4 2
f 5/1 6/1 8/1 7/1
f -8//1 -7//1 -3//1 -4//1
g \\
 other
f 3/1/1 7/1/1 8/1/1
f 3 8 4
s off
l 1 2
f 1 5 7 3
`

function plyText(format: string): string {
  return `ply
format ${format} 1.0
comment a box
element vertex 8
property float x
property double y
property short z
property list uchar float extra
element junk 2
property int a
element face 12
property uchar label
property list uchar int vertex_indices
end_header
`
}

function plyBody(little: boolean): Uint8Array {
  const bytes = new Uint8Array(8 * 19 + 2 * 4 + 12 * 14)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (let v = 0; v < 24; v += 3) {
    view.setFloat32(at, mesh.positions[v], little)
    view.setFloat64(at + 4, mesh.positions[v + 1], little)
    view.setInt16(at + 12, mesh.positions[v + 2], little)
    view.setUint8(at + 14, 1)
    at += 19
  }
  at += 8
  for (let t = 0; t < 36; t += 3) {
    view.setUint8(at + 1, 3)
    for (let k = 0; k < 3; k++) view.setInt32(at + 2 + 4 * k, mesh.triangles[t + k], little)
    at += 14
  }
  return bytes
}

const plyAscii = (): string => {
  const vertices = Array.from(
    { length: 8 },
    (_, v) => `${mesh.positions.slice(3 * v, 3 * v + 3).join(' ')} 1 0.5`,
  )
  const faces = Array.from(
    { length: 12 },
    (_, t) => `7 3 ${mesh.triangles.slice(3 * t, 3 * t + 3).join(' ')}`,
  )
  return `${plyText('ascii')}${[...vertices, '1', '2', ...faces].join('\n')}\n`
}

/** Half of the time the text of a header is changed and the bytes after it stay, else the other way round. */
const halves = (header: string, body: Uint8Array, next: Next): Uint8Array =>
  next() < 0.5
    ? joined(encode(mutateText(header, [header], next)), body)
    : joined(encode(header), mutateBytes(body, next))

const gltf = gltfSeed()

/** Data addresses, files beside it, files elsewhere. */
function gltfFile(next: Next): Uint8Array {
  const json = structuredClone(gltf.json) as { buffers: { uri?: string }[] }
  json.buffers[0].uri = `data:application/octet-stream;base64,${Buffer.from(gltf.binary).toString('base64')}`
  return encode(mutateJson(json as unknown as Json, next))
}

function glbFile(next: Next): Uint8Array {
  const chance = next()
  if (chance < 0.6) return glb(mutateJson(gltf.json, next), gltf.binary)
  const text = JSON.stringify(gltf.json)
  return chance < 0.8 ? glb(text, mutateBytes(gltf.binary, next)) : mutateBytes(glb(text, gltf.binary), next)
}

const NPY = writeNpz({
  f_vv: { data: Float64Array.from({ length: 12 }, (_, i) => i), shape: [2, 3], dtype: '<c16' },
  freq_hz: { data: Float64Array.of(1e9, 2e9), shape: [2], dtype: '<f8' },
  mask: { data: Uint8Array.of(0, 1, 1, 0), shape: [2, 2], dtype: '|u1' },
})

const NPY_HEADERS = [
  "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
  "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }",
  "{'descr': 'constructor', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
]

/** A whole, often compressed, archive of an array whose header lies, under a name that wants to be elsewhere. */
function npzOfLies(next: Next): Uint8Array {
  const names = [
    'a.npy',
    '../../evil.npy',
    '/etc/evil.npy',
    'C:\\evil.npy',
    '__proto__.npy',
    'constructor',
    '',
    'a\0b.npy',
  ]
  const entries: Record<string, Uint8Array> = {}
  for (let i = below(next, 3); i >= 0; i--) {
    const text = mutateText(pick(next, NPY_HEADERS), NPY_HEADERS, next).slice(0, 60_000)
    const header = encode(`${text}\n`)
    const long = next() < 0.3
    const head = new Uint8Array(long ? 12 : 10)
    head.set([0x93, 78, 85, 77, 80, 89, long ? 2 : 1, 0])
    const view = new DataView(head.buffer)
    if (long) view.setUint32(8, header.length, true)
    else view.setUint16(8, header.length, true)
    const body = new Uint8Array(pick(next, [24, 96, 0, 1000, 200_000]))
    entries[pick(next, names)] = joined(head, header, body)
  }
  return zipSync(entries, { level: next() < 0.5 ? 0 : 6 })
}

/** Also records of an archive that all name one entry, and sizes far beyond the file. */
const npzFile = (next: Next): Uint8Array =>
  next() < 0.5
    ? mutateBytes(NPY, next)
    : several(next, 1, npzOfLies(next), [(b) => b, (b) => mutateBytes(b, next)])

const DATASET: Json = {
  name: 'tiny',
  seed: 3,
  targets: [
    { label: 'cube', mesh: '../../samples/cube.stl' },
    { label: 'corner', name: 'dihedral', mesh: 'dihedral.stl', scale: 0.8 },
  ],
  aspects: { azimuth: { from: 0, to: 350, step: 35 }, elevation: [10] },
  radar: { centreHz: '2 GHz', resolutionM: 0.3 },
  image: { size: [24, 20] },
  channels: ['vv', 'hv'],
  formats: ['npz', 'hdf5'],
  labels: ['mask'],
  nuisance: { snrDb: 20 },
  shardChips: 4,
  solver: { 'rays-per-wavelength': 4, 'max-bounces': 2, device: 'cpu' },
}

const TABLE = [
  ['freq_hz,theta_deg,phi_deg', ...['vv', 'hh', 'vh', 'hv'].map((c) => `sigma_${c}_dbsm`), ...['vv', 'hh', 'vh', 'hv'].map((c) => `f_${c}_re,f_${c}_im`)].join(), // prettier-ignore
  ...[1e9, 2e9].flatMap((f) =>
    [0, 10, 20].map((phi) => `${f},90,${phi},-3.1,-300,,-12.5,1.5e-1,-2e-3,0,0,,,1e-9,3.25`),
  ),
  '',
].join('\n')

const MANIFEST: Json = {
  name: 'tiny',
  version: '0.1.0',
  images: 4,
  files: [
    { path: 'shards/train-0.npz', bytes: 3, sha256: 'ab' },
    { path: '../elsewhere', bytes: 3, sha256: 'ab' },
  ],
  shards: [
    { name: 'train-0', split: 'train', first: 0, count: 2 },
    { name: 'test-0', split: 'test', first: 2, count: 2 },
  ],
}

const lines = (count: number, line: (i: number) => string): string => Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('') // prettier-ignore
const place = (v: number, joint = ' '): string =>
  Array.from(mesh.positions.subarray(3 * v, 3 * v + 3), (x) => x.toFixed(2)).join(joint)
const corners = (t: number, from: number): number[] =>
  Array.from(mesh.triangles.subarray(3 * t, 3 * t + 3), (v) => v + from)
/** Changes of what is not read leave files that can be read. */
const UNREAD = lines(40, (i) => `${i} ${place(i % 8)}`)

const MSH = `$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 7 "the skin"
$EndPhysicalNames
$Nodes
8
${lines(8, (v) => `${v + 1} ${place(v)}`)}$EndNodes
$Elements
12
${lines(12, (t) => `${t + 1} 2 2 7 1 ${corners(t, 1).join(' ')}`)}$EndElements
$NodeData
${UNREAD}$EndNodeData
`
const NASTRAN = `BEGIN BULK
${lines(8, (v) => `GRID,${v + 1},,${place(v, ',')}`)}${lines(12, (t) => ['CTRIA3', t + 1, 9, ...corners(t, 1)].map((x) => String(x).padEnd(8)).join(''))}CBAR,77,1,1,2
ENDDATA
`
const INP = `*NODE
${lines(8, (v) => `${v + 1}, ${place(v, ', ')}`)}*ELEMENT, TYPE=S3, ELSET=Shell
${lines(12, (t) => `${t + 1}, ${corners(t, 1).join(', ')}`)}*ELSET, ELSET=some, GENERATE
1, 9, 2
`
const UNV = `    -1
   164
 5 mm 2
  1.0D+03  1.0D+00
    -1
    -1
  2411
${lines(8, (v) => `${v + 1} 1 1 11\n${place(v)}`)}    -1
    -1
  2412
${lines(12, (t) => `${t + 1} 91 1 1 7 3\n${corners(t, 1).join(' ')}`)}    -1
    -1
  2467
1 0 0 0 0 0 0 1
the skin
8 1 0 0
    -1
    -1
   151
${UNREAD}    -1
`
const MODEL = `<?xml version="1.0"?>
<model unit="inch"><resources>
<object id="1" name="a &amp; &#98;"><mesh><vertices>
${lines(8, (v) => ['x', 'y', 'z'].reduce((tag, key, i) => `${tag} ${key}="${place(v).split(' ')[i]}"`, '<vertex') + '/>')}</vertices><triangles>
${lines(12, (t) => `<triangle ${corners(t, 0).map((v, i) => `v${i + 1}="${v}"`).join(' ')}/>`)}</triangles></mesh></object>
<object id="2"><components><component objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/></components></object>
</resources><build><item objectid="2"/><item objectid="1" transform="1 0 0 0 1 0 0 0 1 9 0 0"/></build></model>
` // prettier-ignore

const threeMf = (model: string): Uint8Array => zipSync({ '3D/3dmodel.model': encode(model) })
const textKind = (ending: string, text: string): Kind => ({
  ending,
  make: (next) => encode(mutateText(text, [text], next)),
})

const HISTORY = {
  ...pointPulses(
    circularPass({ pulses: 5, spanDeg: 3, elevationDeg: 40, rangeM: 9000 }),
    Float64Array.from({ length: 4 }, (_, m) => 9e9 + m * 1e8),
    [{ at: [1, 0, 0], re: 1 }],
  ),
  channel: 'vv',
}
const COLLECTION = {
  name: 'tiny',
  place: { latDeg: 40, lonDeg: 10, heightM: 3 },
  calibrated: true,
  version: '0',
}
const CPHD = cphdOf([HISTORY], { ...COLLECTION, reachM: 3 })
const PIXELS = {
  channel: 'vv',
  plane: { name: 'ground' as const, origin: [0, 0, 0] as [number, number, number], across: [1, 0, 0] as [number, number, number], along: [0, 1, 0] as [number, number, number] }, // prettier-ignore
  image: Float64Array.from({ length: 24 }, (_, i) => i),
  alongM: Float64Array.of(-1, 0, 1),
  acrossM: Float64Array.of(-1, 0, 1, 2),
  rangeResolutionM: 1,
  crossRangeResolutionM: 1,
  notes: [],
}
const SICD = sicdOf(PIXELS, HISTORY, { ...COLLECTION, window: 'none', algorithm: 'backprojection', isFocused: false }) // prettier-ignore

/** A file whose XML is changed and keeps its length, padded or cut; or any of its bytes. */
function xmlFile(file: Uint8Array, root: string, next: Next): Uint8Array {
  if (next() < 0.4) return mutateBytes(file, next)
  const text = new TextDecoder('latin1').decode(file)
  const [from, to] = [text.indexOf('<?xml'), text.lastIndexOf(`</${root}>`) + root.length + 3]
  const xml = text.slice(from, to)
  const changed = encode(mutateText(xml, [xml], next)).subarray(0, to - from)
  const out = Uint8Array.from(file)
  out.fill(0x20, from, to)
  out.set(changed, from)
  return out
}

const json = (path: string): Json => JSON.parse(readFileSync(path, 'utf8')) as Json

/** A disc, and a part of the sphere: the whole has tens of thousands of facets, which take the package as long as a file may. */
const STEP = readFileSync('test/formats/cad/sphere.step', 'utf8').replace(
  /#19 = [^]*(?=#23 = )/,
  `#19 = EDGE_LOOP('',(#33));
#20 = VERTEX_POINT('',#21);
#21 = CARTESIAN_POINT('',(500.,0.,0.));
#22 = PLANE('',#23);
#33 = ORIENTED_EDGE('',*,*,#34,.T.);
#34 = EDGE_CURVE('',#20,#20,#35,.T.);
#35 = CIRCLE('',#23,500.);
`,
)
const IGES = readFileSync('test/formats/cad/sphere.igs', 'latin1').replace(
  /6\.283185307(?=.*P000000[29])/g,
  '0.314159265',
)

/** Every kind of file that is read, by name. */
export const KINDS: Record<string, Kind> = {
  'STL, binary': { ending: '.stl', make: (next) => mutateBytes(writeBinaryStl(mesh), next) },
  'STL, text': {
    ending: '.stl',
    make: (next) => encode(mutateText(asciiStl(mesh), [OBJ, asciiStl(mesh)], next)),
  },
  OBJ: { ending: '.obj', make: (next) => encode(mutateText(OBJ, [OBJ, asciiStl(mesh)], next)) },
  'PLY, text': { ending: '.ply', make: (next) => encode(mutateText(plyAscii(), [plyAscii()], next)) },
  'PLY, binary': {
    ending: '.ply',
    make: (next) =>
      next() < 0.5
        ? halves(plyText('binary_little_endian'), plyBody(true), next)
        : halves(plyText('binary_big_endian'), plyBody(false), next),
  },
  GLB: { ending: '.glb', make: glbFile },
  glTF: { ending: '.gltf', make: gltfFile },
  Gmsh: textKind('.msh', MSH),
  Nastran: textKind('.bdf', NASTRAN),
  INP: textKind('.inp', INP),
  UNV: textKind('.unv', UNV),
  '3MF': {
    ending: '.3mf',
    make: (next) =>
      next() < 0.5 ? threeMf(mutateText(MODEL, [MODEL], next)) : mutateBytes(threeMf(MODEL), next),
  },
  STEP: textKind('.step', STEP),
  IGES: textKind('.igs', IGES),
  CPHD: { ending: '.cphd', make: (next) => xmlFile(CPHD, 'CPHD', next) },
  SICD: { ending: '.nitf', make: (next) => xmlFile(SICD, 'SICD', next) },
  npz: { ending: '.npz', make: npzFile },
  'dataset configuration': { ending: '.dataset.json', make: (next) => encode(mutateJson(DATASET, next)) },
  'result table': { ending: '.csv', make: (next) => encode(mutateText(TABLE, [TABLE], next)) },
  'dataset manifest': { ending: '.manifest.json', make: (next) => encode(mutateJson(MANIFEST, next)) },
  'materials file': {
    ending: '.materials.json',
    make: (next) => encode(mutateJson(json('samples/materials.json'), next)),
  },
  'propagation scene': {
    ending: '.scene.json',
    make: (next) =>
      encode(mutateJson(json(pick(next, ['samples/two-ray.json', 'samples/tunnel.json'])), next)),
  },
}
