import { readNpz, writeNpz } from '../../formats/index.js'
import { InputError, type Mesh } from '../../scene/index.js'

/** scene.npz: the walls as they were traced, `positions_m` [V x 3] and `triangles` [T x 3]. */
export const sceneNpz = ({ positions, triangles }: Mesh): Uint8Array =>
  writeNpz({
    positions_m: { data: positions, shape: [positions.length / 3, 3], dtype: '<f8' },
    triangles: { data: Int32Array.from(triangles), shape: [triangles.length / 3, 3], dtype: '<i4' },
  })

/** Reads what `sceneNpz` made. @throws InputError for anything else */
export function readSceneNpz(bytes: Uint8Array): Mesh {
  const arrays = readNpz(bytes)
  const [positions, triangles] = [arrays.positions_m?.data, arrays.triangles?.data]
  if (!(positions instanceof Float64Array) || !(triangles instanceof Int32Array))
    throw new InputError('scene.npz holds no walls; compute the scene again')
  if (triangles.some((v) => v < 0 || 3 * v >= positions.length))
    throw new InputError('scene.npz: a triangle names a vertex that is not there; compute the scene again')
  return { positions, triangles: Uint32Array.from(triangles) }
}
