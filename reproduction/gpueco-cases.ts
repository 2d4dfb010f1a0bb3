import { readFileSync } from 'node:fs'
import { buildEdgeScene } from '../cpu-diffraction/index.js'
import { createRasterEngine } from '../cpu-sbr/raster/engine.js'
import { readMesh } from '../formats/index.js'
import { GpuecoEngine, type GpuContext } from '../gpu/index.js'
import { sphere } from '../samples/models/canonical.js'
import { models } from '../samples/models/index.js'
import { type Aspect, direction, type Mesh, prepareTarget, type Target } from '../scene/index.js'
import { type AspectField, buildRayScene, type RayScene } from '../rays/index.js'
import {
  buildRasterScene,
  type RasterEdges,
  type RasterEngine,
  type RasterJob,
  type RasterScene,
} from '../rays/raster-scene.js'
import { momCuts, type MomCut } from './mom-cases.js'

export const MOM = 'test/validation/mom'

/** One of the paper's three cases (paper 001, section 4), prepared. */
export interface GpuecoCase {
  name: string
  freqHz: number
  aspects: Aspect[]
  target: Target
  rays: RayScene
  scene: RasterScene
  edges: RasterEdges
}

const monostatic = (theta: number, phi: number): Aspect => {
  const d = direction(theta, phi)
  return { tx: d, rx: d }
}

function prepared(name: string, mesh: Mesh, freqHz: number, aspects: Aspect[]): GpuecoCase {
  const target = prepareTarget(mesh, { smoothAngleDeg: 20 })
  const rays = buildRayScene(target)
  const edges = buildEdgeScene(target, 160, rays.origin)
  return { name, freqHz, aspects, target, rays, scene: buildRasterScene(target, rays), edges }
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

/** Sphere of 1 m at 1 GHz: the transmitter at phi 0, receivers from 0 to 180 degrees in the plane z = 0. */
export const sphereCase = (levels: number): GpuecoCase =>
  prepared(
    'sphere',
    sphere(1, levels),
    1e9,
    range(181).map((phi) => ({ tx: direction(90, 0), rx: direction(90, phi) })),
  )

/** Cube of 1 m at 3 GHz, with its reference cut by the method of moments. */
export async function cubeCase(): Promise<GpuecoCase & { cut: MomCut }> {
  const file = 'cube1m_3ghz__th90_phi0-90.csv'
  const cut = momCuts(file, readFileSync(`${MOM}/${file}`, 'utf8'))
  const aspects = cut.theta.map((theta, i) => monostatic(theta, cut.phi[i]))
  return { ...prepared('cube', await readMesh(`${MOM}/cube1m_3ghz.stl`), cut.freqHz, aspects), cut }
}

/** The generic missile at 7.5 GHz, once around. */
export const missileCase = (step = 1): GpuecoCase =>
  prepared(
    'missile',
    models.missile.make(),
    7.5e9,
    range(360 / step + 1).map((i) => monostatic(90, i * step)),
  )

export const gpuecoJob = (aspect: Aspect, freqHz: number, only?: RasterJob['only']): RasterJob => ({
  aspect,
  band: { f0: freqHz, df: 0, n: 1 },
  only,
})

/** The facet-exact engine of a case: on the GPU if given, else in double precision on two threads. */
export const gpuecoEngine = (c: GpuecoCase, context: GpuContext | null, size: number): RasterEngine =>
  context
    ? new GpuecoEngine(context, c.scene, c.edges, { size })
    : createRasterEngine(c.scene, c.edges, 2, size)

/** Fields of all of a case's aspects [m]; optionally of physical optics or edges alone. */
export const gpuecoFields = (
  c: GpuecoCase,
  engine: RasterEngine,
  only?: RasterJob['only'],
): Promise<AspectField[]> =>
  Promise.all(c.aspects.map(async (aspect) => (await engine.field(gpuecoJob(aspect, c.freqHz, only))).field))
