import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { readMesh } from '../../formats/index.js'
import { InputError, type Mesh } from '../../scene/index.js'
import { prepareRecipe } from '../../run/loaded-target.js'
import { scratchFolder } from '../helpers/scratch.js'
import { measure } from './shapes.js'

const folder = scratchFolder()

let files = 0
async function read(ending: string, content: string | Uint8Array): Promise<Mesh> {
  const path = join(folder, `${files++}.${ending}`)
  writeFileSync(path, content)
  return readMesh(path)
}

/** Corners of a box of 1 x 2 x 3 as a hexahedron has them, and the box's faces but for the last. */
const BOX = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [
  [0, 3, 4, 7].includes(i) ? 0 : 1,
  i % 4 < 2 ? 0 : 2,
  i < 4 ? 0 : 3,
])
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8]
const FIVE = ['4 3 2 1', '5 6 7 8', '1 2 6 5', '2 3 7 6', '3 4 8 7'].map((face) =>
  face.split(' ').map(Number),
)

const msh2 = (elements: string[], nodes = BOX.map((x, i) => `${i + 1} ${x.join(' ')}`)): string =>
  [
    '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 "the skin"\n$EndPhysicalNames\n$Nodes',
    nodes.length,
    ...nodes,
    '$EndNodes\n$Elements',
    elements.length,
    ...elements,
    '$EndElements\n',
  ].join('\n')
const msh2Faces = FIVE.map((face, i) => `${i + 1} 3 2 ${i === 0 ? 7 : 0} 1 ${face.join(' ')}`)

/** Bytes of 32-bit integers, doubles (d) and 64-bit integers (q) in one order. */
function binary(littleEndian: boolean, ...values: (number | ['d' | 'q', number] | string)[]): Uint8Array {
  const parts = values.map((value) => {
    if (typeof value === 'string') return strToU8(value)
    const bytes = new Uint8Array(typeof value === 'number' ? 4 : 8)
    const view = new DataView(bytes.buffer)
    if (typeof value === 'number') view.setInt32(0, value, littleEndian)
    else if (value[0] === 'd') view.setFloat64(0, value[1], littleEndian)
    else view.setBigInt64(0, BigInt(value[1]), littleEndian)
    return bytes
  })
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}
const msh2Binary = (littleEndian: boolean): Uint8Array =>
  binary(
    littleEndian,
    '$MeshFormat\n2.2 1 8\n', 1, '\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 "the skin"\n$EndPhysicalNames\n$Nodes\n8\n',
    ...BOX.flatMap((x, i) => [i + 1, ...x.map((c) => ['d', c] as ['d', number])]),
    '\n$EndNodes\n$Elements\n5\n', 3, 5, 2,
    ...FIVE.flatMap((face, i) => [i + 1, i === 0 ? 7 : 0, 1, ...face]),
    '\n$EndElements\n',
  ) // prettier-ignore
const q = (x: number): ['q', number] => ['q', x]
const d = (x: number): ['d', number] => ['d', x]
const msh4Binary = (): Uint8Array =>
  binary(
    true,
    '$MeshFormat\n4.1 1 8\n', 1, '\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 "the skin"\n$EndPhysicalNames\n$Entities\n',
    q(0), q(0), q(2), q(0),
    1, d(0), d(0), d(0), d(1), d(2), d(3), q(1), -7, q(0),
    2, d(0), d(0), d(0), d(1), d(2), d(3), q(0), q(1), 5,
    '\n$EndEntities\n$Nodes\n', q(1), q(8), q(1), q(8), 2, 1, 0, q(8), ...NUMBERS.map(q), ...BOX.flat().map(d),
    '\n$EndNodes\n$Elements\n', q(2), q(5), q(1), q(5), 2, 1, 3, q(1), ...[1, ...FIVE[0]].map(q),
    2, 2, 3, q(4), ...FIVE.slice(1).flatMap((face, i) => [i + 2, ...face]).map(q),
    '\n$EndElements\n',
  ) // prettier-ignore
