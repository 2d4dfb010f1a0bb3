import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDatasetConfig } from '../../dataset/config.js'
import {
  boxDiameter,
  materialFactors,
  materialShapes,
  middle,
  perturbed,
  scaled,
  withFactors,
  yawed,
} from '../../dataset/material-state.js'
import type { Pose } from '../../dataset/plan.js'
import { copyFactors, readTargets, variantMesh } from '../../dataset/variant.js'
import { joinMeshes, type Mesh, prepareTarget, rotatePart, splitGroup } from '../../scene/index.js'
import { type Material, mediumNamed, slab } from '../../scene/materials/index.js'
import { coating, layer, sheet } from '../helpers/materials.js'
import { scratchFolder } from '../helpers/scratch.js'
import { cube, soup, sphere } from '../scene/shapes.js'

const painted: Material = {
  ...coating({ impedance: [377, 0] }, layer([3, -0.1], 0.002), layer([9, -1], 0.001)),
  name: 'painted',
}
const solid: Material = {
  name: 'tyre',
  kind: 'opaque',
  stack: [layer([2, 0], 0.003)],
  backing: mediumNamed('concrete', new Map(), ''),
  facet: 'outer',
  sides: 'both',
}

describe('materials of copies', () => {
  const shapes = materialShapes([painted, solid, sheet({ impedance: [100, 0] })])

  it('change layers and media, and resistive sheets not', () => {
    expect(shapes).toEqual([
      { name: 'painted', layers: 2, media: 2 },
      { name: 'tyre', layers: 1, media: 2 },
    ])
  })

  it('are the same every time, differ by copy and target, and spread as asked', () => {
    const of = (target: number, copy: number) =>
      materialFactors({ thickness: 0.1, permittivity: 0.02 }, shapes, 7, target, copy)
    expect(of(0, 0)).toEqual(of(0, 0))
    expect(new Set([of(0, 0), of(0, 1), of(1, 0)].map((f) => JSON.stringify(f))).size).toBe(3)
    const all = Array.from({ length: 400 }, (_, copy) => of(0, copy))
    const spread = (values: number[]): number =>
      Math.sqrt(values.reduce((sum, x) => sum + (x - 1) ** 2, 0) / values.length)
    const thickness = spread(all.flatMap((f) => f.flatMap((m) => m.thickness)))
    const permittivity = spread(all.flatMap((f) => f.flatMap((m) => m.permittivity)))
    expect(thickness).toBeGreaterThan(0.09)
    expect(thickness).toBeLessThan(0.11)
    expect(permittivity).toBeGreaterThan(0.018)
    expect(permittivity).toBeLessThan(0.022)
    // One of the two alone has the numbers that it has beside the other.
    const alone = materialFactors({ permittivity: 0.02 }, shapes, 7, 0, 0)
    expect(alone.map((m) => m.permittivity)).toEqual(of(0, 0).map((m) => m.permittivity))
    expect(new Set(alone.flatMap((m) => m.thickness))).toEqual(new Set([1]))
  })

  it('have multiplied thickness and complex permittivity, of every kind of medium', () => {
    const mesh = { ...cube(), groupMaterials: [painted] }
    const factors = [{ name: 'painted', thickness: [1.5, 2], permittivity: [2, 0.5] }]
    const [got] = withFactors(mesh, factors).groupMaterials!
    expect(got).toEqual({
      ...coating({ impedance: [377, 0] }, layer([6, -0.2], 0.003), layer([4.5, -0.5], 0.002)),
      name: 'painted',
    })
    const kinds: Material[] = [
      solid,
      {
        ...solid,
        backing: { name: 'd', debye: { eps: { infinity: 2, low: 8, relaxationHz: 3e9 }, mu: { infinity: 1, low: 1, relaxationHz: 1e9 } } }, // prettier-ignore
      },
      {
        ...solid,
        backing: { name: 'c', debye: { eps: { infinity: 2, low: 8, relaxationHz: 3e9 }, mu: { infinity: 1, low: 1, relaxationHz: 1e9 } }, conductivity: 2 }, // prettier-ignore
      },
      { ...solid, backing: { name: 's', frequencies: [1e9, 9e9], values: [[4, -1, 1, 0, 0.1], [5, -2, 1, 0, 0.2]] } }, // prettier-ignore
    ]
    for (const material of kinds) {
      const x = 1.3
      const made = withFactors({ ...cube(), groupMaterials: [material] }, [{ name: 'tyre', thickness: [0], permittivity: [1, x] }]) // prettier-ignore
      const out = new Float64Array(8)
      slab(made.groupMaterials![0], 4e9, 1, out)
      // Without its layer: R = (1 - n)/(1 + n), so that eps = ((1 - R)/(1 + R))^2 is x times what it was.
      const eps = ([re, im]: Float64Array): number[] => {
        const [a, b, c, d] = [1 - re, -im, 1 + re, im]
        const size = c * c + d * d
        const [nr, ni] = [(a * c + b * d) / size, (b * c - a * d) / size]
        return [nr * nr - ni * ni, 2 * nr * ni]
      }
      const bare = new Float64Array(8)
      slab({ ...material, stack: [] } as Material, 4e9, 1, bare)
      // R_p is the ratio of H: R_s = -R_p at normal incidence.
      const [before, after] = [bare, out].map((f) => eps(f.subarray(0, 2)))
      for (const k of [0, 1]) expect(after[k]).toBeCloseTo(x * before[k], 9)
    }
  })
})

