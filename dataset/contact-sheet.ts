import type { ShardRecord } from './record.js'

/** Images of a class in the sheet, and most classes. */
const COLUMNS = 10
const ROWS = 40

/** A class in the contact sheet: some of its images as grey levels (`greyLevels`). */
export interface SheetRow {
  label: string
  images: { azimuthDeg: number; elevationDeg: number; levels: Uint8Array }[]
}

interface SheetPose {
  serial: number
  number: number
  target: number
  azimuthDeg: number
  elevationDeg: number
  split: string
}

/** What a sheet takes of a plan, of images or of spectrograms. */
interface SheetPlan<P extends SheetPose = SheetPose> {
  poses: P[]
  shards: { index: number; name: string; split: string; poses: P[] }[]
  /** Images of a pose. */
  realisations: number
  classes: string[]
  /** Class of each target. */
  classOf: number[]
}

/** Some poses of each class, evenly spread. */
const sheetPoses = ({ classes, poses, classOf }: SheetPlan): { label: string; poses: SheetPose[] }[] =>
  classes.slice(0, ROWS).map((label, c) => {
    const own = poses.filter((pose) => classOf[pose.target] === c)
    const n = Math.min(COLUMNS, own.length)
    return { label, poses: Array.from({ length: n }, (_, i) => own[Math.floor((i * own.length) / n)]) }
  })

/** Numbers of the images of the contact sheet: the first of each pose in it. */
export const sheetChips = (plan: SheetPlan): number[] =>
  sheetPoses(plan).flatMap(({ poses }) => poses.map((pose) => pose.number * plan.realisations))

/** The rows of the contact sheet, from the thumbnails in the shards' records. */
export function sheetRows(plan: SheetPlan, records: ShardRecord[]): SheetRow[] {
  const thumbnails = new Map(records.flatMap((r) => Object.entries(r.thumbnails)))
  return sheetPoses(plan).map(({ label, poses }) => ({
    label,
    images: poses.map(({ azimuthDeg, elevationDeg, number }) => ({
      azimuthDeg,
      elevationDeg,
      levels: new Uint8Array(Buffer.from(thumbnails.get(String(number * plan.realisations))!, 'base64')),
    })),
  }))
}

/**
 * A plan of one image for each class, the first of the pose whose azimuth is nearest to 45 degrees from the target's front.
 * @param serialOf  what seeds the random numbers of an image that is alone: as of the first image of the pose in the whole plan
 */
export function previewPlan<P extends SheetPose, T extends SheetPlan<P>>(
  plan: T,
  serialOf: (pose: P) => number,
): T {
  const poses = plan.classes.slice(0, ROWS).flatMap((_, c) => {
    const own = plan.poses.filter((pose) => plan.classOf[pose.target] === c)
    const off = own.map(({ azimuthDeg }) => Math.abs(((((azimuthDeg + 135) % 360) + 360) % 360) - 180))
    return own.length > 0 ? [own[off.indexOf(off.reduce((a, b) => Math.min(a, b)))]] : []
  })
  const alone = poses.map((pose, number) => ({ ...pose, number, serial: serialOf(pose) }))
  return {
    ...plan,
    poses: alone,
    realisations: 1,
    shards: [{ index: 0, name: 'preview', split: '', poses: alone }],
  }
}
