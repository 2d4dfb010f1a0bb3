import { describe, expect, it } from 'vitest'
import { EDGE_SIZE, type EdgeScene } from '../../cpu-diffraction/index.js'
import { FRAMES_SIZE } from '../../cpu-diffraction/geometry/edge-scene.js'
import { StripFan } from '../../cpu-diffraction/light/strip-walk.js'
import { cube } from '../scene/shapes.js'
import { grid, lBlock, mapped, regularPrism, scenes, dihedral } from './meshes.js'
import { random } from '../helpers/random.js'
import { direction, dot, type Vec3 } from '../../scene/index.js'
import { behind, StripFolds } from '../../cpu-diffraction/mechanisms/wall.js'

/** Point of edge e at t and the direction u of a strip, in the mesh's coordinates. */
function strip(
  scene: EdgeScene,
  e: number,
  i: number,
  t: number,
  beta: number,
): { p: number[]; u: number[] } {
  const at = EDGE_SIZE * e
  const f = FRAMES_SIZE * e + 9 * i
  const p = [0, 1, 2].map((c) => scene.edges[at + c] + t * scene.edges[at + 3 + c] + scene.origin[c])
  const u = [0, 1, 2].map(
    (c) => Math.sin(beta) * scene.frames[f + c] + Math.cos(beta) * scene.frames[f + 6 + c],
  )
  return { p, u }
}

/** Walks from p along u by small steps until `inside` is false, then halves the last step. */
function march(p: number[], u: number[], inside: (x: number, y: number) => boolean): number {
  const at = (l: number): boolean => inside(p[0] + l * u[0], p[1] + l * u[1])
  const step = 1e-3
  let l = 1e-9
  while (at(l + step)) l += step
  for (let h = step / 2; h > 1e-12; h /= 2) if (at(l + h)) l += h
  return l
}

