import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import {
  AUTOFOCUS,
  type AutofocusName,
  PLANES,
  type PlaneName,
  type WindowName,
  WINDOWS,
} from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import { calibrated } from '../imaging/focus.js'
import { type Algorithm, ALGORITHMS, selectionAt } from '../imaging/form.js'
import { imageFiles, imageJob, type ImagePlan } from '../imaging/image-job.js'
import { type ImageRequest, type Product, PRODUCTS } from '../imaging/output.js'
import { isSicd, sicdJob } from '../imaging/sicd.js'
import { type Measurement, readMeasurement, STORED_FOCUS, type StoredFocus } from '../imaging/read-history.js'
import { claimLocation, claimStore, filesAt, folderLocation, noStore } from '../../run/results.js'
import { plainNumber } from '../../formats/expression.js'
import type { Geodetic } from '../../formats/index.js'
import { bytes, Console, count, duration } from './console.js'
import { formatsOption, parseFormats, settingOption } from './options.js'
import {
  dynamicRangeOption,
  outlineOption,
  parseDynamicRange,
  pdfOption,
  parseCount,
  parseNumber,
  parsePositive,
} from './quantity.js'
import { planOption } from './plan.js'
import { reportJob } from './run.js'
import { parsePoint } from '../../run/settings/types.js'

export function imageCommand(command: Command): void {
  command
    .argument(
      '<history...>',
      'phase history (.cphd, .npz, .h5, .mat), or folders of them: pulses of one channel are joined; or one image (SICD)',
    )
    .option('--description <file>', 'JSON that names the arrays of another layout (docs/imaging.md)')
    .option('--pol <list>', 'channels to image (default: all that there are)')
    .addOption(
      new Option('--algorithm <which>', 'how the image is formed')
        .choices([...ALGORITHMS])
        .default(ALGORITHMS[0]),
    ) // prettier-ignore
    .addOption(
      new Option(
        '--plane <which>',
        'of the pixels (default: slant for histories of isar, else ground)',
      ).choices([...PLANES]),
    ) // prettier-ignore
    .option('--height <m>', 'of the ground plane', '0')
    .addOption(
      new Option('--window <name>', 'over frequency and aperture').choices([...WINDOWS]).default('taylor'),
    ) // prettier-ignore
    .option('--extent <WxH>', 'size of the image [m], across x along; one number for both')
    .option('--centre <x,y>', 'middle of the image [m], across and along', '0,0')
    .option(
      '--pixel <m>',
      'spacing of pixels (default: a quarter of a resolution cell, half of one in large images)',
    )
    .option('--resolution <dr[,dx]>', 'use the middle of band and aperture alone, for this resolution [m]')
    .option('--reference <file>', 'the same radar’s history of a reference target, to calibrate with')
    .option('--reference-known <dBsm|file>', 'its RCS, or its computed history')
    .option('--reference-at <x,y,z>', 'where it stood [m]', '0,0,0')
    .addOption(
      new Option('--stored-focus <how>', 'corrections that Gotcha files bring')
        .choices([...STORED_FOCUS])
        .default('add'),
    ) // prettier-ignore
    .addOption(
      new Option('--autofocus <method>', 'take phase errors of the pulses out').choices([...AUTOFOCUS]),
    )
    .option('--compare <history>', 'a simulated history: aligned, imaged and compared')
    .addOption(dynamicRangeOption())
    .addOption(outlineOption())
    .addOption(settingOption('device'))
    .option('--workers <n>', 'worker threads on the cpu (default: all cores)')
    .addOption(
      formatsOption(
        'arrays also as hdf5, mat (npz are always written); cphd: the history, sicd: the images, kml: their outlines',
      ),
    )
    .option(
      '--location <lat,lon[,m]>',
      'of the scene’s origin on WGS 84, x to the east (default: of CPHD its own)',
    )
    .addOption(pdfOption())
    .option('--out <folder>', 'where results go (default NAME-image/)')
    .addOption(planOption())
    .option('--force', 'overwrite results')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
    .action(runImage)
}

type Raw = Record<string, string | boolean | undefined>

