import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import {
  isHdf5,
  isMat5,
  type MatTree,
  readHdf5,
  readMat5,
  readNpz,
  readRegularFile,
} from '../../formats/index.js'
import { InputError, type Vec3 } from '../../scene/index.js'
import { companionStem } from '../results.js'
import { readMeta, type RunMeta } from '../view/run-meta.js'
import { arrayNames, describedPart, readDescription } from './description.js'
import { checkedPart, type HistoryPart, joinedParts } from './history-part.js'
import { type Layout, layoutOf, layoutParts, type StoredFocus } from './layouts.js'

export interface ReadOptions {
  /** JSON file that describes arrays of another layout. */
  description?: string
  storedFocus?: StoredFocus
}

/** Histories of a measurement or simulation, one for each channel. */
export interface Measurement {
  name: string
  layout: Layout | 'described'
  files: string[]
  channels: HistoryPart[]
  /** Amplitudes are F in metres: |image|^2 is RCS. */
  calibrated: boolean
  /** Of a history of isar: the target kept beside it, and what its record says of mesh and phase centre [m]. */
  target?: { bytes: Uint8Array; mesh: RunMeta['mesh']; phaseCentre: Vec3 }
}

const HISTORIES = /\.(mat|npz|h5|hdf5)$/i
/** What `isar render` calls its history. */
const OWN = 'phase-history.npz'
/** Files whose companions have plain names. */
const IN_FOLDER = /[\\/](phase-history|rcs)\.\w+$/

/**
 * Reads files, or folders of them in the order of their names, as one measurement: pulses of one channel are joined.
 * @throws InputError that names the file
 */
export async function readMeasurement(paths: string[], options: ReadOptions = {}): Promise<Measurement> {
  const description =
    options.description === undefined ? undefined : await readDescription(options.description)
  const files = paths.flatMap(filesOf)
  const found = new Map<string, { part: HistoryPart; file: string }[]>()
  let layout: Measurement['layout'] | undefined
  for (const file of files) {
    try {
      const tree = await readTree(file)
      const own = description ? 'described' : layoutOf(tree)
      if (!own)
        throw new InputError(
          `an unknown layout (${arrayNames(tree).slice(0, 12).join(', ') || 'no arrays'}); describe it with --description FILE.json (docs/imaging.md)`,
        )
      layout ??= own
      if (own !== layout)
        throw new InputError(`it is of another layout (${own}) than ${files[0]} (${layout})`)
      const parts =
        own === 'described'
          ? [describedPart(tree, description!)]
          : layoutParts(tree, own, basename(file), options.storedFocus ?? 'add')
      for (const part of parts) {
        const list = found.get(part.channel) ?? []
        found.set(part.channel, list)
        list.push({ part: checkedPart(part), file })
      }
    } catch (error) {
      if (!(error instanceof InputError) || error.message.startsWith(file)) throw error
      throw new InputError(`${file}: ${error.message}`, { cause: error })
    }
  }
  const [first] = paths
  return {
    name: basename(resolve(first))
      .replace(HISTORIES, '')
      .replace(/-render$/, ''),
    layout: layout!,
    files,
    channels: [...found.values()].map((list) => joinedParts(list.map(({ part }) => part), list.map(({ file }) => file))), // prettier-ignore
    calibrated: layout === 'isar' || layout === 'cvdomes',
    ...(layout === 'isar' && files.length === 1 && { target: keptBeside(resolve(files[0])) }),
  }
}

/** What `isar render` and `isar rcs` keep beside their results. */
function keptBeside(file: string): Measurement['target'] {
  const beside = [`${companionStem(file)}.`, ...(IN_FOLDER.test(file) ? [join(dirname(file), '/')] : [])]
  const found = beside.find((path) => existsSync(`${path}target.npz`))
  if (found === undefined) return undefined
  const { mesh, options } = readMeta(`${found}meta.json`) ?? {}
  return { bytes: readFileSync(`${found}target.npz`), mesh, phaseCentre: options?.phaseCentre ?? [0, 0, 0] }
}

function filesOf(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path]
  if (existsSync(join(path, OWN))) return [join(path, OWN)]
  const names = readdirSync(path)
    .filter((name) => HISTORIES.test(name))
    .sort()
  if (names.length === 0)
    throw new InputError(`${path}: no .mat, .npz or .h5 file in this folder; give one with phase histories`)
  return names.map((name) => join(path, name))
}

/** The arrays of a file, whatever its format; its name does not matter. */
async function readTree(path: string): Promise<Map<string, MatTree>> {
  const bytes = await readRegularFile(path, 'a phase history (.npz, .h5, .mat)')
  if (isMat5(bytes)) return readMat5(bytes)
  if (isHdf5(bytes)) return readHdf5(bytes)
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw new InputError(`${path}: neither .npz, HDF5 nor MATLAB 5 or 7.3; save it as one of them`)
  return new Map(
    Object.entries(readNpz(bytes)).map(([name, { data, shape, dtype }]) => [
      name,
      { data: Float64Array.from(data), shape, complex: dtype.startsWith('<c') },
    ]),
  )
}
