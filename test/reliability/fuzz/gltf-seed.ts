import type { Json } from './mutate-json.js'

/** Pieces of a glTF file: its JSON, and the buffer that lies in the .glb or beside the .gltf. */
export interface GltfParts {
  json: Json
  binary: Uint8Array
}

/**
 * A scene with what the reader knows of: nodes in nodes with each kind of transform, shared vertices, indices of 8, 16
 * and 32 bits, strips and fans, normalised and sparse accessors, materials, a skin and an image that are skipped.
 */
export function gltfSeed(): GltfParts {
  const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1)
  const quads = [0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4]
  const binary = new Uint8Array(256)
  binary.set(new Uint8Array(positions.buffer), 0)
  binary.set(new Uint8Array(Uint16Array.from(quads).buffer), 96)
  binary.set(Uint8Array.of(0, 1, 3, 2), 132)
  binary.set(new Uint8Array(Uint32Array.of(4, 5, 6, 7).buffer), 136)
  // Sparse: two vertices of eight moved.
  binary.set(new Uint8Array(Uint16Array.of(1, 3).buffer), 152)
  binary.set(new Uint8Array(Float32Array.of(2, 0, 0, 0, 2, 0).buffer), 156)
  binary.set(
    new Uint8Array(Int16Array.from({ length: 32 }, (_, i) => (i % 4 < 3 ? 3000 * (i % 7) : 0)).buffer),
    180,
  )
  const view = (byteOffset: number, byteLength: number, more = {}): Json => ({
    buffer: 0,
    byteOffset,
    byteLength,
    ...more,
  })
  const accessor = (
    bufferView: number,
    componentType: number,
    count: number,
    type: string,
    more = {},
  ): Json => ({
    bufferView,
    componentType,
    count,
    type,
    ...more,
  })
  const json: Json = {
    asset: { version: '2.0', generator: 'seed' },
    scene: 0,
    scenes: [{ name: 'all', nodes: [0, 3] }],
    nodes: [
      {
        name: 'body',
        mesh: 0,
        children: [1, 2],
        translation: [1, 2, 3],
        rotation: [0, 0, 0.7071068, 0.7071068],
      },
      { name: 'strip', mesh: 1, scale: [2, -1, 1] },
      { name: 'matrix', mesh: 1, matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1] },
      { name: 'small', mesh: 2 },
    ],
    meshes: [
      { name: 'box', primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] },
      {
        name: 'bands',
        primitives: [
          { attributes: { POSITION: 0 }, indices: 2, mode: 5 },
          { attributes: { POSITION: 4 }, indices: 3, mode: 6 },
        ],
      },
      { primitives: [{ attributes: { POSITION: 5, NORMAL: 0 }, indices: 1, material: 1 }] },
    ],
    accessors: [
      accessor(0, 5126, 8, 'VEC3', { min: [0, 0, 0], max: [1, 1, 1] }),
      accessor(1, 5123, 18, 'SCALAR'),
      accessor(2, 5121, 4, 'SCALAR'),
      accessor(3, 5125, 4, 'SCALAR'),
      accessor(0, 5126, 8, 'VEC3', {
        sparse: {
          count: 2,
          indices: { bufferView: 4, componentType: 5123 },
          values: { bufferView: 5 },
        },
      }),
      accessor(6, 5122, 8, 'VEC3', { normalized: true }),
    ],
    bufferViews: [
      view(0, 96),
      view(96, 36),
      view(132, 4),
      view(136, 16),
      view(152, 4),
      view(156, 24),
      view(180, 64, { byteStride: 8 }),
    ],
    buffers: [{ byteLength: binary.length }],
    materials: [{ name: 'metal', pbrMetallicRoughness: { metallicFactor: 1 } }, {}],
    images: [{ uri: 'missing.png' }],
    extensionsUsed: ['KHR_mesh_quantization'],
    extensionsRequired: ['KHR_mesh_quantization'],
  }
  return { json, binary }
}

/** A .glb of any JSON text and bytes; lengths fit. */
export function glb(json: string, binary: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(json)
  const padded = (n: number): number => Math.ceil(n / 4) * 4
  const bytes = new Uint8Array(12 + 8 + padded(text.length) + 8 + padded(binary.length))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0x46546c67, true)
  view.setUint32(4, 2, true)
  view.setUint32(8, bytes.length, true)
  view.setUint32(12, padded(text.length), true)
  view.setUint32(16, 0x4e4f534a, true)
  bytes.fill(32, 20, 20 + padded(text.length))
  bytes.set(text, 20)
  const at = 20 + padded(text.length)
  view.setUint32(at, padded(binary.length), true)
  view.setUint32(at + 4, 0x004e4942, true)
  bytes.set(binary, at + 8)
  return bytes
}
