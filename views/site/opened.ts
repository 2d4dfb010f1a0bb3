import { readNpz } from '../../formats/npz.js'
import { historiesData, imageData, readRcsCsv } from '../server/image-result.js'
import type { ResultData } from '../viewer/data.js'
import { InputError } from '../../scene/index.js'

/** What a table or image of this page, `isar rcs` or `isar render` shows, as `isar view` opens it. @throws InputError for another file */
export function openedResult(
  name: string,
  bytes: Uint8Array,
): Pick<ResultData, 'name' | 'place' | 'view' | 'image' | 'history'> {
  const arrays = /\.csv$/i.test(name) ? readRcsCsv(new TextDecoder().decode(bytes), name) : readNpz(bytes)
  const isImage = Object.keys(arrays).some((key) => key.startsWith('image_'))
  const image = isImage ? imageData(arrays, null) : undefined
  if (!image && !('freq_hz' in arrays))
    throw new InputError(
      `${name}: neither a table nor an image; give what this page, isar rcs or isar render wrote`,
    )
  const [history] = image ? [] : historiesData(arrays)
  const facts: [string, string][] = history
    ? [
        ['Aspects', String(history.phiDeg.length)],
        ['Frequencies', String(history.freqHz.length)],
      ]
    : []
  return {
    name: name.replace(/\.\w+$/, ''),
    place: name,
    view: { name, place: name, facts: [['File', name], ...facts] },
    ...(image ? { image } : { history }),
  }
}
