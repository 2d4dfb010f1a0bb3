import type { Mesh } from '../../scene/index.js'

/**
 * A pipe along z from its closed end at z = 0 to its mouth at `length` [m]; walls without thickness. Its section is a regular polygon
 * of `sides` sides of length `side` [m], two of them parallel to x where their number is a multiple of four.
 */
export function pipe(side: number, length: number, sides = 4): Mesh {
  const radius = side / 2 / Math.sin(Math.PI / sides)
  const around = Array.from({ length: sides }, (_, i) => {
    const phi = (2 * Math.PI * (i + 0.5)) / sides - Math.PI
    return [radius * Math.cos(phi), radius * Math.sin(phi)]
  })
  const positions = Float64Array.from([0, length].flatMap((z) => around.flatMap(([x, y]) => [x, y, z])))
  const walls = around.flatMap((_, i) => {
    const j = (i + 1) % sides
    return [i, j, j + sides, i, j + sides, i + sides]
  })
  const end = around.slice(2).flatMap((_, i) => [0, i + 2, i + 1])
  return { positions, triangles: Uint32Array.from([...end, ...walls]) }
}
