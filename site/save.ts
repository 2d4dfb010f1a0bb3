import { writeNpz } from '../formats/npz.js'
import { historyArrays, imageArrays } from '../src/formed-images.js'
import { rcsCsv } from '../src/rcs-csv.js'
import { tableArrays } from '../src/rcs-table.js'
import { download } from '../viewer/export.js'
import type { Run } from './result.js'

/** Saves a run as `isar rcs` and `isar render` write it. @param what  amplitudes as npz or CSV, or the images */
export function save(run: Run, what: 'npz' | 'csv' | 'image'): void {
  const image = run.done?.image
  const name = `${run.name}-${image ? 'phase-history' : 'rcs'}`
  if (what === 'csv') return download(`${name}.csv`, new Blob([...rcsCsv(run.table())], { type: 'text/csv' }))
  const arrays =
    what === 'image'
      ? imageArrays(image!.formed.images)
      : image
        ? historyArrays(image.formed.history)
        : tableArrays(run.table())
  const file = what === 'image' ? `${run.name}-image` : name
  download(`${file}.npz`, new Blob([writeNpz(arrays) as BlobPart]))
}
