import type { DatasetPlan } from './plan.js'
import type { ShardRecord } from './record.js'

/** Images of a class in the sheet, and most classes. */
const COLUMNS = 10
const ROWS = 40

/** A class in the contact sheet: some of its images as grey levels (`greyLevels`). */
export interface SheetRow {
  label: string
  images: { azimuthDeg: number; elevationDeg: number; levels: Uint8Array }[]
}

/** Some poses of each class for a contact sheet, evenly spread. @param classOf  class of each target */
export const spread = <T extends { target: number }>(
  classes: string[],
  all: T[],
  classOf: number[],
): { label: string; poses: T[] }[] =>
  classes.slice(0, ROWS).map((label, c) => {
    const own = all.filter((pose) => classOf[pose.target] === c)
    const n = Math.min(COLUMNS, own.length)
    return { label, poses: Array.from({ length: n }, (_, i) => own[Math.floor((i * own.length) / n)]) }
  })

/** Poses of the contact sheet, class by class. */
const sheetPoses = ({ classes, poses, classOf }: DatasetPlan) => spread(classes, poses, classOf)

/** Numbers of the images of the contact sheet. */
export const sheetChips = (plan: DatasetPlan): number[] =>
  sheetPoses(plan).flatMap(({ poses }) => poses.map((pose) => pose.number * plan.realisations))

/** The rows of the contact sheet, from the thumbnails in the shards' records. */
export function sheetRows(plan: DatasetPlan, records: ShardRecord[]): SheetRow[] {
  const thumbnails = new Map(records.flatMap((r) => Object.entries(r.thumbnails)))
  return sheetPoses(plan).map(({ label, poses }) => ({
    label,
    images: poses.map((pose) => ({
      azimuthDeg: pose.azimuthDeg,
      elevationDeg: pose.elevationDeg,
      levels: new Uint8Array(Buffer.from(thumbnails.get(String(pose.number * plan.realisations))!, 'base64')),
    })),
  }))
}
