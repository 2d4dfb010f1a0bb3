import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMesh, withMaterials } from '../../formats/index.js'
import { type LoadedTarget, prepareRecipe } from '../../run/loaded-target.js'
import {
  cube,
  dihedral,
  plate,
  sphere,
  squareTrihedral,
  triangularTrihedral,
} from '../../samples/models/canonical.js'
import { circle, fitBox, type Point, stack, Surface } from '../../samples/models/surface.js'
import { InputError, type Mesh } from '../../scene/index.js'
import type { MeshDefinition } from './definition.js'

/** The mesh of a definition [m]. @throws InputError for a file that cannot be read */
export async function definedMesh(definition: MeshDefinition, folders: Folders): Promise<Mesh> {
  const mesh = await bareMesh(definition, folders)
  return 'data' in definition ? mesh : withMaterials(mesh, definition)
}

async function bareMesh(definition: MeshDefinition, folders: Folders): Promise<Mesh> {
  if ('parts' in definition) return assembled(definition.parts)
  if ('model' in definition) return MODELS[definition.model](definition.size)
  if ('data' in definition) return readMesh(folders.data(definition.data))
  if ('file' in definition) return readMesh(join(folders.validation, definition.file))
  const mesh = await readMesh(join(folders.samples, `${definition.sample}.stl`))
  return definition.fit ? fitBox(mesh, definition.fit) : mesh
}

/** A mesh ready for the solvers. */
export const targetOf = (mesh: Mesh, name: string): LoadedTarget =>
  prepareRecipe(name, '', { mesh, smoothAngleDeg: 20 })

/** The parts as one mesh, each a group. */
function assembled(parts: Extract<MeshDefinition, { parts: unknown }>['parts']): Mesh {
  const positions: number[] = []
  const triangles: number[] = []
  const facetGroup: number[] = []
  parts.forEach(({ model, size, turnDeg, at }, group) => {
    const part = MODELS[model](size)
    const first = positions.length / 3
    const [c, s] = [Math.cos((turnDeg * Math.PI) / 180), Math.sin((turnDeg * Math.PI) / 180)]
    for (let i = 0; i < part.positions.length; i += 3) {
      const [x, y, z] = part.positions.subarray(i, i + 3)
      positions.push(c * x - s * y + at[0], s * x + c * y + at[1], z + at[2])
    }
    for (const v of part.triangles) triangles.push(first + v)
    for (let t = 0; t < part.triangles.length / 3; t++) facetGroup.push(group)
  })
  return {
    positions: Float64Array.from(positions),
    triangles: Uint32Array.from(triangles),
    facetGroup: Uint32Array.from(facetGroup),
    groupNames: parts.map(({ name }) => name),
  }
}

/** Models by name, each from its sizes [m] (and counts). */
const MODELS: Record<Extract<MeshDefinition, { model: unknown }>['model'], (size: number[]) => Mesh> = {
  cube: ([edge]) => cube(edge),
  plate: ([edge]) => plate(edge),
  dihedral: ([edge]) => dihedral(edge),
  'square-trihedral': ([edge]) => squareTrihedral(edge),
  'triangular-trihedral': ([edge]) => triangularTrihedral(edge),
  sphere: ([radius, levels]) => sphere(radius, levels),
  strip: ([width, length]) => strip(width, length),
  trough: ([face, length]) => trough(face, length),
  bar: ([side, length]) => bar(side, length),
  'thin-box': ([edge, thickness]) => fitBox(cube(1), [edge, edge, thickness]),
  disc: ([radius, n]) => disc(radius, n),
  cylinder: ([radius, length, n]) => cylinder(radius, length, n),
  ogive: ([length, radius, rings, n]) => ogive(length, radius, rings, n),
  screen: ([width, height]) => screen(width, height),
  'cone-sphere': ([length, halfAngleDeg, rings, n]) => coneSphere(length, halfAngleDeg, rings, n),
}

function quads(corners: [Point, Point, Point, Point][]): Mesh {
  const surface = new Surface()
  for (const [a, b, c, d] of corners) surface.quad(a, b, c, d)
  return surface.mesh()
}

/** Sheet in z = 0: `width` along x, `length` along y. */
function strip(width: number, length: number): Mesh {
  const [w, l] = [width / 2, length / 2]
  return quads([
    [
      [-w, -l, 0],
      [w, -l, 0],
      [w, l, 0],
      [-w, l, 0],
    ],
  ])
}