describe('targets with materials', () => {
  const folder = scratchFolder()
  const obj = (name: string, group: string, x: number): void =>
    writeFileSync(
      join(folder, name),
      `g ${group}\nv ${x} 0 0\nv ${x + 1} 0 0\nv ${x} 1 0\nf 1 2 3\ng other\nv ${x} 0 1\nv ${x + 1} 0 1\nv ${x} 1 1\nf 4 5 6\n`,
    )
  obj('hull.obj', 'hull', 0)
  obj('turret.obj', 'turret', 3)
  writeFileSync(
    join(folder, 'm.json'),
    JSON.stringify({ materials: { paint: { coating: [{ eps_real: 3, thickness_m: 0.001 }] } } }),
  )
  const config = (target: object, more: object = {}) =>
    parseDatasetConfig(
      JSON.stringify({
        name: 'a',
        targets: [{ label: 't', mesh: 'hull.obj', materials: 'm.json', ...target }],
        aspects: { azimuth: [0], elevation: [10] },
        radar: { centreHz: '10 GHz', resolutionM: 0.3 },
        ...more,
      }),
      'c.json',
    )
  const pose = { target: 0, state: 0, copy: 1 } as Pose
  const articulation = { pivot: [3, 0, 0], axis: [0, 0, 1], anglesDeg: [0, 90] }
  const materialsAt = (mesh: ReturnType<typeof variantMesh>): string[] => {
    const { materials, facetMaterial } = prepareTarget(mesh, { smoothAngleDeg: 20 })
    return Array.from(facetMaterial ?? [], (m) => materials[m].name)
  }

  it('keep those of their groups, of a part of its own file and of one that is a group too', async () => {
    const material = ['turret=paint', 'hull=glass:4mm']
    const own = config({ material, articulation: { ...articulation, mesh: 'turret.obj' } })
    const [read] = await readTargets(own, folder)
    expect(materialsAt(variantMesh(own, read, pose))).toEqual([
      'glass:4mm',
      'conductor',
      'paint',
      'conductor',
    ])
    const group = config({ material: ['hull=paint'], articulation: { ...articulation, group: 'hull' } })
    const [other] = await readTargets(group, folder)
    expect(materialsAt(variantMesh(group, other, pose))).toEqual(['conductor', 'paint'])
    expect(other.materialsKey).not.toEqual(read.materialsKey)
    const [bare] = await readTargets(config({ materials: undefined }), folder)
    expect(bare.materialsKey).toEqual([])
  })

  it('have copies with materials of their own, that their factors describe', async () => {
    const varied = config({ material: ['paint'] }, { copies: { count: 3, thickness: 0.1 } })
    const [read] = await readTargets(varied, folder)
    const [{ thickness }] = copyFactors(varied, read, 0, 1)
    const [material] = variantMesh(varied, read, pose).groupMaterials!
    expect(material).toMatchObject({ stack: [{ thickness: 0.001 * thickness[0] }] })
    expect(thickness[0]).not.toBe(1)
  })

  it('say which target is wrong, and that copies need materials', async () => {
    await expect(readTargets(config({ material: ['top=paint'] }), folder)).rejects.toThrow(
      /^targets\[0\] \(t\): material top=paint: the mesh has no group "top"/,
    )
    await expect(readTargets(config({ materials: 'none.json' }), folder)).rejects.toThrow(/none\.json/)
    expect(() => config({ materials: undefined }, { copies: { count: 2, thickness: 0.1 } })).toThrow(
      /^c\.json: copies: no target has materials; leave thickness and permittivity out/,
    )
  })
})

