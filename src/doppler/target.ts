import { writeNpz } from '../../formats/index.js'
import type { LoadedMotion } from '../../motion/index.js'
import { facetCount } from '../../scene/index.js'

/** Facets of a moving target, its parts included. */
export const facetsOf = ({ body, parts }: LoadedMotion): number =>
  [body, ...parts].reduce((sum, mesh) => sum + facetCount(mesh), 0)

/**
 * target.npz of a moving target in its files' pose: `positions_m` [V x 3], `triangles` [T x 3], `facet_part` [T], 0 of the body and i + 1
 * of the part i of the motion file, and where the target is at times `pose_time_s` [K]: `pose` [K x 3 x 4], which takes a point (x, y, z, 1)
 * of the body to the world [m]. Parts turn about their axes before that.
 */
export function movingTargetNpz(loaded: LoadedMotion, timeS: Float64Array): Uint8Array {
  const { body, parts, motion, config } = loaded
  const meshes = [body, ...parts]
  const vertices = meshes.reduce((sum, { positions }) => sum + positions.length / 3, 0)
  const facets = facetsOf(loaded)
  const positions = new Float64Array(3 * vertices)
  const triangles = new Int32Array(3 * facets)
  const part = new Uint8Array(facets)
  let [vertex, facet] = [0, 0]
  for (const [i, mesh] of meshes.entries()) {
    positions.set(mesh.positions, 3 * vertex)
    mesh.triangles.forEach((v, t) => (triangles[3 * facet + t] = v + vertex))
    part.fill(i, facet, facet + facetCount(mesh))
    vertex += mesh.positions.length / 3
    facet += facetCount(mesh)
  }
  const pose = new Float64Array(12 * timeS.length)
  const centre = config.motion.centre_m
  timeS.forEach((t, k) => {
    const { rotation: r, shift } = motion.at(t)
    for (let c = 0; c < 3; c++) {
      const row = [r[3 * c], r[3 * c + 1], r[3 * c + 2]]
      const moved = row[0] * centre[0] + row[1] * centre[1] + row[2] * centre[2]
      pose.set([...row, centre[c] + shift[c] - moved], 12 * k + 4 * c)
    }
  })
  return writeNpz({
    positions_m: { data: positions, shape: [vertices, 3], dtype: '<f8' },
    triangles: { data: triangles, shape: [facets, 3], dtype: '<i4' },
    facet_part: { data: part, shape: [facets], dtype: '|u1' },
    pose_time_s: { data: timeS, shape: [timeS.length], dtype: '<f8' },
    pose: { data: pose, shape: [timeS.length, 3, 4], dtype: '<f8' },
  })
}
