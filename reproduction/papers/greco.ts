import { EdgeFace, WedgeCache } from '../../cpu-diffraction/index.js'
import { type Drawn, eachSample, facetAmplitudes, Raster } from '../../cpu-sbr/raster/raster.js'
import {
  ASPECT,
  GPUECO_CONSTANTS,
  GPUECO_JOB,
  GPUECO_STEP,
  GPUECO_STRUCTS,
  type GpuecoBuffers,
  packAspects,
  packJob,
  uploadRaster,
} from '../../gpu/gpueco/kernels.js'
import { type GpuContext, readBuffer } from '../../gpu/device.js'
import { constantText } from '../../gpu/kernel.js'
import { structText } from '../../gpu/layout.js'
import { type AspectField, finishField, sinc } from '../../rays/index.js'
import {
  RASTER_GRAZING,
  rasterBound,
  type RasterEdges,
  rasterImage,
  type RasterImage,
  type RasterScene,
} from '../../rays/raster-scene.js'
import { type Aspect, type Band, dot, type Vec3, wavenumber } from '../../scene/index.js'
import { wgsl } from '../../shaders/wgsl.gen.js'

/** The paper's variants: every pixel computed and read back; only lit ones computed; and summed on the GPU. */
type PaperVariant = 'plain' | 'culled' | 'reduced'

interface PaperOptions {
  /** Pixels along a side of the image, at most the device's texture limit. */
  size: number
  variant: PaperVariant
  /** What facets are drawn into: position and normal as in the paper, or their numbers alone. */
  target: 'attributes' | 'numbers'
}

const common = ['gpueco_job', 'two_float', 'path_cycles', 'phase'] as const
type Module = keyof typeof wgsl
type Draw = 'facets' | 'depth' | 'edges'
type Pass = 'listFacets' | 'po' | 'listEdges' | 'eec' | 'reduce'

/** Every pipeline of a variant. */
function createPipelines(device: GPUDevice, { target, variant }: PaperOptions) {
  const numbers = target === 'numbers'
  const shared = constantText(GPUECO_CONSTANTS) + structText(GPUECO_STRUCTS)
  const module = (modules: readonly Module[], constants = ''): GPUShaderModule =>
    device.createShaderModule({
      label: modules.at(-1),
      code: shared + constants + modules.map((m) => wgsl[m]).join('\n'),
    })
  const drawing = module([...common, 'gpueco_wedge', 'gpueco_paper_draw'])
  const draw = (
    vertex: string,
    topology: GPUPrimitiveTopology,
    fragment: string | null,
    formats: GPUTextureFormat[],
    bias: number,
  ): GPURenderPipeline =>
    device.createRenderPipeline({
      layout: 'auto',
      vertex: { module: drawing, entryPoint: vertex },
      ...(fragment
        ? {
            fragment: {
              module: drawing,
              entryPoint: fragment,
              targets: formats.map((format) => ({ format })),
            },
          }
        : {}),
      primitive: { topology },
      depthStencil: {
        format: 'depth32float',
        depthWriteEnabled: topology === 'triangle-list',
        depthCompare: 'less-equal',
        // Pushed back by its rise over one pixel: the centre of an edge's pixel is no farther off (docs/gpueco.md).
        ...(bias ? { depthBias: 16, depthBiasSlopeScale: bias } : {}),
      },
    })
  const constants = `const CULLED = ${variant === 'plain' ? 0 : 1}u;\nconst FREQUENCY_LANES = 1u;\n`
  const compute = (...modules: Module[]): GPUComputePipeline =>
    device.createComputePipeline({
      layout: 'auto',
      compute: { module: module([...common, ...modules], constants), entryPoint: 'main' },
    })
  const source: Module = numbers ? 'gpueco_paper_numbers' : 'gpueco_paper_attributes'
  return {
    draw: {
      facets: numbers
        ? draw('facet_vertex', 'triangle-list', 'facet_number', ['r32uint'], 0)
        : draw('facet_vertex', 'triangle-list', 'facet_attributes', ['rgba32float', 'rgba32float'], 0),
      depth: draw('facet_vertex', 'triangle-list', null, [], 1),
      edges: draw('edge_vertex', 'line-list', 'edge_attributes', ['rgba32float'], 0),
    },
    pass: {
      listFacets: compute(source, 'gpueco_paper_list'),
      po: compute(source, 'gpueco_paper_pixel', 'gpueco_paper_po'),
      listEdges: compute('gpueco_paper_wedges', 'gpueco_paper_list'),
      eec: compute('gpueco_wedge', 'gpueco_paper_wedges', 'gpueco_paper_pixel', 'gpueco_paper_eec'),
      reduce: compute('fixed_point', 'gpueco_sum', 'gpueco_paper_reduce'),
    },
  }
}