const msh4 = `$MeshFormat
4.1 0 8
$EndMeshFormat
$Comments
of any kind
$EndComments
$PhysicalNames
1
2 7 "the skin"
$EndPhysicalNames
$Entities
1 0 2 0
1 0 0 0 0
1 0 0 0 1 2 3 1 7 0
2 0 0 0 1 2 3 0 1 5
$EndEntities
$Nodes
1 8 1 8
2 1 1 8
${NUMBERS.join('\n')}
${BOX.map((x) => `${x.join(' ')} .5 .5`).join('\n')}
$EndNodes
$Elements
3 6 1 6
0 1 15 1
9 1
2 1 3 1
1 ${FIVE[0].join(' ')}
2 2 3 4
${FIVE.slice(1)
  .map((face, i) => `${i + 2} ${face.join(' ')}`)
  .join('\n')}
$EndElements
`

const small = (...fields: (string | number)[]): string => fields.map((x) => String(x).padEnd(8)).join('')
const nastran = [
  'SOL 101\nCEND\nTITLE = GRID\nBEGIN BULK\n$ small, large and free fields',
  ...BOX.slice(0, 3).map(([x, y, z], i) => small('GRID', i + 1, '', `${x}.`, `${y}.0`, z)),
  small('GRID*', 4).padEnd(24) + '0'.padStart(16) + '0.'.padStart(16) + '2.0D+0'.padStart(16) + '*A',
  `${small('*A')}${'0.'.padStart(16)}`,
  ...BOX.slice(4).map((x, i) => `GRID,${i + 5},,${x.join('.,')}-0`),
  ...FIVE.slice(1).map((face, i) => small('CQUAD4', i + 2, 9, ...face)),
  small('CQUAD8', 1, 12, ...FIVE[0], 1, 2, '+B'),
  small('+B', 3, 4),
  small('CBAR', 77, 1, 1, 2),
  'ENDDATA',
].join('\n')

const inp = `*HEADING
 a box
*Node, nset=all
${BOX.map((x, i) => `${i + 1}, ${x.join(', ')}`).join('\n')}
*ELEMENT, TYPE=S4R, ELSET=Shell
${FIVE.map((face, i) => `${i + 1}, ${face.slice(0, 2).join(', ')},\n ${face.slice(2).join(', ')}`).join('\n')}
*ELEMENT, TYPE=B31
9, 1, 2
*ELSET, ELSET="the skin"
1
*NODE PRINT
U
`

const row = (...numbers: number[]): string => numbers.map((x) => String(x).padStart(10)).join('')
const unv = (factor: string): string =>
  [
    '    -1\n   164',
    `${row(5)}mm (milli-newton)${row(2)}`,
    `  ${factor}  1.0D+03  1.0D+00\n  2.7314999999999998D+02\n    -1\n    -1\n  2411`,
    ...BOX.map((x, i) => `${row(i + 1, 1, 1, 11)}\n${x.map((c) => `${c}.0D+00`.padStart(25)).join('')}`),
    '    -1\n    -1\n  2412',
    `${row(9, 21, 1, 1, 7, 2)}\n${row(0, 1, 1)}\n${row(1, 2)}`,
    ...FIVE.map((face, i) => `${row(i + 1, 94, 1, 1, 7, 4)}\n${row(...face)}`),
    `    -1\n    -1\n  2467\n${row(1, 0, 0, 0, 0, 0, 0, 2)}\nthe skin\n${row(8, 1, 0, 0, 7, 1, 0, 0)}`,
    `    -1\n`,
  ].join('\n')

const RELATIONS = '<Relationships><Relationship Target="/3D/a.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>' // prettier-ignore
const threeMf = (model: string): Uint8Array =>
  zipSync({ '_rels/.rels': strToU8(RELATIONS), '3D/a.model': strToU8(model) })
