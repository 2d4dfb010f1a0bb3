import { random } from '../helpers/random.js'
import type { Mesh } from '../../scene/index.js'
import { rows } from '../scene/shapes.js'

/** A box of 1 x 2 x 3 with a corner at the origin: 8 vertices, 12 outward facets. */
export function box(): Mesh {
  const quads = rows('0 2 3 1, 4 5 7 6, 0 1 5 4, 2 6 7 3, 0 4 6 2, 1 3 7 5')
  return {
    positions: Float64Array.from(
      { length: 24 },
      (_, i) => ((Math.floor(i / 3) >> (i % 3)) & 1) * ((i % 3) + 1),
    ),
    triangles: Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])),
  }
}

/** Random vertices (as float32) and facets. */
export function randomMesh(seed: number, vertices: number, facets: number): Mesh {
  const next = random(seed)
  return {
    positions: Float64Array.from({ length: 3 * vertices }, () =>
      Math.fround((next() - 0.5) * 10 ** (6 * next() - 3)),
    ),
    triangles: Uint32Array.from({ length: 3 * facets }, () => Math.floor(next() * vertices)),
  }
}

/** Coordinates of every facet's corners, 9 for each. */
export const corners = (mesh: Mesh): number[] =>
  Array.from(mesh.triangles).flatMap((v) => Array.from(mesh.positions.subarray(3 * v, 3 * v + 3)))

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export function asciiStl(mesh: Mesh, name = 'part'): string {
  const c = corners(mesh)
  let text = `solid ${name}\n`
  for (let t = 0; t < c.length; t += 9) {
    text += '  facet normal 0 0 0\n    outer loop\n'
    for (let i = t; i < t + 9; i += 3) text += `      vertex ${c[i]} ${c[i + 1]} ${c[i + 2]}\n`
    text += '    endloop\n  endfacet\n'
  }
  return `${text}endsolid ${name}\n`
}
