import { type AspectField, finishField } from '../../rays/index.js'
import {
  rasterBound,
  type RasterEdges,
  type RasterImage,
  rasterImage,
  type RasterScene,
} from '../../rays/raster-scene.js'
import { type Aspect, type Band, wavenumber } from '../../scene/index.js'
import { wgsl } from '../../shaders/wgsl.gen.js'
import type { GpuContext } from '../../gpu/index.js'
import { constantText } from '../../gpu/kernel.js'
import { structText } from '../../gpu/layout.js'
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
    const copy = device.createBuffer({
      size: source.size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    })
    encoder.copyBufferToBuffer(source, 0, copy, 0, source.size)
    device.queue.submit([encoder.finish()])
    await Promise.race([copy.mapAsync(GPUMapMode.READ), context.failure])
    const range = copy.getMappedRange()
    const field = reduced ? exactTotals(range, fixedExponent) : hostSums(range)
    copy.destroy()
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
