import { describe, expect, it } from 'vitest'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { castView, edgeAt, facetAt, type ImagePlane, targetMask, visibleFacets } from '../../dataset/view.js'
import { direction, type Vec3 } from '../../scene/index.js'
import { testScene } from '../helpers/sbr.js'
import { linspace } from '../isar/points.js'
import { cube, sphere } from '../scene/shapes.js'

const axes = (thetaDeg: number, phiDeg: number): Pick<ImagePlane, 'r' | 'across' | 'up'> => {
  const { r, phiHat, thetaHat } = direction(thetaDeg, phiDeg)
  return { r, across: phiHat, up: thetaHat.map((x) => -x) as Vec3 }
}

const planeOf = (thetaDeg: number, phiDeg: number, phaseCentre: Vec3 = [0, 0, 0]): ImagePlane => ({
  ...axes(thetaDeg, phiDeg),
  rangeM: linspace(-2, 1.95, 80),
  crossRangeM: linspace(-2, 1.95, 80),
  phaseCentre,
  offsetM: [0, 0],
})

describe('what the radar sees', () => {
  it('of a sphere: a disc, with mean cosine 2/3, its near half lit', () => {
    const { scene } = testScene(sphere(48, 96))
    const plane = planeOf(70, 40)
    const view = castView(scene, plane)
    const seen = visibleFacets(scene, view)
    expect(seen.projectedAreaM2 / Math.PI).toBeGreaterThan(0.99)
    expect(seen.projectedAreaM2 / Math.PI).toBeLessThan(1.01)
    expect(Math.abs(seen.meanCosine - 2 / 3)).toBeLessThan(0.01)
    const mask = targetMask(scene, plane, view)
    let covered = 0
    const wrong: number[][] = []
    plane.rangeM.forEach((r, i) =>
      plane.crossRangeM.forEach((c, l) => {
        const value = mask[i * 80 + l]
        const rho = Math.hypot(r, c)
        if (value) covered++
        if (rho > 1.06 && value !== 0) wrong.push([r, c, value])
        if (rho < 0.94 && value !== (r < -0.06 ? 2 : r > 0.06 ? 1 : value)) wrong.push([r, c, value])
      }),
    )
    expect(wrong).toEqual([])
    // Pixels that surface touches: up to a pixel beyond the outline.
    expect((covered * 0.05 ** 2) / Math.PI).toBeGreaterThan(0.99)
    expect((covered * 0.05 ** 2) / Math.PI).toBeLessThan(1.05 ** 2)
  })

  it('of a sphere of facets larger than pixels: half of them', () => {
    const { scene } = testScene(sphere(16, 32))
    const { visible, facets } = visibleFacets(scene, castView(scene, planeOf(70, 40)))
    expect(Math.abs(visible / facets - 0.5)).toBeLessThan(0.05)
  })

  it('of a cube square on: one face of two facets', () => {
    const { scene } = testScene(cube())
    const plane = planeOf(90, 0, [0.5, 0.5, 0.5])
    const seen = visibleFacets(scene, castView(scene, plane))
    expect(seen).toMatchObject({ visible: 2, facets: 12 })
    expect(seen.projectedAreaM2).toBeCloseTo(1, 2)
    expect(seen.meanCosine).toBeCloseTo(1, 12)
  })

  it('moves in the mask with the shift of the pose', () => {
    const { scene } = testScene(cube())
    const plane: ImagePlane = { ...planeOf(90, 0, [0.5, 0.5, 0.5]), offsetM: [0.5, -1] }
    const mask = targetMask(scene, plane, castView(scene, plane))
    const at = (r: number, c: number): number =>
      mask[Math.round((r + 2) / 0.05) * 80 + Math.round((c + 2) / 0.05)]
    // The face towards the radar lies at range -0.5, moved by 0.5.
    expect([at(0, -1), at(0.5, -1), at(0.5, 0), at(-0.3, -1)]).toEqual([2, 1, 0, 0])
  })
})