/** The targets that the passes draw into, by name. */
function createTextures(device: GPUDevice, { size }: PaperOptions): Record<string, GPUTextureView> {
  const formats: Record<string, GPUTextureFormat> = {
    points: 'rgba32float',
    normals: 'rgba32float',
    numbers: 'r32uint',
    wedges: 'rgba32float',
    depth: 'depth32float',
  }
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING
  return Object.fromEntries(
    Object.entries(formats).map(([label, format]) => [
      label,
      device.createTexture({ label, size: [size, size], format, usage }).createView(),
    ]),
  )
}

/**
 * GPUECO as paper 001 has it, pixel by pixel on the render pipeline, for comparison with `GpuecoEngine`: one frequency, one
 * aspect at a time. Without reduction the pixels' fields are read back and summed on the host in double precision.
 */
export class PaperPipeline {
  readonly image: RasterImage
  private readonly target: GpuecoBuffers
  private readonly pipelines: {
    draw: Record<Draw, GPURenderPipeline>
    pass: Record<Pass, GPUComputePipeline>
  }
  private readonly textures: Record<string, GPUTextureView>
  private readonly buffers: Record<string, GPUBuffer>
  private readonly binds = new Map<string, GPUBindGroup>()

  constructor(
    private readonly context: GpuContext,
    private readonly scene: RasterScene,
    private readonly edges: RasterEdges,
    private readonly options: PaperOptions,
  ) {
    const { device } = context
    const { size } = options
    this.image = rasterImage(scene.radius, size)
    this.target = uploadRaster(device, scene, edges, this.image)
    this.pipelines = createPipelines(device, options)
    this.textures = createTextures(device, options)
    const { STORAGE, UNIFORM, COPY_DST, COPY_SRC, INDIRECT } = GPUBufferUsage
    const make = (label: string, bytes: number, usage: number): GPUBuffer =>
      device.createBuffer({ label, size: bytes, usage: usage | COPY_DST | COPY_SRC })
    this.buffers = {
      job: make('job', GPUECO_JOB.size, UNIFORM),
      step: make('step', GPUECO_STEP.size, UNIFORM),
      aspects: make('aspects', ASPECT.size, STORAGE),
      list: make('list', 4 * size * size, STORAGE),
      count: make('count', 16, STORAGE),
      args: make('dispatch arguments', 16, INDIRECT),
      fields: make('fields', 32 * size * size, STORAGE),
      totals: make('totals', 64, STORAGE),
      counters: make('counters', 64, STORAGE),
    }
  }

  /** Amplitudes [m] of an aspect at one frequency. */
  async aspect(aspect: Aspect, freqHz: number): Promise<AspectField> {
    const { context, buffers, options, scene, edges } = this
    const { device } = context
    const band: Band = { f0: freqHz, df: 0, n: 1 }
    const fixedExponent = 58 - Math.ceil(Math.log2(rasterBound(scene, edges, wavenumber(freqHz))))
    const job = packJob(band, this.image, {
      facets: scene.count,
      works: 0,
      pieces: 0,
      tile: options.size,
      group: 1,
      fixedExponent,
    })
    device.queue.writeBuffer(buffers.job, 0, job)
    device.queue.writeBuffer(buffers.aspects, 0, packAspects([aspect]))
    const encoder = device.createCommandEncoder()
    this.encode(encoder)
    const reduced = options.variant === 'reduced'
    const source = reduced ? buffers.totals : buffers.fields
    device.queue.submit([encoder.finish()])
    const range = await readBuffer(context, source, source.size)
    const field = reduced ? exactTotals(range, fixedExponent) : hostSums(range)
    finishField(scene.origin, { aspect, band }, field)
    return field
  }

