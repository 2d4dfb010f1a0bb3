import type { EdgeScene } from '../edge-scene.js'
import { DARK, faceConditions, type FaceConditions, type FaceIncidence, impedanceOf } from './conditions.js'
import { type EdgeMaterials, JUNCTION, WEDGE } from './edge-materials.js'
import type { Condition } from './maliuzhinets.js'
import type { FaceImpedance } from './skew-path.js'

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
  at(e: number, i: number, incidence: FaceIncidence, p: number, across = false): FaceConditions {
    const { frequencies } = this
    if (incidence !== DARK)
      return this.of(e, i, across ? { ...incidence, across: 1 } : incidence, frequencies[p])
    const { scene, materials } = this
    const isBack = scene.sides[2 * e + i] < 0
    const toMetal = materials.kind[e] !== JUNCTION
    const number = materials.of[2 * e + i]
    const key = 8 * number + (isBack ? 4 : 0) + (this.isWedge(e) ? 2 : 0) + (toMetal ? 1 : 0)
    this.dark[key] ??= Array.from(frequencies, (frequency) => fixed(this.of(e, i, DARK, frequency)))
    return this.dark[key][p]
  }

  /** Impedance of face i of edge e at a frequency; null: it conducts perfectly. */
  impedance(e: number, i: number, incidence: FaceIncidence, frequency: number): FaceImpedance | null {
    return impedanceOf(this.of(e, i, { ...incidence, across: 1 }, frequency), incidence)
  }

  private of(e: number, i: number, incidence: FaceIncidence, frequency: number): FaceConditions {
    const { scene, materials } = this
    return faceConditions(
      materials.list[materials.of[2 * e + i]],
      frequency,
      incidence,
      scene.sides[2 * e + i] < 0,
      materials.kind[e] !== JUNCTION,
      this.isWedge(e),
    )
  }

  /** Whether an edge is a bend between two facets with walls of its own (`wallDepths`). */
  private isWedge(e: number): boolean {
    const { scene, materials } = this
    return materials.kind[e] === WEDGE && scene.faces[2 * e] !== scene.faces[2 * e + 1]
  }

  /** Of a face, by node. */
  ofFace(e: number, i: number, incidence: FaceIncidence): FaceConditions[] {
    return Array.from(this.frequencies, (_, p) => this.at(e, i, incidence, p))
  }
}
