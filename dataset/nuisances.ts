import { type Channel, CHANNELS } from '../rays/index.js'
import { texture } from './clutter.js'
import type { DatasetConfig } from './config.js'
import { type GroundCells, groundSpeckle, pixelAreaM2 } from './ground.js'
import type { Imager } from './imager.js'
import type { Looks } from './looks.js'
import { drawMotion, moved } from './motion.js'
import type { Pose } from './plan.js'
import { groundSigma0, type Radar } from './radar.js'
import { PURPOSE, Random } from './random.js'
import type { ImagePlane } from './view.js'

/** What the images of a pose are drawn for. */
interface Drawn {
  config: DatasetConfig
  radar: Radar
  pose: Pose
  realisations: number
}

/** Every realisation's images. The brightest pixel without nuisances, of any channel, is what `snrDb` refers to. */
export function nuisances(
  { config, radar, pose, realisations }: Drawn,
  looks: Looks,
  imager: Imager,
  plane: ImagePlane,
  cells: GroundCells | undefined,
  f: Float64Array,
  clean: Float64Array[],
): Float64Array[] {
  const { nuisance, ground, channels, seed } = config
  // Clutter and NESZ refer to it alone.
  const areaM2 = ground || nuisance.noiseSigma0Db !== undefined ? pixelAreaM2(config, radar, pose, looks) : 0
  const noise =
    nuisance.snrDb !== undefined
      ? Math.max(...clean.map(peakPower)) / 10 ** (nuisance.snrDb / 10)
      : nuisance.noiseSigma0Db !== undefined
        ? areaM2 * 10 ** (nuisance.noiseSigma0Db / 10)
        : 0
  // On the ground a pixel of the slant plane is longer in range.
  const onGround: [number, number] = [
    (radar.spacingM[0] * imager.rangeScale) / Math.cos((pose.elevationDeg * Math.PI) / 180),
    radar.spacingM[1],
  ]
  const moves = Boolean(nuisance.vibration || nuisance.phase || nuisance.dropout || nuisance.centreErrorM)
  const images: Float64Array[] = []
  for (let k = 0; k < realisations; k++) {
    const chip = pose.serial * realisations + k
    const motion = drawMotion(config, chip, looks.thetaDeg, looks.phiDeg)
    const tau = nuisance.clutter && texture(nuisance.clutter, radar.size, radar.spacingM, seed, chip)
    const patches = ground && texture(ground, radar.size, onGround, seed, chip)
    channels.forEach((channel, c) => {
      const image = moves ? imager.image(moved(imager.part(f, c), radar.freqHz, motion)) : clean[c].slice()
      const stream = CHANNELS.indexOf(channel)
      if (noise > 0)
        add(image, imager.noise(new Random(seed, PURPOSE.noise, chip, stream), motion.gain), () =>
          Math.sqrt(noise),
        )
      if (patches) {
        const power = areaM2 * groundSigma0(config, radar, pose.elevationDeg, channel)
        const random = new Random(seed, PURPOSE.speckle, chip, stream)
        add(image, groundSpeckle(config, radar, plane, cells!, random), (i) => Math.sqrt(power * patches[i]))
      }
      if (tau) {
        const power = clutterPower(nuisance.clutter!, channel)
        const still = new Float64Array(radar.angles).fill(1)
        add(image, imager.noise(new Random(seed, PURPOSE.speckle, chip, stream), still), (i) =>
          Math.sqrt(power * tau[i]),
        )
      }
      images.push(image)
    })
  }
  return images
}

/** Mean power of a pixel of clutter [m^2]. */
const clutterPower = (
  { levelDbsm, crossPolDb }: { levelDbsm: number; crossPolDb: number },
  channel: Channel,
): number => 10 ** ((levelDbsm - (channel === 'vh' || channel === 'hv' ? crossPolDb : 0)) / 10)

function add(image: Float64Array, noise: Float64Array, scale: (pixel: number) => number): void {
  for (let i = 0; i < image.length; i++) image[i] += scale(i >> 1) * noise[i]
}

function peakPower(image: Float64Array): number {
  let peak = 0
  for (let i = 0; i < image.length; i += 2) peak = Math.max(peak, image[i] ** 2 + image[i + 1] ** 2)
  return peak
}
