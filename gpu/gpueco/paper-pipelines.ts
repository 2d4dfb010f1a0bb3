import { wgsl } from '../../shaders/wgsl.gen.js'
import { constantText } from '../kernel.js'
import { structText } from '../layout.js'
import { GPUECO_CONSTANTS, GPUECO_STRUCTS } from './kernels.js'

/** The paper's variants: every pixel computed and read back; only lit ones computed; and summed on the GPU. */
type PaperVariant = 'plain' | 'culled' | 'reduced'

export interface PaperOptions {
  /** Pixels along a side of the image, at most the device's texture limit. */
  size: number
  variant: PaperVariant
  /** What facets are drawn into: position and normal as in the paper, or their numbers alone. */
  target: 'attributes' | 'numbers'
}

const common = ['gpueco_job', 'two_float', 'phase'] as const
type Module = keyof typeof wgsl
export type Draw = 'facets' | 'depth' | 'edges'
export type Pass = 'listFacets' | 'po' | 'listEdges' | 'eec' | 'reduce'

/** Every pipeline of a variant. */
export function createPipelines(device: GPUDevice, { target, variant }: PaperOptions) {
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
export function createTextures(device: GPUDevice, { size }: PaperOptions): Record<string, GPUTextureView> {
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
