import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readRecord, sheetChips, sheetRows } from '../../dataset/index.js'
import { InputError } from '../../scene/index.js'
import type { Hooks } from '../../run/hooks.js'
import { type Job, type JobPlan, runWholeJob } from '../../run/job.js'
import { claimStore, fileLocation, writeResult } from '../../run/results.js'
import { type Console, duration } from './console.js'
import type { SolverOptions } from './options.js'
import { reportJob } from './run.js'

/** Kept free of `--preview` on the command line by `ignored-options.ts`: what is about a whole set. */
export interface Preview {
  /** Name of the dataset. */
  name: string
  caption: string
  /** Rows and columns of an image. */
  size: [number, number]
  /** Of one image a class (`previewPlan`). */
  plan: Parameters<typeof sheetRows>[0]
  /** Makes the images in a folder, with thumbnails of these. */
  make: (folder: string, thumbnails: ReadonlySet<number>, hooks: Hooks) => Promise<unknown>
}

/** Draws one image of each class on a sheet, the only file that stays. @throws InputError for a place that is none or taken */
export async function drawPreview(
  { name, caption, size, plan, make }: Preview,
  { out: to = `${name}-preview.png`, force, json }: SolverOptions,
  out: Console,
): Promise<void> {
  if (!/\.png$/i.test(to)) throw new InputError(`--out ${to}: a preview is one picture; give a name like ${name}-preview.png`) // prettier-ignore
  const place = fileLocation(to)
  const path = place.file(basename(to))
  const start = performance.now()
  const store = claimStore(place, [basename(to)], { resume: false, force })
  await reportJob(
    {
      command: 'dataset',
      options: { json, plan: false },
      out,
      report: () => ({}),
      otherwise: 'nothing is written',
    },
    (reported) => {
      const open = async (): Promise<Job<undefined, void, JobPlan, void>> => {
        const folder = mkdtempSync(join(tmpdir(), 'isar-preview-'))
        return {
          key: null,
          shape: undefined,
          warnings: [],
          plan: () => ({ kept: () => null }),
          solve: async () => void (await make(folder, new Set(sheetChips(plan)), reported.hooks)),
          async finish() {
            const { drawPreviewSheet } = await import('../../views/figures/contact-sheet.js')
            const rows = sheetRows(plan, [readRecord(folder, 0)!])
            await writeResult(place, basename(to), await drawPreviewSheet(`${name}: one image of each class`, caption, rows, size)) // prettier-ignore
          },
          close: async () => rmSync(folder, { recursive: true, force: true }),
        }
      }
      return runWholeJob(open, { ...reported, store })
    },
  )
  const seconds = (performance.now() - start) / 1000
  out.say(`wrote     ${path} in ${duration(seconds)}`)
  if (json) process.stdout.write(`${JSON.stringify({ command: 'dataset', preview: path, classes: plan.classes, seconds })}\n`) // prettier-ignore
}