describe('strip lengths', () => {
  const shapes: [string, ReturnType<typeof grid>, (x: number, y: number) => boolean][] = [
    ['square', grid(2, 2), (x, y) => x > 0 && x < 2 && y > 0 && y < 2],
    [
      'L',
      grid(4, 4, (i, j) => i < 2 || j < 2),
      (x, y) => x > 0 && y > 0 && x < 4 && y < 4 && (x < 2 || y < 2),
    ],
    [
      'square with a hole',
      grid(5, 5, (i, j) => i !== 2 || j !== 2),
      (x, y) => x > 0 && y > 0 && x < 5 && y < 5 && !(x > 2 && x < 3 && y > 2 && y < 3),
    ],
  ]
  for (const [name, mesh, inside] of shapes)
    it(`matches marching over a ${name}, from its rims, both sides, for random directions`, () => {
      const { edges } = scenes(mesh)
      const fan = new StripFan(edges)
      const next = random(5)
      for (let n = 0; n < 60; n++) {
        const e = Math.floor(next() * edges.count)
        const i = n % 2
        const beta = 0.15 + (Math.PI - 0.3) * next()
        const t = edges.edges[EDGE_SIZE * e + 6] * (0.02 + 0.96 * next())
        fan.aim(e, i, Math.sin(beta), Math.cos(beta))
        fan.at(t)
        const { p, u } = strip(edges, e, i, t, beta)
        expect(fan.length).toBeCloseTo(march(p, u, inside), 8)
        const { length, slope } = fan
        // The slope is along the frame's z.
        const z = FRAMES_SIZE * e + 9 * i + 6
        const along = [0, 1, 2].reduce(
          (s, c) => s + edges.frames[z + c] * edges.edges[EDGE_SIZE * e + 3 + c],
          0,
        )
        fan.at(t + 1e-6 * along)
        expect((fan.length - length) / 1e-6).toBeCloseTo(slope, 5)
      }
    })

  it('breaks an edge where its strips meet a corner of the face', () => {
    const { edges } = scenes(grid(4, 4, (i, j) => i < 2 || j < 2))
    const fan = new StripFan(edges)
    for (let e = 0; e < edges.count; e++) {
      // The edge y = 0, 0 <= x <= 4, strips along +y: they jump from 4 to 2 at x = 2.
      const { p } = strip(edges, e, 0, 0.5 * edges.edges[EDGE_SIZE * e + 6], 1)
      if (p[1] !== 0) continue
      fan.aim(e, 0, 1, 0)
      const breaks: number[] = []
      fan.breaks(4, breaks)
      expect(breaks.length).toBeGreaterThan(0)
      for (const t of breaks) expect(t).toBeCloseTo(2, 12)
      const lengths = [1.9, 2.1].map((t) => (fan.at(t), fan.length)).sort()
      expect(lengths).toEqual([2, 4])
    }
  })

  it('ends at the crease of two faces of a cube', () => {
    const { edges } = scenes(cube())
    const fan = new StripFan(edges)
    for (let e = 0; e < 12; e++)
      for (let i = 0; i < 2; i++) {
        fan.aim(e, i, 1, 0)
        fan.at(0.3)
        expect(fan.length).toBeCloseTo(1, 12)
        expect(fan.slope).toBeCloseTo(0, 12)
      }
  })

  it('goes on over the bends of a smooth surface to its far edge', () => {
    const { edges } = scenes(regularPrism(90, 3))
    const fan = new StripFan(edges)
    let walls = 0
    for (let e = 0; e < edges.count; e++)
      for (let i = 0; i < 2; i++) {
        const y = edges.frames[FRAMES_SIZE * e + 9 * i + 5]
        if (Math.abs(y) > 0.5) continue
        walls++
        for (const beta of [1.55, 1.2, 2]) {
          fan.aim(e, i, Math.sin(beta), Math.cos(beta))
          fan.at(0.4 * edges.edges[EDGE_SIZE * e + 6])
          expect(fan.length).toBeCloseTo(3 / Math.sin(beta), 10)
          expect(fan.slope).toBeCloseTo(0, 10)
        }
      }
    expect(walls).toBe(180)
  })

  it('turns no further than a right angle', () => {
    const { edges } = scenes(regularPrism(90, 30))
    const fan = new StripFan(edges)
    const wall = Array.from({ length: edges.count }, (_, e) => e).flatMap((e) =>
      [0, 1].filter((i) => Math.abs(edges.frames[FRAMES_SIZE * e + 9 * i + 5]) < 0.5).map((i) => [e, i]),
    )
    const [e, i] = wall[0]
    fan.aim(e, i, Math.sin(0.3), Math.cos(0.3))
    fan.at(0.5 * edges.edges[EDGE_SIZE * e + 6])
    // A quarter of the perimeter, as the strip goes: 2 pi / 4 across, cos(0.3) of the length.
    expect(fan.length * Math.cos(0.3)).toBeGreaterThan(Math.PI / 2 - 0.1)
    expect(fan.length * Math.cos(0.3)).toBeLessThan(Math.PI / 2 + 0.1)
  })

  it('does not depend on how a face is meshed or moved', () => {
    const plain = scenes(lBlock())
    const shifted = scenes(mapped(lBlock(), ([x, y, z]) => [x + 100, y - 50, z + 7]))
    const [a, b] = [new StripFan(plain.edges), new StripFan(shifted.edges)]
    for (let e = 0; e < plain.edges.count; e++)
      for (let i = 0; i < 2; i++) {
        a.aim(e, i, Math.sin(1), Math.cos(1))
        b.aim(e, i, Math.sin(1), Math.cos(1))
        a.at(0.31)
        b.at(0.31)
        expect(b.length).toBeCloseTo(a.length, 10)
      }
  })
})

const { edges, rays } = scenes(dihedral())
const folds = new StripFolds(edges, rays, 100)
const light = direction(65, 12)

/** Strips of every edge and face that fold under the light: edge, face, distance from its start, and the strip before any fold. */
function folded(): { e: number; i: number; t: number; length: number }[] {
  const out: { e: number; i: number; t: number; length: number }[] = []
  const fan = new StripFan(edges)
  for (let e = 0; e < edges.count; e++)
    for (let i = 0; i < 2; i++)
      for (const t of [0.31, 0.57]) {
        const z = edges.frames.subarray(FRAMES_SIZE * e + 9 * i + 6, FRAMES_SIZE * e + 9 * i + 9)
        const cos = -(light.r[0] * z[0] + light.r[1] * z[1] + light.r[2] * z[2])
        fan.aim(e, i, Math.sqrt(1 - cos * cos), cos)
        fan.at(t)
        if (folds.find(e, i, t, fan.length, light.r, true).length > 0)
          out.push({ e, i, t, length: fan.length })
      }
  return out
}

