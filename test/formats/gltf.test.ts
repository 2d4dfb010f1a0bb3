import { Document, Logger, Primitive, WebIO } from '@gltf-transform/core'
import { Object3D, type BufferGeometry, type Mesh as ThreeMesh } from 'three'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'
import { describe, expect, test } from 'vitest'
import { readGltf } from '../../formats/gltf.js'
import { InputError, type Mesh } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { areaVectors, box, bytesOf, corners, measure } from './shapes.js'

const noFiles = (uri: string): Promise<Uint8Array> => Promise.reject(new InputError(`${uri}: no such file`))
const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT))

function documentOf(mesh: Mesh, mode: number = Primitive.Mode.TRIANGLES, indexed = true) {
  const document = new Document()
  const buffer = document.createBuffer()
  const points = document
    .createAccessor()
    .setType('VEC3')
    .setArray(Float32Array.from(mesh.positions))
    .setBuffer(buffer)
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', points)
    .setMode(mode as 4)
  if (indexed)
    primitive.setIndices(
      document
        .createAccessor()
        .setType('SCALAR')
        .setArray(Uint16Array.from(mesh.triangles))
        .setBuffer(buffer),
    )
  const node = document.createNode('body').setMesh(document.createMesh('shape').addPrimitive(primitive))
  const scene = document.createScene().addChild(node)
  return { document, buffer, primitive, node, scene, points }
}

/** Our axes from glTF's. */
const turned = (c: number[]): number[] => c.map((_, i) => [c[i], -c[i + 1], c[i - 1]][i % 3])

/** All triangles as three places them, in our axes; nine numbers each. */
async function three(glb: Uint8Array): Promise<number[]> {
  const loaded = await new GLTFLoader().parseAsync(glb.slice().buffer as ArrayBuffer, '')
  const out: number[] = []
  loaded.scene.updateMatrixWorld(true)
  loaded.scene.traverse((object: Object3D) => {
    if (!('isMesh' in object)) return
    const geometry = (object as ThreeMesh).geometry as BufferGeometry
    const p = geometry.getAttribute('position')
    const index = geometry.index!
    const flip = object.matrixWorld.determinant() < 0
    for (let i = 0; i < index.count; i += 3)
      for (const k of flip ? [0, 2, 1] : [0, 1, 2]) {
        const v = index.getX(i + k)
        const m = object.matrixWorld.elements
        const [x, y, z] = [p.getX(v), p.getY(v), p.getZ(v)]
        out.push(m[0] * x + m[4] * y + m[8] * z + m[12])
        out.push(-(m[2] * x + m[6] * y + m[10] * z + m[14]))
        out.push(m[1] * x + m[5] * y + m[9] * z + m[13])
      }
  })
  return out
}

describe('readGltf', () => {
  test('.glb: y up becomes z up, facets and orientation kept', async () => {
    const { document } = documentOf(box())
    const glb = await io.writeBinary(document)
    const mesh = await readGltf(glb, noFiles)
    expect(corners(mesh).map((x) => x + 0)).toEqual(turned(corners(box())).map((x) => x + 0))
    expect(measure(mesh).volume).toBeCloseTo(6, 12)
    expect(mesh.groupNames).toEqual(['body'])
    const shifted = new Uint8Array(glb.length + 3)
    shifted.set(glb, 3)
    expect(await readGltf(shifted.subarray(3), noFiles)).toEqual(mesh)
  })

  test('a tree of turned, scaled and mirrored nodes, as three places it', async () => {
    const next = random(21)
    const { document, node, scene, primitive } = documentOf(box())
    primitive.setMaterial(document.createMaterial('steel'))
    const turn = (): [number, number, number, number] => {
      const q = [next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5]
      const length = Math.hypot(...q)
      return q.map((x) => x / length) as [number, number, number, number]
    }
    let parent = node
    for (let i = 0; i < 4; i++) {
      const child = document
        .createNode(`child ${i}`)
        .setMesh(node.getMesh())
        .setTranslation([next(), next() * 5, next()])
        .setRotation(turn())
        .setScale([i === 1 ? -2 : 0.5 + next(), 1, i === 3 ? -1 : 1])
      parent.addChild(child)
      parent = child
    }
    // Not in the scene, so not read.
    document.createNode('elsewhere').setMesh(node.getMesh())
    document.getRoot().setDefaultScene(scene)
    const glb = await io.writeBinary(document)
    const mesh = await readGltf(glb, noFiles)
    const expected = await three(glb)
    const got = corners(mesh)
    expect(got.length).toBe(5 * 12 * 9)
    expect(expected.length).toBe(got.length)
    got.forEach((x, i) => expect(x).toBeCloseTo(expected[i], 5))
    expect(measure(mesh).volume).toBeGreaterThan(0)
    const nodes = ['body', 'child 0', 'child 1', 'child 2', 'child 3']
    expect(mesh.groupNames).toEqual(nodes.map((name) => `${name}/steel`))
    expect(Array.from(mesh.facetGroup!)).toEqual(Array.from({ length: 60 }, (_, t) => Math.floor(t / 12)))
  })

  test('strips and fans keep their orientation', async () => {
    // A zigzag in the plane z = 0: the strip 0 1 2 3 4 5 is counter-clockwise.
    const zigzag = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0]
    const strip = documentOf({ positions: Float64Array.from(zigzag), triangles: Uint32Array.of() }, 5, false)
    // The glTF z axis is our -y: the facets' normals must point there, each with area 1/2.
    const area = (mesh: Mesh): number[] => areaVectors(mesh).map(([, y]) => -y)
    expect(area(await readGltf(await io.writeBinary(strip.document), noFiles))).toEqual([0.5, 0.5, 0.5, 0.5])
    const square = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]
    const fan = documentOf({ positions: Float64Array.from(square), triangles: Uint32Array.of(0, 1, 2, 3) }, 6)
    expect(area(await readGltf(await io.writeBinary(fan.document), noFiles))).toEqual([0.5, 0.5])
  })

  test('quantised positions, and a required extension that only concerns looks', async () => {
    const { document, points } = documentOf(box())
    points.setArray(Int16Array.from(box().positions, (x) => x * 10000)).setNormalized(true)
    const { json, resources } = await io.writeJSON(document, {})
    json.extensionsUsed = json.extensionsRequired = [
      'KHR_mesh_quantization',
      'KHR_materials_unlit',
      'KHR_techniques_webgl',
    ]
    const mesh = await readGltf(bytesOf(JSON.stringify(json)), () =>
      Promise.resolve(Object.values(resources)[0]),
    )
    expect(Math.max(...mesh.positions)).toBeCloseTo(20000 / 32767, 6)
    expect(Math.min(...mesh.positions)).toBeCloseTo(-30000 / 32767, 6)
  })

  test('.gltf with data inside, with a file beside it, and with a missing image', async () => {
    const { document } = documentOf(box())
    const { json, resources } = await io.writeJSON(document, {})
    const [[uri, data]] = Object.entries(resources)
    json.images = [{ uri: 'paint.png' }]
    const asked: string[] = []
    const beside = await readGltf(bytesOf(JSON.stringify(json)), (name) => {
      asked.push(name)
      return Promise.resolve(data)
    })
    expect(asked).toEqual([uri])
    json.buffers![0].uri = `data:application/octet-stream;base64,${Buffer.from(data).toString('base64')}`
    expect(await readGltf(bytesOf(JSON.stringify(json)), noFiles)).toEqual(beside)
    expect(corners(beside).length).toBe(12 * 9)
  })
})