async function runImage(paths: string[], raw: Raw): Promise<void> {
  const out = new Console(raw.quiet === true)
  const text = (key: string): string | undefined => (raw[key] === undefined ? undefined : String(raw[key]))
  const form = readForm(text)
  const dynamicRangeDb = parseDynamicRange(text('dynamicRange')!)
  const given = parseFormats(raw, PRODUCTS)
  const isProduct = (name: string): name is Product => PRODUCTS.includes(name as Product)
  const products = given.filter(isProduct)
  const formats = given.filter((name) => !isProduct(name)) as ImageRequest['formats']
  if (paths.length === 1 && (await isSicd(paths[0]))) return reopened(paths[0], { raw, out, dynamicRangeDb, products, formats }) // prettier-ignore
  const storedFocus = raw.storedFocus as StoredFocus
  const { resolutionM } = form
  const read = (files: string[]): Promise<Measurement> =>
    readMeasurement(files, {
      description: text('description'),
      storedFocus,
      ...(resolutionM && text('reference') === undefined && { select: (history) => selectionAt(history, resolutionM) }), // prettier-ignore
    })
  const simulation = text('compare') === undefined ? undefined : await readMeasurement([text('compare')!])
  const measurement = await calibratedBy(await read(paths), text, read)
  const request: ImageRequest = {
    measurement,
    simulation,
    channels: text('pol')?.toLowerCase().split(','),
    form,
    autofocus: raw.autofocus as AutofocusName | undefined,
    device: raw.device as ImageRequest['device'],
    ...(raw.workers === undefined ? {} : { workers: parseCount(String(raw.workers), '--workers', 1, 1024) }),
    dynamicRangeDb,
    outline: raw.outline === true,
    formats,
    products,
    place: text('location') === undefined ? measurement.place : parseLocation(text('location')!),
    record: Object.fromEntries(Object.entries(raw).filter(([key]) => !['json', 'quiet', 'force', 'out', 'pdf', 'plan'].includes(key))), // prettier-ignore
  }
  const place = { ...folderLocation(text('out') ?? `${measurement.name}-image`), pdf: raw.pdf === true }
  const files = imageFiles(request)
  const onlyPlan = raw.plan === true
  const store = onlyPlan ? noStore : claimStore(place, files, { resume: false, force: raw.force === true })
  const made = await reportJob(
    {
      command: 'image',
      options: { json: raw.json === true, plan: onlyPlan },
      out,
      report({ record = {} }: ImagePlan) {
        const { memory_bytes, seconds, pixels, pulses } = record as Record<string, number>
        if (!onlyPlan) return record
        out.say(`plan      ${count(pixels)} pixels x ${count(pulses)} pulses`)
        out.say(`estimate  about ${duration(seconds)}, ${bytes(memory_bytes)} of memory`)
        return record
      },
    },
    (reported) => imageJob(request, place, { ...reported, store, onlyPlan }),
  )
  if (!made) return
  out.say(`wrote     ${filesAt(place, files).map(place.file).join(' ')}`)
  if (raw.json)
    process.stdout.write(`${JSON.stringify({ command: 'image', out: place.folder, ...made.summary })}\n`)
}

/** A SICD file as its arrays, picture and place. */
async function reopened(
  path: string,
  { raw, out, dynamicRangeDb, products, formats }: { raw: Raw; out: Console } & Pick<ImageRequest, 'dynamicRangeDb' | 'products' | 'formats'>, // prettier-ignore
): Promise<void> {
  if (products.some((p) => p !== 'kml')) throw new InputError('--formats: of a SICD file hdf5, mat and kml are written') // prettier-ignore
  const folder = raw.out === undefined ? `${basename(path).replace(/\.\w+$/, '')}-image` : String(raw.out)
  const place = { ...folderLocation(folder), pdf: raw.pdf === true }
  const { summary, files } = await sicdJob(
    { path, dynamicRangeDb, formats, kml: products.length > 0 },
    place,
    {
      say: (line) => out.say(line),
      claim: (names) =>
        claimLocation(place, filesAt(place, names), { resume: false, force: raw.force === true }),
    },
  )
  out.say(`wrote     ${filesAt(place, files).map(place.file).join(' ')}`)
  if (raw.json)
    process.stdout.write(`${JSON.stringify({ command: 'image', out: place.folder, ...summary })}\n`)
}

/** Latitude and longitude [degrees], and height [m]. */
function parseLocation(given: string): Geodetic {
  const numbers = given.split(',').map((part) => plainNumber(part, '--location'))
  const [latDeg, lonDeg, heightM = 0] = numbers
  if (!(numbers.length >= 2 && numbers.length <= 3 && Math.abs(latDeg) <= 90 && Math.abs(lonDeg) <= 180))
    throw new InputError(`--location "${given}": write latitude and longitude in degrees, and a height in metres, like 39.8,-84.1,240`) // prettier-ignore
  return { latDeg, lonDeg, heightM }
}

/** A pair of numbers, `a` and `b` or twice the same. */
function pair(given: string, option: string, separator: RegExp): [number, number] {
  const parts = given.split(separator)
  if (parts.length > 2) throw new InputError(`${option} "${given}": write one or two numbers`)
  const [a, b = a] = parts.map((part) => parsePositive(part, option))
  return [a, b]
}

function readForm(text: (key: string) => string | undefined): ImageRequest['form'] {
  const centre = text('centre')!
    .split(',')
    .map((part) => plainNumber(part, '--centre'))
  if (centre.length !== 2) throw new InputError(`--centre "${text('centre')}": write two numbers, like 2,-5`)
  const extent = text('extent') === undefined ? undefined : pair(text('extent')!, '--extent', /x/i)
  if (!extent && centre.some((x) => x !== 0)) throw new InputError('--centre: give --extent with it')
  const about = (axis: number): [number, number] => [centre[axis] - extent![axis] / 2, centre[axis] + extent![axis] / 2] // prettier-ignore
  return {
    algorithm: text('algorithm') as Algorithm,
    plane: text('plane') as PlaneName | undefined,
    heightM: parseNumber(text('height')!, '--height', -1e5, 1e5),
    window: text('window') as WindowName,
    ...(extent && { acrossM: about(0), alongM: about(1) }),
    ...(text('pixel') !== undefined && { pixelM: parsePositive(text('pixel')!, '--pixel') }),
    ...(text('resolution') !== undefined && { resolutionM: pair(text('resolution')!, '--resolution', /,/) }),
  }
}

async function calibratedBy(
  measurement: Measurement,
  text: (key: string) => string | undefined,
  read: (files: string[]) => Promise<Measurement>,
): Promise<Measurement> {
  const [file, known] = [text('reference'), text('referenceKnown')]
  if (file === undefined && known === undefined) return measurement
  if (file === undefined || known === undefined)
    throw new InputError('--reference and --reference-known belong together; give both')
  const isNumber = Number.isFinite(Number(known))
  return calibrated(measurement, {
    measured: await read([file]),
    known: isNumber ? Number(known) : await readMeasurement([known]),
    at: parsePoint(text('referenceAt')!, '--reference-at'),
  })
}