  private encode(encoder: GPUCommandEncoder): void {
    const { options, textures, scene, edges, buffers } = this
    const numbers = options.target === 'numbers'
    encoder.clearBuffer(buffers.fields)
    encoder.clearBuffer(buffers.totals)
    const depth = (load: boolean): GPURenderPassDepthStencilAttachment => ({
      view: textures.depth,
      depthClearValue: 1,
      depthLoadOp: load ? 'load' : 'clear',
      depthStoreOp: 'store',
    })
    const draw = (name: Draw, targets: GPUTextureView[], vertices: number, keepDepth = false): void => {
      const pass = encoder.beginRenderPass({
        colorAttachments: targets.map((view) => ({ view, loadOp: 'clear', storeOp: 'store' })),
        depthStencilAttachment: depth(keepDepth),
      })
      pass.setPipeline(this.pipelines.draw[name])
      pass.setBindGroup(0, this.bind(name))
      pass.draw(vertices)
      pass.end()
    }
    draw('facets', numbers ? [textures.numbers] : [textures.points, textures.normals], 3 * scene.count)
    this.perPixel(encoder, 'listFacets', 'po')
    if (edges.count > 0) {
      draw('depth', [], 3 * scene.count)
      draw('edges', [textures.wedges], 2 * edges.count, true)
      this.perPixel(encoder, 'listEdges', 'eec')
    }
    if (options.variant === 'reduced') {
      const pass = encoder.beginComputePass()
      pass.setPipeline(this.pipelines.pass.reduce)
      pass.setBindGroup(0, this.bind('reduce'))
      pass.dispatchWorkgroups(Math.ceil(options.size ** 2 / 1024))
      pass.end()
    }
  }

  /** A field pass over all pixels, or over the list of those that hold something. */
  private perPixel(encoder: GPUCommandEncoder, list: 'listFacets' | 'listEdges', field: 'po' | 'eec'): void {
    const { options, buffers } = this
    const { size } = options
    const culled = options.variant !== 'plain'
    if (culled) {
      encoder.clearBuffer(buffers.count)
      const pass = encoder.beginComputePass()
      pass.setPipeline(this.pipelines.pass[list])
      pass.setBindGroup(0, this.bind(list))
      pass.dispatchWorkgroups(Math.ceil(size / 16), Math.ceil(size / 16))
      pass.end()
      encoder.copyBufferToBuffer(buffers.count, 4, buffers.args, 0, 12)
    }
    const pass = encoder.beginComputePass()
    pass.setPipeline(this.pipelines.pass[field])
    pass.setBindGroup(0, this.bind(field))
    const groups = Math.ceil(size ** 2 / 64)
    if (culled) pass.dispatchWorkgroupsIndirect(buffers.args, 0)
    else pass.dispatchWorkgroups(Math.min(65535, groups), Math.ceil(groups / 65535))
    pass.end()
  }

  /** Bindings of a pipeline, by number and name of its shader's. */
  private bind(name: Draw | Pass): GPUBindGroup {
    let group = this.binds.get(name)
    if (group) return group
    const { draw, pass } = this.pipelines
    const numbers = this.options.target === 'numbers'
    const { points, normals, numbers: facetNumbers, wedges } = this.textures
    const { job, step, aspects, list, count, fields, totals, counters } = this.buffers
    const { facets, edges } = this.target
    const lit: [number, GPUBuffer | GPUTextureView][] = [[4, numbers ? facetNumbers : points]]
    const surface: typeof lit = [...lit, [5, numbers ? facets : normals]]
    const pixel: typeof lit = [
      [0, job],
      [1, step],
      [2, list],
      [3, count],
      [6, aspects],
      [7, fields],
    ]
    const listed: typeof lit = [
      [0, job],
      [2, list],
      [3, count],
    ]
    const bindings: Record<Draw | Pass, typeof lit> = {
      facets: [
        [0, job],
        [2, facets],
        [3, aspects],
      ],
      depth: [
        [0, job],
        [2, facets],
        [3, aspects],
      ],
      edges: [
        [0, job],
        [3, aspects],
        [4, edges],
      ],
      listFacets: [...listed, ...lit],
      po: [...pixel, ...surface],
      listEdges: [...listed, [4, wedges]],
      eec: [...pixel, [4, wedges], [5, edges]],
      reduce: [
        [0, job],
        [2, fields],
        [3, totals],
        [4, counters],
      ],
    }
    const pipeline = name in draw ? draw[name as Draw] : pass[name as Pass]
    group = this.context.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bindings[name].map(([binding, resource]) => ({
        binding,
        resource: 'size' in resource ? { buffer: resource } : resource,
      })),
    })
    this.binds.set(name, group)
    return group
  }
}

