import type { DatasetPlan } from './plan.js'
import type { ShardRecord } from './record.js'

/** Images of a class in the sheet, and most classes. */
const COLUMNS = 10
const ROWS = 40

/** A class in the contact sheet: some of its images as grey levels (`greyLevels`). */
export interface SheetRow {
  label: string
  images: { azimuthDeg: number; levels: Uint8Array }[]
}

/** Looks of the contact sheet, class by class: evenly spread over each class. */
const sheetLooks = (plan: DatasetPlan) =>
  plan.classes.slice(0, ROWS).map((label, c) => {
    const own = plan.looks.filter((look) => plan.classOf[look.target] === c)
    const n = Math.min(COLUMNS, own.length)
    return { label, looks: Array.from({ length: n }, (_, i) => own[Math.floor((i * own.length) / n)]) }
  })

/** Numbers of the images of the contact sheet. */
export const sheetChips = (plan: DatasetPlan): number[] =>
  sheetLooks(plan).flatMap(({ looks }) => looks.map((look) => look.number * plan.realisations))

/** The rows of the contact sheet, from what the shards' records keep of them. */
export function sheetRows(plan: DatasetPlan, records: ShardRecord[]): SheetRow[] {
  const kept = new Map(records.flatMap((r) => Object.entries(r.thumbnails)))
  return sheetLooks(plan).map(({ label, looks }) => ({
    label,
    images: looks.map((look) => ({
      azimuthDeg: look.azimuthDeg,
      levels: new Uint8Array(Buffer.from(kept.get(String(look.number * plan.realisations))!, 'base64')),
    })),
  }))
}
