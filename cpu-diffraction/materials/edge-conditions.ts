import type { Aspect } from '../../scene/index.js'
import { FRAMES_SIZE, type EdgeScene } from '../edge-scene.js'
import { DARK, faceConditions, type FaceConditions, incidenceOn } from './conditions.js'
import { type EdgeMaterials, JUNCTION, WEDGE } from './edge-materials.js'
import type { Condition } from './maliuzhinets.js'

export const allOf = ({ E, H, jumpE, jumpH }: FaceConditions): Condition[] => [E, H, jumpE, jumpH]

/** Marks conditions of which what is computed is kept. */
const fixed = (conditions: FaceConditions): FaceConditions => {
  for (const condition of allOf(conditions)) if (condition.theta) condition.isFixed = true
  return conditions
}

/** Conditions of the faces of a scene's edges at the nodes of a band. */
export class EdgeConditions {
  /** Conditions of faces that are not lit, by material, side and place, and node. */
  private readonly dark: FaceConditions[][] = []

  constructor(
    private readonly scene: EdgeScene,
    private readonly materials: EdgeMaterials,
    private readonly frequencies: Float64Array,
  ) {}

  /** Of face i of edge e at node p. @param across  for waves with E, and with H, across the plane of incidence */
  at(e: number, i: number, aspect: Aspect, lit: boolean, p: number, across = false): FaceConditions {
    const { scene, materials } = this
    const number = materials.of[2 * e + i]
    const isBack = scene.sides[2 * e + i] < 0
    const toMetal = materials.kind[e] !== JUNCTION
    const isWedge = materials.kind[e] === WEDGE && scene.faces[2 * e] !== scene.faces[2 * e + 1]
    if (!lit) {
      const key = 8 * number + (isBack ? 4 : 0) + (isWedge ? 2 : 0) + (toMetal ? 1 : 0)
      this.dark[key] ??= Array.from(this.frequencies, (frequency) =>
        fixed(faceConditions(materials.list[number], frequency, DARK, isBack, toMetal, isWedge)),
      )
      return this.dark[key][p]
    }
    const incidence = incidenceOn(scene.frames, FRAMES_SIZE * e + 9 * i, aspect.tx.r)
    return faceConditions(
      materials.list[number],
      this.frequencies[p],
      across ? { ...incidence, across: 1 } : incidence,
      isBack,
      toMetal,
      isWedge,
    )
  }

  /** Conditions of both faces by node. */
  ofWedge(e: number, aspect: Aspect, lit: [boolean, boolean]): FaceConditions[][] {
    return lit.map((isLit, i) => Array.from(this.frequencies, (_, p) => this.at(e, i, aspect, isLit, p)))
  }
}