function exactTotals(range: ArrayBuffer, fixedExponent: number): Float64Array {
  const words = new Uint32Array(range)
  return Float64Array.from(
    { length: 8 },
    (_, i) => (words[2 * i] + (words[2 * i + 1] | 0) * 2 ** 32) * 2 ** -fixedExponent,
  )
}

/** Sums of all pixels' fields: real parts of VV HH VH HV, then imaginary ones, to re, im of each. */
function hostSums(range: ArrayBuffer): Float64Array {
  const fields = new Float32Array(range)
  const sum = new Float64Array(8)
  for (let i = 0; i < fields.length; i += 8)
    for (let c = 0; c < 4; c++) {
      sum[2 * c] += fields[i + c]
      sum[2 * c + 1] += fields[i + 4 + c]
    }
  return sum
}

/** Neighbouring pixels whose normals differ by more lie on two sides of a wedge [degrees]. */
const LEAST_ANGLE = 20

const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
const scaled = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s]

type Pixel = [number, number]

/** An aspect with tx + rx, and the wavenumber [rad/m]. */
interface Wave {
  aspect: Aspect
  w: Vec3
  k: number
}

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
    const sums = new Float64Array(8)
    const front = frontFacets(raster)
    const w = aspect.rx.r.map((s, a) => s + aspect.tx.r[a]) as Vec3
    const wave = { aspect, w, k: wavenumber(freqHz) }
    for (let j = 0; j < image.size; j++)
      for (let i = 0; i < image.size; i++) {
        const d = front[j * image.size + i]
        if (!d) continue
        this.addPixel(raster, d, [i, j], wave, sums)
        if (!wedges) continue
        for (const [di, dj] of [
          [1, 0],
          [0, 1],
        ] satisfies Pixel[]) {
          const other =
            i + di < image.size && j + dj < image.size ? front[(j + dj) * image.size + i + di] : null
          if (other && other !== d) this.addWedge(raster, [d, other], [i, j], [di, dj], wave, sums)
        }
      }
    finishField(scene.origin, { aspect, band: { f0: freqHz, df: 0, n: 1 } }, sums)
    return sums
  }

  private addPixel(
    raster: Raster,
    d: Drawn,
    [i, j]: Pixel,
    { aspect, w, k }: Wave,
    sums: Float64Array,
  ): void {
    const { u, v, r, image } = raster
    const cosine = dot(d.n, r)
    const pu = image.pixel * dot(w, u) + d.slope[0] * dot(w, r)
    const pv = image.pixel * dot(w, v) + d.slope[1] * dot(w, r)
    const p = pointOf(raster, d, i + 0.5, j + 0.5)
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
    [a, b]: [Drawn, Drawn],
    [i, j]: Pixel,
    [di, dj]: Pixel,
    { aspect, w, k }: Wave,
    sums: Float64Array,
  ): void {
    const { u, v, r, image } = raster
    const angle = Math.acos(Math.min(1, dot(a.n, b.n)))
    if (angle < (LEAST_ANGLE * Math.PI) / 180) return
    const p = pointOf(raster, a, i + 0.5, j + 0.5)
    const q = pointOf(raster, b, i + di + 0.5, j + dj + 0.5)
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
export function pointOf({ u, v, r, image }: Raster, d: Drawn, x: number, y: number): Vec3 {
  const [a, b] = [(x - image.centre[0]) * image.pixel, (y - image.centre[1]) * image.pixel]
  const h = d.h0 + d.slope[0] * (x - d.x[0]) + d.slope[1] * (y - d.y[0])
  return [0, 1, 2].map((c) => a * u[c] + b * v[c] + h * r[c]) as Vec3
}
