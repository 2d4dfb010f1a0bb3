import { EdgeFace, WedgeCache } from '../../cpu-diffraction/index.js'
import { type Drawn, eachSample, facetAmplitudes, Raster } from '../../cpu-sbr/raster/raster.js'
import { type Aspect, dot, type Vec3, wavenumber } from '../../scene/index.js'
import { type AspectField, finishField, sinc } from '../../rays/index.js'
import { RASTER_GRAZING, type RasterImage, type RasterScene } from '../../rays/raster-scene.js'

/** Neighbouring pixels whose normals differ by more lie on two sides of a wedge [degrees]. */
const LEAST_ANGLE = 20

const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
const scaled = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s]

/**
 * The CPU-GRECO baseline of paper 001 (Table 1, Figure 10): the image as read back from graphics hardware, physical optics
 * pixel by pixel, and wedges found in the image, between neighbouring pixels of different normals and continuous depth. Wedges
 * on the contour of the target have no second pixel and are missed. One frequency; double precision, one thread.
 */
export class Greco {
  private readonly faces = [new EdgeFace('eec'), new EdgeFace('eec')]
  private readonly wedges = new WedgeCache(1)

  constructor(
    private readonly scene: RasterScene,
    private readonly image: RasterImage,
  ) {}

  /** Amplitudes [m]; without `wedges` no edges. */
  aspect(aspect: Aspect, freqHz: number, wedges = true): AspectField {
    const { image, scene } = this
    const raster = new Raster(scene, image, aspect.tx)
    const k = wavenumber(freqHz)
    const sums = new Float64Array(8)
    const front = frontFacets(raster)
    const w = aspect.rx.r.map((s, a) => s + aspect.tx.r[a]) as Vec3
    for (let j = 0; j < image.size; j++)
      for (let i = 0; i < image.size; i++) {
        const d = front[j * image.size + i]
        if (!d) continue
        this.addPixel(raster, d, i, j, aspect, w, k, sums)
        if (!wedges) continue
        for (const [di, dj] of [
          [1, 0],
          [0, 1],
        ]) {
          const other =
            i + di < image.size && j + dj < image.size ? front[(j + dj) * image.size + i + di] : null
          if (other && other !== d) this.addWedge(raster, d, other, i, j, di, dj, aspect, w, k, sums)
        }
      }
    finishField(scene.origin, { aspect, band: { f0: freqHz, df: 0, n: 1 } }, sums)
    return sums
  }

  private addPixel(
    { u, v, r, image }: Raster,
    d: Drawn,
    i: number,
    j: number,
    aspect: Aspect,
    w: Vec3,
    k: number,
    sums: Float64Array,
  ): void {
    const cosine = dot(d.n, r)
    const pu = image.pixel * dot(w, u) + d.slope[0] * dot(w, r)
    const pv = image.pixel * dot(w, v) + d.slope[1] * dot(w, r)
    const p = pointOf(u, v, r, image, d, i + 0.5, j + 0.5)
    const size = ((image.pixel * image.pixel) / cosine) * sinc(0.5 * k * pu) * sinc(0.5 * k * pv)
    const path = k * dot(w, p)
    facetAmplitudes(aspect, d.n).forEach((amplitude, ch) => {
      sums[2 * ch] += amplitude * size * Math.cos(path)
      sums[2 * ch + 1] += amplitude * size * Math.sin(path)
    })
  }

  /** The wedge between a pixel and its neighbour (di, dj), if there is one. */
  private addWedge(
    raster: Raster,
    a: Drawn,
    b: Drawn,
    i: number,
    j: number,
    di: number,
    dj: number,
    aspect: Aspect,
    w: Vec3,
    k: number,
    sums: Float64Array,
  ): void {
    const { u, v, r, image } = raster
    const angle = Math.acos(Math.min(1, dot(a.n, b.n)))
    if (angle < (LEAST_ANGLE * Math.PI) / 180) return
    const p = pointOf(u, v, r, image, a, i + 0.5, j + 0.5)
    const q = pointOf(u, v, r, image, b, i + di + 0.5, j + dj + 0.5)
    const step = q.map((x, c) => x - p[c]) as Vec3
    // Continuous depth: within the rise of both planes over a pixel; convex: each pixel below the other's plane.
    const rise = Math.abs(a.slope[0]) + Math.abs(a.slope[1]) + Math.abs(b.slope[0]) + Math.abs(b.slope[1])
    if (Math.abs(dot(step, r)) > rise || dot(step, a.n) > 0 || dot(step, b.n) < 0) return
    const axis = cross(a.n, b.n)
    const t = scaled(axis, 1 / Math.hypot(...axis))
    const [tu, tv] = [Math.abs(dot(t, u)), Math.abs(dot(t, v))]
    // One pair of pixels per step along the edge's dominant image axis.
    if (di === 1 ? tu > tv : tv >= tu) return
    const length = image.pixel / Math.max(tu, tv)
    const frames = new Float64Array(18)
    ;[a, b].forEach((d, face) => {
      const into = cross(t, d.n)
      const away = face === 0 ? -1 : 1
      const x = scaled(into, Math.sign(dot(into, step)) * away || 1)
      ;[x, d.n, cross(x, d.n)].forEach((row, c) => frames.set(row, 9 * face + 3 * c))
    })
    const wedge = this.wedges.get(1 + angle / Math.PI)
    const middle = p.map((x, c) => 0.5 * (x + q[c])) as Vec3
    const path = k * dot(w, middle)
    const size = (length * sinc(0.5 * k * dot(w, t) * length) * 4 * Math.PI) / k
    this.faces.forEach((face, f) => {
      const n = f === 0 ? a.n : b.n
      if (!face.aim(wedge, frames, 9 * f, aspect, dot(n, r) > RASTER_GRAZING)) return
      face.untruncated.forEach((amplitude, ch) => {
        sums[2 * ch] += amplitude * size * Math.sin(path)
        sums[2 * ch + 1] -= amplitude * size * Math.cos(path)
      })
    })
  }
}

/** The visible facet of each pixel. */
export function frontFacets(raster: Raster): (Drawn | null)[] {
  const { size } = raster.image
  const front: (Drawn | null)[] = Array.from({ length: size * size }, () => null)
  for (const d of raster.drawn)
    eachSample(d, size, (i, j) => {
      if (raster.isVisible(d, i, j)) front[j * size + i] = d
    })
  return front
}

/** Point of a facet's plane at a point of the image [m]. */
export function pointOf(u: Vec3, v: Vec3, r: Vec3, image: RasterImage, d: Drawn, x: number, y: number): Vec3 {
  const [a, b] = [(x - image.centre[0]) * image.pixel, (y - image.centre[1]) * image.pixel]
  const h = d.h0 + d.slope[0] * (x - d.x[0]) + d.slope[1] * (y - d.y[0])
  return [0, 1, 2].map((c) => a * u[c] + b * v[c] + h * r[c]) as Vec3
}