describe('articulation', () => {
  it('turns by the right-hand rule about an axis through its pivot', () => {
    const part: Mesh = { positions: Float64Array.of(2, 1, 5), triangles: new Uint32Array(0) }
    const turned = rotatePart(part, { pivot: [1, 1, 0], axis: [0, 0, 3], angleDeg: 90 })
    expect([...turned.positions]).toEqual([1, 2, 5].map((x) => expect.closeTo(x, 12)))
    const tilted = rotatePart(part, { pivot: [1, 1, 0], axis: [1, 0, 0], angleDeg: 90 })
    expect([...tilted.positions]).toEqual([2, -4, 0].map((x) => expect.closeTo(x, 12)))
  })

  it('takes a group of the file for the part, or names those there are', () => {
    const mesh: Mesh = { ...cube(), facetGroup: Uint32Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1), groupNames: ['hull', 'turret'] } // prettier-ignore
    const { part, remainder } = splitGroup(mesh, 'turret')
    expect([part.triangles.length / 3, remainder.triangles.length / 3]).toEqual([4, 8])
    expect(joinMeshes(remainder, part).triangles.length).toBe(36)
    expect(() => splitGroup(mesh, 'gun')).toThrow(/no group "gun"; it has hull, turret/)
    expect(() => splitGroup(cube(), 'gun')).toThrow(/has no groups/)
  })
})

describe('perturbed copies', () => {
  const none = { scale: 0, facetM: 0, tiltDeg: 0 }
  const mesh = soup(sphere(12, 24))

  it('stay closed when their vertices move along the normals', () => {
    const rough = perturbed(mesh, { ...none, facetM: 0.02 }, [0, 0, 0], 1, 0, 0)
    const { report } = prepareTarget(rough, { smoothAngleDeg: 20 })
    const smooth = prepareTarget(mesh, { smoothAngleDeg: 20 }).report
    expect({ ...report }).toEqual({ ...smooth })
    const shifts: number[] = []
    for (let i = 0; i < rough.positions.length; i += 3)
      shifts.push(Math.hypot(rough.positions[i], rough.positions[i + 1], rough.positions[i + 2]) - 1)
    const rms = Math.sqrt(shifts.reduce((s, x) => s + x * x, 0) / shifts.length)
    expect(rms).toBeGreaterThan(0.016)
    expect(rms).toBeLessThan(0.024)
  })

  it('are scaled and tilted about the centre, each copy otherwise, and the same every time', () => {
    const of = (copy: number) =>
      perturbed(mesh, { ...none, scale: 0.05, tiltDeg: 3 }, [0.5, 0, 0], 9, 2, copy)
    expect(of(1).positions).toEqual(of(1).positions)
    expect(of(1).positions).not.toEqual(of(2).positions)
    const radii = Array.from({ length: 60 }, (_, copy) => boxDiameter(of(copy)) / boxDiameter(mesh) - 1)
    const rms = Math.sqrt(radii.reduce((s, x) => s + x * x, 0) / radii.length)
    expect(rms).toBeGreaterThan(0.03)
    expect(rms).toBeLessThan(0.07)
    expect(perturbed(mesh, none, [0, 0, 0], 1, 0, 0)).toBe(mesh)
  })

  it('scale and yaw as they say', () => {
    expect(middle(scaled(cube(), 2))).toEqual([1, 1, 1])
    const turned = yawed(cube(), 90, [0.5, 0.5, 0.5])
    expect(middle(turned)).toEqual([0.5, 0.5, 0.5].map((x) => expect.closeTo(x, 12)))
    // The first vertex (0, 0, 0) goes to (1, 0, 0).
    expect([...turned.positions.subarray(0, 3)]).toEqual([1, 0, 0].map((x) => expect.closeTo(x, 12)))
  })
})
