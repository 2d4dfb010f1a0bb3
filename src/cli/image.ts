import { basename } from 'node:path'
import type { Command } from 'commander'
import { InputError } from '../../scene/index.js'
import { calibrated } from '../imaging/focus.js'
import { selectionAt } from '../imaging/form.js'
import { formOf, IMAGE, imageFiles, imageJob, type ImagePlan } from '../imaging/image-job.js'
import { type ImageRequest, type Product, PRODUCTS } from '../imaging/output.js'
import { isSicd, sicdJob } from '../imaging/sicd.js'
import { type Measurement, readMeasurement } from '../imaging/read-history.js'
import { claimLocation, claimStore, filesAt, folderLocation, noStore } from '../../run/results.js'
import { plainNumber } from '../../formats/expression.js'
import type { Geodetic } from '../../formats/index.js'
import { bytes, type Console, count, duration } from './console.js'
import { addDeclared, formatsOption, parseFormats, planOption } from './options.js'
import { dynamicRangeOption, outlineOption, outputOptions, parseDynamicRange, pdfOption } from './quantity.js'
import { readDeclared } from '../../run/settings/settings.js'
import { reportJob } from './run.js'
import { parsePoint } from '../../run/settings/types.js'

export function imageCommand(command: Command, out: Console): void {
  command.argument(
    '<history...>',
    'phase history (.cphd, .npz, .h5, .mat), or folders of them: pulses of one channel are joined; or one image (SICD)',
  )
  addDeclared(command, IMAGE, 'description', 'resolutionM')
  command
    .option('--reference <file>', 'the same radar’s history of a reference target, to calibrate with')
    .option('--reference-known <dBsm|file>', 'its RCS, or its computed history')
    .option('--reference-at <x,y,z>', 'where it stood [m]', '0,0,0')
  addDeclared(command, IMAGE, 'storedFocus', 'compare')
  command.addOption(dynamicRangeOption()).addOption(outlineOption())
  addDeclared(command, IMAGE, 'device', 'workers')
  command
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
  outputOptions(command).action((paths, raw) => runImage(paths, raw, out))
}

type Raw = Record<string, string | boolean | undefined>

async function runImage(paths: string[], raw: Raw, out: Console): Promise<void> {
  const text = (key: string): string | undefined => (raw[key] === undefined ? undefined : String(raw[key]))
  const checked = readDeclared(IMAGE, raw)
  const { description, channels, compare, storedFocus, autofocus, device, workers } = checked
  const form = formOf(checked, (name) => `--${IMAGE[name].option}`)
  const dynamicRangeDb = parseDynamicRange(text('dynamicRange')!)
  const given = parseFormats(raw, PRODUCTS)
  const isProduct = (name: string): name is Product => PRODUCTS.includes(name as Product)
  const products = given.filter(isProduct)
  const formats = given.filter((name) => !isProduct(name)) as ImageRequest['formats']
  if (paths.length === 1 && (await isSicd(paths[0]))) return reopened(paths[0], { raw, out, dynamicRangeDb, products, formats }) // prettier-ignore
  const { resolutionM } = form
  const read = (files: string[]): Promise<Measurement> =>
    readMeasurement(files, {
      description,
      storedFocus,
      ...(resolutionM && text('reference') === undefined && { select: (history) => selectionAt(history, resolutionM) }), // prettier-ignore
    })
  const simulation = compare === undefined ? undefined : await readMeasurement([compare])
  const measurement = await calibratedBy(await read(paths), text, read)
  const request: ImageRequest = {
    measurement,
    simulation,
    channels: channels && [...channels],
    form,
    autofocus,
    device,
    ...(workers !== undefined && { workers }),
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
  const store = onlyPlan ? noStore : claimStore(place, files, { force: raw.force === true })
  const made = await reportJob(
    {
      command: 'image',
      plan: onlyPlan,
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
  out.json({ command: 'image', out: place.folder, ...made.summary })
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
      claim: (names) => claimLocation(place, filesAt(place, names), { force: raw.force === true }),
    },
  )
  out.say(`wrote     ${filesAt(place, files).map(place.file).join(' ')}`)
  out.json({ command: 'image', out: place.folder, ...summary })
}

/** Latitude and longitude [degrees], and height [m]. */
function parseLocation(given: string): Geodetic {
  const numbers = given.split(',').map((part) => plainNumber(part, '--location'))
  const [latDeg, lonDeg, heightM = 0] = numbers
  if (!(numbers.length >= 2 && numbers.length <= 3 && Math.abs(latDeg) <= 90 && Math.abs(lonDeg) <= 180))
    throw new InputError(`--location "${given}": write latitude and longitude in degrees, and a height in metres, like 39.8,-84.1,240`) // prettier-ignore
  return { latDeg, lonDeg, heightM }
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