/** Sheet in y = 0 with its normal along +y: `width` along x, `height` along z. */
function screen(width: number, height: number): Mesh {
  const [x, z] = [width / 2, height / 2]
  return quads([
    [
      [-x, 0, -z],
      [-x, 0, z],
      [x, 0, z],
      [x, 0, -z],
    ],
  ])
}

/** Two sheets from the z axis along +x and +y, open between them. */
function trough(face: number, length: number): Mesh {
  const h = length / 2
  return quads([
    [
      [0, 0, -h],
      [0, 0, h],
      [face, 0, h],
      [face, 0, -h],
    ],
    [
      [0, 0, -h],
      [0, face, -h],
      [0, face, h],
      [0, 0, h],
    ],
  ])
}

/** Square bar about the z axis. */
const bar = (side: number, length: number): Mesh => fitBox(cube(1), [side, side, length])

/** Radius of the regular n-gon that has the circle's area. */
const sameArea = (radius: number, n: number): number =>
  radius * Math.sqrt((2 * Math.PI) / n / Math.sin((2 * Math.PI) / n))

/** Sheet in z = 0, a regular polygon of n corners with the circle's area. */
function disc(radius: number, n: number): Mesh {
  const surface = new Surface()
  surface.cap(circle([0, 0, 0], sameArea(radius, n), 2, n), [0, 0, 0], 1, true)
  return surface.mesh()
}

/** Closed cylinder about the z axis, a prism of n sides. */
function cylinder(radius: number, length: number, n: number): Mesh {
  const r = sameArea(radius, n)
  return stack([circle([0, 0, -length / 2], r, 2, n), circle([0, 0, length / 2], r, 2, n)])
}

/** Circular arc rotated about its chord, the z axis: tips at +-length / 2, greatest radius `radius`. */
function ogive(length: number, radius: number, rings: number, n: number): Mesh {
  const half = length / 2
  const arc = (half * half + radius * radius) / (2 * radius)
  const loops = Array.from({ length: rings + 1 }, (_, i): Point[] => {
    const z = -half * Math.cos((Math.PI * i) / rings)
    const r = Math.sqrt(arc * arc - z * z) - (arc - radius)
    return circle([0, 0, z], Math.max(r, 0), 2, n)
  })
  return stack(loops)
}

/** Cone that joins a sphere without a bend, about the z axis: its tip at length / 2, the sphere's end at -length / 2; rings of each. */
function coneSphere(length: number, halfAngleDeg: number, rings: number, n: number): Mesh {
  const a = (halfAngleDeg * Math.PI) / 180
  const radius = length / (1 + 1 / Math.sin(a))
  const centre = radius - length / 2
  const top = length / 2
  const loops: Point[][] = []
  for (let i = 0; i <= rings; i++) {
    const t = (i / rings) * (Math.PI / 2 + a)
    loops.push(circle([0, 0, centre - radius * Math.cos(t)], radius * Math.sin(t), 2, n))
  }
  const slant = top - centre - radius * Math.sin(a)
  for (let i = rings - 1; i >= 0; i--) {
    const down = (i / rings) * slant
    loops.push(circle([0, 0, top - down], down * Math.tan(a), 2, n))
  }
  return stack(loops)
}

/** Folders of a validation run. */
export interface Folders {
  /** Definitions and reference data. */
  validation: string
  /** The report of this version. */
  record: string
  /** Sample models. */
  samples: string
  /** Path of a file of the data that is not shipped. @throws InputError where it is missing */
  data: (name: string) => string
}

/** The package's folders, from the sources (src/validate) as well as from the build (dist/src/validate). */
export function packageFolders(data?: string): Folders {
  const here = new URL('.', import.meta.url)
  const root = fileURLToPath(new URL(here.pathname.includes('/dist/src/') ? '../../../' : '../../', here))
  if (data !== undefined && !existsSync(data))
    throw new InputError(`--data ${data}: there is no such folder; give the folder of the UT Austin files`)
  return {
    validation: join(root, 'test', 'validation'),
    record: join(root, 'docs', 'validation.json'),
    samples: join(root, 'samples'),
    data: (name) => {
      if (data === undefined) throw new InputError(`${name} is not part of the package; give --data DIR`)
      for (const folder of [data, join(data, 'austin')]) {
        const path = join(resolve(folder), name)
        if (existsSync(path)) return path
      }
      throw new InputError(`--data ${data}: ${name} is not there; give the folder that holds it`)
    },
  }
}
