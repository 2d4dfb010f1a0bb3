import { Box3, Vector3 } from 'three'
import type { SceneData } from './data.js'

/** Room around the receivers, as a part of how far they reach. */
const AROUND = 0.1
/** A scene that is so many times longer than wide is shown from the transmitter's end, and so many widths of it. */
const LONG = 12
const PART = 7

/** What the views show: transmitter and receivers with the walls about them, of a tunnel the part at the transmitter, seen along it. */
export function framing(
  { positions, transmitterM }: Pick<SceneData, 'positions' | 'transmitterM'>,
  receiversM: ArrayLike<number>,
): { box: Box3; homeFrom: Vector3 | null } {
  const walls = new Box3().setFromArray(positions)
  const tx = new Vector3(...transmitterM)
  const receivers = new Box3().setFromArray(receiversM).expandByPoint(tx)
  const reach = Math.max(...receivers.getSize(new Vector3()))
  const box = receivers.clone().expandByScalar(AROUND * reach)
  // Buildings in their full height.
  if (walls.max.z - walls.min.z < reach) {
    box.min.z = walls.min.z
    box.max.z = walls.max.z
  }
  box.min.max(walls.min)
  box.max.min(walls.max)
  box.union(receivers)
  const size = box.getSize(new Vector3())
  const [wide, along] = (['x', 'y', 'z'] as const).toSorted((a, b) => size[a] - size[b]).slice(1)
  if (!(size[along] > LONG * size[wide])) return { box, homeFrom: null }
  const forwards = box.max[along] - tx[along] >= tx[along] - box.min[along] ? 1 : -1
  const ends = [tx[along] - forwards * size[wide], tx[along] + forwards * PART * size[wide]]
  box.min[along] = Math.max(box.min[along], Math.min(...ends))
  box.max[along] = Math.min(box.max[along], Math.max(...ends))
  const homeFrom = new Vector3(-0.5, -0.5, 0.45)
  homeFrom[along] = -forwards
  return { box, homeFrom }
}