describe('the mask of a box turned to the radar', () => {
  /** Rows of the mask as text, without the empty ones around it. */
  const drawn = (sideM: number, turnDeg: number, heightM: number): string[] => {
    const [c, s] = [Math.cos((turnDeg * Math.PI) / 180), Math.sin((turnDeg * Math.PI) / 180)]
    const { positions, triangles } = cube()
    const turned = positions.map((_, i) => {
      const [x, y, z] = [0, 1, 2].map((a) => (positions[i - (i % 3) + a] - 0.5) * (a === 2 ? heightM : sideM))
      return [c * x - s * y, s * x + c * y, z][i % 3]
    })
    const { scene } = testScene({ positions: turned, triangles })
    const plane = planeOf(90, turnDeg)
    const mask = targetMask(scene, plane, castView(scene, plane))
    const rows = Array.from({ length: 80 }, (_, i) => mask.slice(80 * i, 80 * i + 80).join(''))
    return rows
      .map((row) => row.replace(/^0+|0+$/g, (zeros) => `(${zeros.length})`))
      .filter((row) => row !== '(80)')
  }
  // Pixels are 0.05 m, and number 40 lies at the middle.
  const box = (columns: number): string[] =>
    ['2', ...Array<string>(columns - 1).fill('1')].map((x) => x.repeat(columns))

  it.each([0, 90, 45, 30, 17.3, 133, 211.7, 359])('has straight sides at %s degrees', (turnDeg) => {
    for (const heightM of [0.7, 1.05, 2 / 3]) {
      // Sides on pixels 30 and 50.
      expect(drawn(1, turnDeg, heightM)).toEqual(box(21).map((row) => `(30)${row}(29)`))
      // Sides halfway between 29 and 30, and between 50 and 51: they belong to 30 and 51.
      expect(drawn(1.05, turnDeg, heightM)).toEqual(box(22).map((row) => `(30)${row}(28)`))
      // Sides at 29.3 and 50.7.
      expect(drawn(1.07, turnDeg, heightM)).toEqual(box(23).map((row) => `(29)${row}(28)`))
    }
  })

  it('has no stripes where rays are further apart than pixels', () => {
    const { scene } = testScene(cube())
    const plane: ImagePlane = {
      ...planeOf(90, 0, [0.5, 0.5, 0.5]),
      rangeM: linspace(-0.6, -0.4, 81),
      crossRangeM: linspace(-0.6, 0.6, 481),
    }
    const mask = targetMask(scene, plane, castView(scene, plane))
    const face = mask.subarray(481 * 40, 481 * 41)
    expect(face.join('')).toBe(`${'0'.repeat(40)}${'2'.repeat(401)}${'0'.repeat(40)}`)
  })
})

describe('where a point of the image comes from', () => {
  const { target, scene } = testScene(cube())
  const plane = planeOf(90, 30, [0.5, 0.5, 0.5])
  const cell: [number, number] = [0.1, 0.1]

  it('finds the facet and a point on it', () => {
    const view = castView(scene, plane)
    // The middle of the face x = 1: 0.5 along +x from the centre.
    const found = facetAt(view, -0.5 * Math.cos(Math.PI / 6), -0.5 * Math.sin(Math.PI / 6), cell)
    expect([...target.normals.subarray(3 * found.id, 3 * found.id + 3)]).toEqual([1, 0, 0])
    expect(found.point[0]).toBeCloseTo(1, 9)
    expect(Math.abs(found.point[1] - 0.5)).toBeLessThan(0.1)
    expect(facetAt(view, 1.5, 1.5, cell).id).toBe(-1)
  })

  it('finds the edge nearest to it', () => {
    const edges = buildEdgeScene(target, 160, scene.origin)
    // The vertical edge at x = 1, y = 1.
    const [dx, dy] = [0.5, 0.5]
    const [c, s] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)]
    const found = edgeAt(edges, plane, -(dx * c + dy * s), -dx * s + dy * c, cell)
    expect([found.point[0], found.point[1]]).toEqual([expect.closeTo(1, 9), expect.closeTo(1, 9)])
    expect(edgeAt(edges, plane, 1.9, 1.9, cell).id).toBe(-1)
  })
})