describe('strips that a wall folds', () => {
  it('are turned back by a wall that is high against them, and hardly by a low one', () => {
    const share = (k: number): number[] => {
      const some = new StripFolds(edges, rays, k)
      return folded().flatMap(({ e, i, t, length }) =>
        some.find(e, i, t, length, light.r, true).map((fold) => fold.share),
      )
    }
    expect(Math.max(...share(1e-3))).toBeLessThan(0.05)
    expect(Math.min(...share(1e4))).toBeGreaterThan(0.95)
  })

  it('are found on the inside of a dihedral, and end on its rims', () => {
    const strips = folded()
    expect(strips.length).toBeGreaterThan(4)
    for (const { e, i, t, length } of strips)
      for (const fold of folds.find(e, i, t, length, light.r, true)) {
        expect(fold.length).toBeGreaterThan(length)
        expect(Math.hypot(...fold.u)).toBeCloseTo(1, 12)
        const onEdge = Array.from({ length: edges.count }, (_, o) => {
          const p = EDGE_SIZE * o
          const d = fold.end.map((v, c) => v - edges.edges[p + c])
          const along = d.reduce((sum, v, c) => sum + v * edges.edges[p + 3 + c], 0)
          return Math.hypot(...d.map((v, c) => v - along * edges.edges[p + 3 + c]))
        })
        expect(Math.min(...onEdge)).toBeLessThan(1e-9)
      }
  })

  it('have the length of their neighbours plus its slope', () => {
    const step = 1e-4
    const fan = new StripFan(edges)
    for (const { e, i, t } of folded()) {
      const f = FRAMES_SIZE * e + 9 * i + 6
      const z = edges.frames.subarray(f, f + 3)
      const cos = -(light.r[0] * z[0] + light.r[1] * z[1] + light.r[2] * z[2])
      const along = edges.edges.subarray(EDGE_SIZE * e + 3, EDGE_SIZE * e + 6)
      const sign = z[0] * along[0] + z[1] * along[1] + z[2] * along[2] < 0 ? -1 : 1
      fan.aim(e, i, Math.sqrt(1 - cos * cos), cos)
      const at = (t: number): ReturnType<StripFolds['find']> => {
        fan.at(t)
        return folds.find(e, i, t, fan.length, light.r, true)
      }
      const [near, here, far] = [at(t - step), at(t), at(t + step)]
      if (near.length !== here.length || far.length !== here.length) continue
      for (const [m, { slope }] of here.entries())
        expect((sign * (far[m].length - near[m].length)) / (2 * step)).toBeCloseTo(slope, 6)
    }
  })

  it('fold under light from beyond only where walls run along their edge', () => {
    for (const { e, i, t, length } of folded()) {
      const f = FRAMES_SIZE * e + 9 * i
      const against = dot(light.r, [...edges.frames.subarray(f, f + 3)] as Vec3) > 1e-9
      const wallAlongEdge = folds
        .find(e, i, t, length, light.r, true)[0]
        .walls.every(
          ({ normal }) => Math.abs(dot(normal, [...edges.frames.subarray(f + 6, f + 9)] as Vec3)) < 1e-3,
        )
      const running = folds.find(e, i, t, length, light.r, false)
      expect(running.length > 0).toBe(!against || wallAlongEdge)
    }
  })

  it('are seen by the image of the receiver: phase and field of a point of the folded part agree', () => {
    const rx = direction(70, 20)
    for (const { e, i, t, length } of folded()) {
      const [fold] = folds.find(e, i, t, length, light.r, true)
      const { direction: image, path } = behind(rx, fold.walls.slice(0, 1))
      const [{ normal, offset }] = fold.walls
      // The point beyond the wall of which the end is the mirror image.
      const beyond = fold.end.map((v, c) => v - 2 * (dot(fold.end, normal) - offset) * normal[c]) as Vec3
      expect(dot(image.r, beyond) + path).toBeCloseTo(dot(rx.r, fold.end), 12)
      const current: Vec3 = [0.3, -0.7, 0.2]
      const mirrored = current.map((v, c) => 2 * dot(current, normal) * normal[c] - v) as Vec3
      expect(dot(image.thetaHat, current)).toBeCloseTo(dot(rx.thetaHat, mirrored), 12)
    }
  })
})
