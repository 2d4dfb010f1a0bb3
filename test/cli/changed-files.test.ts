import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mesh } from '../../scene/index.js'
import { box } from '../formats/shapes.js'
import { isar, temporaryFolder, readJson } from './cli.js'
import { writeConfig } from './dataset-config.js'
import { words } from '../helpers/words.js'

/** Writes a mesh as shape.gltf with its numbers in shape.bin; the glTF file is the same for all meshes of these sizes. */
function writeGltf(folder: string, { positions, triangles }: Mesh): string {
  const points = Float32Array.from(positions)
  const corners = Uint32Array.from(triangles)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'shape.bin'), Buffer.concat([Buffer.from(points.buffer), Buffer.from(corners.buffer)])) // prettier-ignore
  const path = join(folder, 'shape.gltf')
  const length = points.byteLength + corners.byteLength
  writeFileSync(
    path,
    JSON.stringify({
      asset: { version: '2.0' },
      buffers: [{ uri: 'shape.bin', byteLength: length }],
      bufferViews: [
        { buffer: 0, byteLength: points.byteLength },
        { buffer: 0, byteOffset: points.byteLength, byteLength: corners.byteLength },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, type: 'VEC3', count: points.length / 3 },
        { bufferView: 1, componentType: 5125, type: 'SCALAR', count: corners.length },
      ],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
      nodes: [{ mesh: 0 }],
      scenes: [{ nodes: [0] }],
      scene: 0,
    }),
  )
  return path
}

const larger = (mesh: Mesh, factor: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => factor * x),
})

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex')

/** Runs until something is finished, and interrupts it there. */
const interrupted = (args: string[], when: RegExp, cwd: string) => isar(args, { cwd, at: { message: when } })

describe('--resume after the buffer of a glTF file changed', () => {
  it('rcs refuses to go on: its rows are another target’s', async () => {
    const folder = temporaryFolder()
    const mesh = writeGltf(folder, box())
    const args = words`rcs ${mesh} --freq 6e8 --phi 0:40:1 --workers 1 --device cpu --out x.csv`
    expect((await interrupted(args, /of 41 aspects/, folder)).code).toBe(130)
    writeGltf(folder, larger(box(), 1.5))
    const other = await isar([...args, '--resume'], { cwd: folder })
    expect(other.stderr).toMatch(/holds a run of another mesh/)
    expect(other.code).toBe(2)
    writeGltf(folder, box())
    expect((await isar([...args, '--resume'], { cwd: folder })).code).toBe(0)
    const meta = readJson<{ mesh: { sha256: string } }>(join(folder, 'x.meta.json'))
    const files = ['shape.gltf', 'shape.bin'].map((name) => sha256(readFileSync(join(folder, name))))
    expect(meta.mesh.sha256).toBe(sha256(files.join()))
  })

  it('dataset refuses to go on, and does not say that it is whole', async () => {
    const folder = temporaryFolder()
    const write = (mesh: Mesh) => writeGltf(join(folder, 'a'), mesh)
    write(box())
    const config = writeConfig(folder, {
      targets: [{ label: 'box', mesh: 'a/shape.gltf', scale: 0.2 }],
      aspects: { azimuth: [0], elevation: [10] },
      solver: { 'rays-per-wavelength': 2, 'max-bounces': 1, device: 'cpu', diffraction: 'none' },
    })
    const args = ['dataset', config, '--out', join(folder, 'out')]
    expect((await isar(args)).code).toBe(0)
    // No larger than before: band and sampling stay what they are.
    const { positions, triangles } = box()
    write({ positions, triangles: triangles.map((v, i) => (i < 3 ? 0 : v)) })
    const other = await isar`${args} --resume`
    expect(other.stderr).toMatch(/another configuration, mesh, solver or device/)
    expect(other.code).toBe(2)
    write(box())
    expect((await isar`${args} --resume`).stderr).toMatch(/holds this dataset: already complete/)
    const about = readJson<{
      targets: { mesh: { sha256: string } }[]
    }>(join(folder, 'out', 'dataset.json'))
    const files = ['shape.gltf', 'shape.bin'].map((name) => sha256(readFileSync(join(folder, 'a', name))))
    expect(about.targets[0].mesh.sha256).toBe(sha256(files.join()))
  })

  it('propagate refuses to go on where facets alone have changed', async () => {
    const folder = temporaryFolder()
    writeGltf(folder, box())
    writeFileSync(
      join(folder, 'room.json'),
      JSON.stringify({
        name: 'room',
        frequency: 9e8,
        geometry: [
          { box: { min: [-4, -4, -4], max: [12, 9, 4], inward: true }, material: 'pec' },
          { mesh: 'shape.gltf', material: { epsilonR: 4 } },
        ],
        transmitter: { position: [2.13, 3.31, 3.57] },
        receivers: [{ name: 'desk', points: [[10, 8, 1]] }],
        rays: 400_000,
        maxReflections: 6,
      }),
    )
    const args = words`propagate room.json --workers 1 --device cpu --no-plot --out a.csv`
    expect((await interrupted(args, /batches of rays/, folder)).code).toBe(130)
    const { positions, triangles } = box()
    writeGltf(folder, { positions, triangles: triangles.map((v, i) => (i < 3 ? triangles[i + 3] : v)) })
    const other = await isar([...args, '--resume'], { cwd: folder })
    expect(other.stderr).toMatch(/another scene, other options/)
    expect(other.code).toBe(2)
  })
})