const meshXml = `<mesh><vertices>${BOX.map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`).join('')}</vertices><triangles>${FIVE.flatMap(([a, b, c, e]) => [[a, b, c], [a, c, e]]).map((t) => `<triangle ${t.map((v, i) => `v${i + 1}="${v - 1}"`).join(' ')}/>`).join('')}</triangles></mesh>` // prettier-ignore
const modelXml = (resources: string, build: string, unit = 'unit="inch"'): string =>
  `<?xml version="1.0"?>\n<!-- <model> -->\n<model ${unit} xmlns="x"><resources>${resources}</resources><build>${build}</build></model>`

describe('surfaces of elements', () => {
  test.each<[string, string, string | Uint8Array, string[], string | undefined, number]>([
    ['Gmsh 2', 'msh', msh2(msh2Faces), ['the skin', 'default'], undefined, 1],
    ['Gmsh 2 binary', 'msh', msh2Binary(true), ['the skin', 'default'], undefined, 1],
    ['Gmsh 2 binary, big end first', 'msh', msh2Binary(false), ['the skin', 'default'], undefined, 1],
    ['Gmsh 4.1', 'msh', msh4, ['the skin', 'default'], 'points (1)', 1],
    ['Gmsh 4.1 binary', 'msh', msh4Binary(), ['the skin', 'default'], undefined, 1],
    ['Nastran', 'bdf', nastran, ['12', '9'], 'nodes between corners (4), beams (1)', 1],
    ['INP', 'inp', inp, ['the skin', 'Shell'], 'elements of type B31 (1)', 1],
    ['UNV', 'unv', unv('1.0D+03'), ['the skin', 'default'], 'beams (1)', 1e-3],
    [
      '3MF',
      '3mf',
      threeMf(modelXml(`<object id="1" name="a &amp; b">${meshXml}</object>`, '<item objectid="1"/>')),
      ['a & b'],
      undefined,
      0.0254,
    ],
  ])(
    '%s: area, orientation, groups and what is left out',
    async (_, ending, content, groups, leftOut, unit) => {
      const mesh = await read(ending, content)
      expect(mesh.triangles).toHaveLength(30)
      const { area, volume } = measure(mesh)
      expect(area).toBeCloseTo(16 * unit ** 2, 12)
      // The face that is missing lies in a plane through the origin.
      expect(volume).toBeCloseTo(6 * unit ** 3, 12)
      const names = [...(mesh.groupNames ?? [])]
      expect(names.toSorted()).toEqual(groups.toSorted())
      if (groups.length > 1) {
        const first = mesh.facetGroup!.filter((g) => names[g] === groups[0])
        expect(first).toHaveLength(2)
      }
      expect(mesh.leftOut).toBe(leftOut)
    },
  )

  const nodes = BOX.map((x, i) => `${i + 1}, ${x.join(', ')}`).join('\n')
  test.each([
    ['a hexahedron', 'inp', `*NODE\n${nodes}\n*ELEMENT,TYPE=C3D8\n1,1,2,3,4,5,6,7,8\n`, 6],
    ['two wedges', 'inp', `*NODE\n${nodes}\n*ELEMENT,TYPE=C3D6\n1,1,2,3,5,6,7\n2,1,3,4,5,7,8\n`, 6],
    ['a tetrahedron', 'msh', msh2(['1 4 2 0 1 1 2 4 5']), 1],
    ['a pyramid', 'msh', msh2(['1 7 2 0 1 1 2 3 4 5']), 2],
    ['a hexahedron of Nastran on two lines', 'nas', `${nastran.replaceAll(/^C(QUAD|BAR).*\n/gm, '')}`.replace(/\+B.*\n/, 'CHEXA,1,1,1,2,3,4,5,6\n+,7,8\n'), 6],
    ['a tetrahedron of ten nodes in UNV', 'unv', unv('1.').replace(/ {4}-1\n {4}-1\n {2}2412[^]*/, `    -1\n    -1\n  2412\n${row(1, 118, 1, 1, 7, 10)}\n${row(1, 8, 2, 8, 4, 8, 8, 8)}\n${row(8, 5)}\n    -1\n`), 1],
  ])('the outer faces of %s enclose its volume', async (_, ending, content, volume) => {
    expect(measure(await read(ending, content)).volume).toBeCloseTo(volume, 12)
  }) // prettier-ignore

  test('solids beside surfaces are left out, and a run says so', async () => {
    const mesh = await read('msh', msh2([...msh2Faces, '9 5 2 0 1 1 2 3 4 5 6 7 8']))
    expect(mesh.triangles).toHaveLength(30)
    const { warnings } = prepareRecipe('a', '', { mesh, smoothAngleDeg: 20 })
    expect(warnings[0]).toBe('not read from the file: solids beside surfaces (1)')
  })

  test('a set of 900 elements in one line of an INP file is read whole', async () => {
    const ids = Array.from({ length: 900 }, (_, i) => 5000 + i)
    const nodes = BOX.map((x, i) => `${i + 1}, ${x.join(', ')}`)
    const elements = ids.map((id) => `${id}, 1, 2, 3`)
    const { groupNames } = await read(
      'inp',
      `*NODE\n${nodes.join('\n')}\n*ELEMENT, TYPE=S3\n${elements.join('\n')}\n*ELSET, ELSET=all\n${ids.join()}\n`,
    )
    expect(groupNames).toEqual(['all'])
  })

  test('attributes of 3MF may contain ">", and names any character by its number', async () => {
    const mesh = await read(
      '3mf',
      threeMf(
        modelXml(
          `<object id="1" name="&#252;&#xFC;&#x1F600;&#10;&#xD800;&#x110000;&amp;#65;">${meshXml}</object>`,
          `<item objectid="1" partnumber="a>b" other='">' transform="1 0 0 0 1 0 0 0 1 100 0 0"/>`,
          'unit="meter"',
        ),
      ),
    )
    expect(Math.min(...mesh.positions.filter((_, i) => i % 3 === 0))).toBe(100)
    expect(mesh.groupNames).toEqual(['üü😀  &#x110000;&#65;'])
  })

  test('vertices that no triangle uses are not placed', async () => {
    const content = (vertex: string): Uint8Array =>
      threeMf(
        modelXml(
          `<object id="1">${meshXml.replace('<vertices>', `<vertices>${vertex}`)}</object>`.replaceAll(
            /(v\d)="(\d)"/g,
            (_, key: string, v: string) => `${key}="${Number(v) + (vertex ? 1 : 0)}"`,
          ),
          '<item objectid="1"/><item objectid="1"/>',
        ),
      )
    expect(await read('3mf', content('<vertex x="9" y="9" z="9"/>'))).toEqual(await read('3mf', content('')))
  })

  test('a long name without a value takes time in proportion to its length', async () => {
    const item = `<item objectid="1" ${'a'.repeat(200_000)}/>`
    const mesh = await read('3mf', threeMf(modelXml(`<object id="1">${meshXml}</object>`, item)))
    expect(mesh.triangles).toHaveLength(30)
  }, 5000)

  test('components of 3MF are placed by both transforms, and mirrored ones face outwards', async () => {
    const object = `<object id="1">${meshXml}</object>`
    const parts = `<object id="2"><components><component objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 0"/></components></object>`
    const mesh = await read(
      '3mf',
      threeMf(
        modelXml(
          object + parts,
          '<item objectid="2" transform="0 1 0 -1 0 0 0 0 2 10 20 30"/>',
          'unit="meter"',
        ),
      ),
    )
    expect(measure(mesh).area).toBeCloseTo(2 * (2 * 1 + 2 * 6 + 1 * 6) - 2 * 6, 12)
    // Vertex (1, 2, 3): mirrored (-1, 2, 3), then rotated, stretched and moved.
    expect(Array.from(mesh.positions.subarray(18, 21))).toEqual([8, 19, 36])
    const own = { ...mesh, positions: mesh.positions.map((x, i) => x - [10, 20, 30][i % 3]) }
    expect(measure(own).volume).toBeCloseTo(12, 12)
  })
})

const good: Record<string, string> = { msh: msh2(msh2Faces), bdf: nastran, inp, unv: unv('1.') }
const model = (from: string, to: string): Uint8Array =>
  threeMf(modelXml(`<object id="1">${meshXml}</object>`, '<item objectid="1"/>').replace(from, to))

describe('files that are refused in one line', () => {
  test.each<[string, string, string | Uint8Array, string | RegExp]>([
    ['another version', 'msh', '$MeshFormat\n4 0 8\n$EndMeshFormat\n', 'save as 4.1 or 2.2'],
    ['another format', 'msh', '(0 "Fluent")\n', 'not a Gmsh file'],
    ['a count of nodes beyond the file', 'msh', good.msh.replace('$Nodes\n8', '$Nodes\n800000000'), 'declares 800000000 nodes'],
    ['a count of nodes, with its line', 'msh', good.msh.replace('$Nodes\n8', '$Nodes\n800000000'), 'line 9: the Gmsh file declares'],
    ['a count that is no number', 'msh', good.msh.replace('$Nodes\n8', '$Nodes\nx'), 'line 9: "x" is not a finite number'],
    ['a count beyond the section', 'msh', good.msh.replace('$Nodes\n8', '$Nodes\n9'), '"$EndNodes" is not a finite number'],
    ['a count below the section', 'msh', good.msh.replace('$Nodes\n8', '$Nodes\n7'), '$Nodes does not end where its counts say'],
    ['a missing node', 'msh', good.msh.replace('4 3 2 1\n', '4 3 2 99\n'), 'element 1 uses node 99'],
    ['NaN', 'msh', good.msh.replace('1 0 0 0', '1 0 nan 0'), 'line 10: "nan" is not a finite number'],
    ['a node in two places', 'msh', good.msh.replace('2 1 0 0', '1 1 0 0'), 'node 1 occurs twice'],
    ['an element twice', 'msh', good.msh.replace('\n2 3 2', '\n1 3 2'), 'element 1 occurs twice'],
    ['an unknown element', 'msh', good.msh.replace('\n2 3 2', '\n2 333 2'), "Gmsh's type 333"],
    ['no elements', 'msh', '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n', 'no surface or solid elements'],
    ['a binary file that ends', 'msh', msh2Binary(true).slice(0, 300), 'cut off'],
    ['a binary file of version 4.1 that ends', 'msh', msh4Binary().slice(0, 500), 'cut off'],
    ['a coordinate system', 'bdf', good.bdf.replace('GRID,5,,', 'GRID,5,3,'), 'GRID 5 is in coordinate system 3'],
    ['NaN', 'bdf', good.bdf.replace('GRID,5,,0', 'GRID,5,,NaN'), 'line 11: field 4 of GRID, "NaN.", is not a finite number'],
    ['a missing node', 'bdf', good.bdf.replace('GRID,5', 'GRID,50'), 'uses node 5, which the Nastran file does not have'],
    ['other files', 'bdf', "INCLUDE 'a.bdf'\n", 'line 1: INCLUDE'],
    ['a node in two places', 'bdf', good.bdf.replace('GRID,6', 'GRID,5'), 'line 12: node 5 occurs twice'],
    ['a blank corner', 'bdf', 'GRID,1\nCTRIA3,1,1,1,1\n', 'line 2: field 6 of CTRIA3, "", is not a whole number'],
    ['replication', 'bdf', 'GRID,1\n=,*1,=,*1.\n=3\n', 'line 2: replication (=) is not read'],
    ['a coordinate system of all nodes, after them', 'bdf', good.bdf.replace('ENDDATA', 'GRDSET,,3\nENDDATA'), 'GRDSET puts GRIDs in coordinate system 3'],
    ['a number of a node that is none', 'inp', '*NODE\nx,0,0,0\n', /inp: line 2: "x" is not a whole number$/],
    ['a line without end', 'inp', `*NODE\n1,0,0,${'0'.repeat(2 ** 20)}\n`, 'line 2 has more than 1048576 bytes'],
    ['axisymmetric elements alone', 'inp', `*NODE\n1\n*ELEMENT,TYPE=CAX4\n1,1,1,1,1\n*ELEMENT,TYPE=DCAX3\n2,1,1,1\n`, 'but elements of type CAX4 (1), elements of type DCAX3 (1)'],
    ['axisymmetric elements alone', 'unv', good.unv.replaceAll('        94         1', '        84         1'), 'beams (1), elements of type 84 (5)'],
    ['generated nodes', 'inp', '*NGEN\n1,2\n', 'line 1: *NGEN is not read'],
    ['other files', 'inp', '*NODE, INPUT=a.inp\n', 'line 1: *NODE names the file "a.inp"'],
    ['two parts', 'inp', '*PART, NAME=a\n*END PART\n*PART, NAME=b\n', 'line 3: a second *PART'],
    ['a part that is moved', 'inp', '*INSTANCE, NAME=a, PART=b\n1,0,0\n', 'line 2: *INSTANCE moves'],
    ['an element that ends', 'inp', inp.replace('*ELEMENT, TYPE=B31', '7,1,2\n*ELEMENT, TYPE=B31'), 'element 7 before this line has 2 of its 4 nodes'],
    ['a range beyond measure', 'inp', `${inp}*ELSET,ELSET=a,GENERATE\n1,99999999999\n`, 'GENERATE'],
    ['sets that multiply', 'inp', `*ELSET,ELSET=A0\n1,2,3\n${Array.from({ length: 60 }, (_, i) => `*ELSET,ELSET=A${i + 1}\n${`A${i},`.repeat(8)}\n`).join('')}`, 'more members'],
    ['a cylindrical system', 'inp', '*NODE, SYSTEM=C\n1,1,0,0\n', 'cylindrical'],
    ['no number', 'inp', inp.replace('1, 0, 0, 0', '1, 0, x, 0'), 'line 4: node 1 has a coordinate that is not a finite number'],
    ['a dataset that ends', 'unv', good.unv.slice(0, 700), 'ends inside a dataset'],
    ['an element of too few nodes', 'unv', good.unv.replace(row(1, 94, 1, 1, 7, 4), row(1, 94, 1, 1, 7, 3)), 'element 1 declares 3 nodes and has 4'],
    ['a count of nodes beyond the file', 'unv', good.unv.replace(row(1, 94, 1, 1, 7, 4), row(1, 94, 1, 1, 7, 999_999_999)), 'of its 999999999 nodes'],
    ['a unit of zero', 'unv', unv('0.0D+00'), 'line 4: the unit of length'],
    ['another format', 'unv', 'solid\n', 'line 1: "solid" is not the begin of a dataset'],
    ['no archive', '3mf', 'solid\n', 'not a zip archive'],
    ['an archive that ends', '3mf', model('', '').slice(0, 200), 'not a readable zip archive'],
    ['no model', '3mf', zipSync({ a: strToU8('b') }), 'has no model "3d/3dmodel.model"'],
    ['a unit of its own', '3mf', model('"inch"', '"parsec"'), 'line 3 of 3d/a.model: the unit "parsec"'],
    ['a missing vertex', '3mf', model('v1="3"', 'v1="8"'), 'a triangle uses vertex 8, but the object has 8'],
    ['NaN', '3mf', model('x="1"', 'x="NaN"'), '<vertex> has no finite number x'],
    ['a missing object', '3mf', model('objectid="1"', 'objectid="2"'), 'object 3d/a.model#2 of the 3MF file is used and does not exist'],
    ['an object twice', '3mf', model('</resources>', '<object id="1"/></resources>'), 'object 1 occurs twice'],
    ['a transform of eleven numbers', '3mf', model('<item ', '<item transform="1 0 0 0 1 0 0 0 1 0 0" '), 'twelve finite numbers'],
    ['no items', '3mf', model('<item objectid="1"/>', ''), 'has no items'],
    ['XML that ends', '3mf', model('</build></model>', ''), 'cut off'],
    ['a DOCTYPE', '3mf', model('<resources', '<!DOCTYPE a><resources'), 'DOCTYPE'],
    ['an object that contains itself', '3mf', threeMf(modelXml('<object id="2"><component objectid="2"/></object>', '<item objectid="2"/>')), 'contains itself'],
    ['components nested without end', '3mf', threeMf(modelXml(`<object id="0">${meshXml}</object>${Array.from({ length: 3000 }, (_, i) => `<object id="${i + 1}"><component objectid="${i}"/></object>`).join('')}`, '<item objectid="3000"/>')), 'nested deeper than 100'],
['components that multiply', '3mf', threeMf(modelXml(`<object id="0">${meshXml}</object>${Array.from({ length: 30 }, (_, i) => `<object id="${i + 1}">${`<component objectid="${i}"/>`.repeat(9)}</object>`).join('')}`, '<item objectid="30"/>')), 'places more than'],
  ])('%s (.%s)', async (_, ending, content, message) => {
    const reading = read(ending, content)
    await expect(reading).rejects.toThrow(InputError)
    await expect(reading).rejects.toThrow(message)
  }) // prettier-ignore

  test.each<[string, string, string | Uint8Array]>([
    ['MSH 2 in binary', 'msh', msh2Binary(true)],
    ['MSH 4.1', 'msh', msh4],
    ['MSH 4.1 in binary', 'msh', msh4Binary()],
    ['MSH 2', 'msh', good.msh],
    ['Nastran', 'bdf', good.bdf],
    ['INP', 'inp', good.inp],
    ['UNV', 'unv', good.unv],
    ['3MF', '3mf', model('', '')],
  ])(
    '%s cut anywhere, or with a changed byte, is read or refused as bad input',
    async (_, ending, content) => {
      const bytes = typeof content === 'string' ? strToU8(content) : content
      for (let at = 1; at < bytes.length; at += 11)
        for (const change of [0, 0x10, 0x55, 0xff]) {
          const changed = change === 0 ? bytes.slice(0, at) : bytes.map((b, i) => (i === at ? b ^ change : b))
          await read(ending, changed).catch((error: unknown) => {
            expect(error).toBeInstanceOf(InputError)
            expect((error as InputError).message).not.toContain('\n')
          })
        }
    },
  )
})
