import { type GpuContext, GpuMemoryError, readBuffer, upload } from '../device.js'
import { bindKernel, compileKernel, type Kernel, type KernelContract, KernelTimer } from '../kernel.js'
import { DYNAMIC_STRIDE, uniform, type Values } from '../layout.js'

/** Columns that are factored one by one; orders of matrices are padded to multiples of it. */
const PANEL = 64
/** Columns of L that a trailing update takes at once: a multiple of PANEL. */
const OUTER = 256

const LANES = 256
/** Depth of the tiles of a product. */
const DEPTH = 16

const CONSTANTS = {
  PANEL,
  LANES,
  DEPTH,
  PANEL_LANES: LANES / 64,
  TILE_PAIRS: 32 * DEPTH,
  TRANSPOSE: 33 * 32,
  SOLVED: PANEL * 32,
}

/** Constant over a matrix. */
const DENSE_JOB = uniform('Job', {
  order: ['u32', 'rows of the matrix, padded'],
  zero: ['u32', 'always 0: guards two-float arithmetic'],
})

/** One dispatch. */
const DENSE_STEP = uniform('Step', {
  width: ['u32', 'columns of the row-major buffer'],
  row: ['u32', 'first row of what is written'],
  column: ['u32', 'first column of it in its buffer'],
  panel: ['u32', 'first column in `left`'],
  source: ['u32', 'first row of the right factor; 1: begins a panel'],
  depth: ['u32', 'columns of the left factor; rows that are exchanged; column of the panel'],
})

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

const contract = (
  name: string,
  modules: KernelContract['modules'],
  buffers: KernelContract['buffers'],
  constants: Record<string, number> = {},
): KernelContract => ({
  name,
  structs: () => [DENSE_JOB, DENSE_STEP],
  constants: { ...CONSTANTS, ...constants },
  modules,
  buffers,
})

const triangle = (name: string, upper: 0 | 1): KernelContract =>
  contract(name, ['complex', 'dense_triangle'], [read('left'), write('block')], { UPPER: upper })

/** Kernels of the factorisation, by what they do. */
const DENSE_KERNELS = {
  loadPanel: contract('dense_load_panel', ['dense_load_panel'], [read('block'), write('left')]),
  storePanel: contract('dense_store_panel', ['dense_store_panel'], [write('block'), read('left')]),
  factorColumn: contract(
    'dense_factor_column',
    ['complex', 'dense_pivot_size', 'dense_factor_column'],
    [write('left'), write('marks'), write('largest'), write('pivots')],
  ),
  exchanges: contract(
    'dense_exchanges',
    ['dense_pivot_size', 'dense_exchanges'],
    [read('left'), read('pivots'), write('exchanges'), write('smallest')],
  ),
  swapRows: contract('dense_swap_rows', ['dense_swap_rows'], [read('exchanges'), write('block')]),
  lower: triangle('dense_lower', 0),
  upper: triangle('dense_upper', 1),
  multiply: contract('dense_multiply', ['dense_multiply', 'dense_products'], [read('left'), write('block')]),
  residual: contract(
    'dense_residual',
    ['dense_residual', 'dense_products', 'two_float'],
    [read('left'), read('solution'), write('high'), write('low')],
  ),
  add: contract('dense_add', ['dense_add'], [write('sum'), read('summand')]),
  norms: contract('dense_norms', ['dense_norms'], [read('block'), write('norms')]),
  columnSums: contract('dense_column_sums', ['dense_column_sums'], [read('block'), write('sums')]),
} satisfies Record<string, KernelContract>

type DenseKernel = keyof typeof DENSE_KERNELS

/** Steps of a dense solution whose device time is counted apart. */
const DENSE_STAGES = ['fill', 'panel', 'swap', 'triangle', 'update', 'solve', 'residual'] as const
type DenseStage = (typeof DENSE_STAGES)[number]

/** Dispatches of one command buffer, and its floating-point operations, at the most: no watchdog of a slow device shall end it. */
const MOST_STEPS = 1024
const MOST_OPERATIONS = 2e11
/** Command buffers that the host runs ahead of the device. */
const AHEAD = 3

interface Dispatch {
  stage: DenseStage
  kernel: Kernel
  group: GPUBindGroup
  step: Values<(typeof DENSE_STEP)['fields']>
  x: number
  y: number
}

/** Collects dispatches and submits them in command buffers of bounded length. */
class DenseQueue {
  readonly timer: KernelTimer<DenseStage>
  private readonly steps: GPUBuffer
  private readonly groups = new Map<string, GPUBindGroup>()
  private waiting: Dispatch[] = []
  private operations = 0
  private submitted: Promise<undefined>[] = []

  private constructor(
    readonly context: GpuContext,
    private readonly kernels: Record<DenseKernel, Kernel>,
    private readonly job: GPUBuffer,
  ) {
    this.timer = new KernelTimer(context, DENSE_STAGES)
    this.steps = context.device.createBuffer({
      size: DYNAMIC_STRIDE * MOST_STEPS,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    })
  }

  /** @param order  rows of the matrix, padded */
  static async open(context: GpuContext, order: number): Promise<DenseQueue> {
    const { device } = context
    const kernels = await Promise.all(
      Object.entries(DENSE_KERNELS).map(
        async ([name, contract]) => [name, await compileKernel(device, contract, {})] as const,
      ),
    )
    const job = upload(device, 'job', DENSE_JOB.pack({ order, zero: 0 }), GPUBufferUsage.UNIFORM)
    return new DenseQueue(context, Object.fromEntries(kernels) as Record<DenseKernel, Kernel>, job)
  }

  /**
   * Adds a dispatch. Buffers are told apart by their labels.
   * @param groups  workgroups along x and y
   * @param operations  floating-point operations, where they are many
   */
  add(
    stage: DenseStage,
    name: DenseKernel,
    buffers: Record<string, GPUBuffer>,
    step: Partial<Dispatch['step']>,
    [x, y]: [number, number],
    operations = 0,
  ): void {
    if (x <= 0 || y <= 0) return
    const kernel = this.kernels[name]
    const group = this.bound(name, kernel, buffers)
    if (this.waiting.length === MOST_STEPS || this.operations > MOST_OPERATIONS) this.submit()
    const all = { width: 0, row: 0, column: 0, panel: 0, source: 0, depth: 0, ...step }
    this.waiting.push({ stage, kernel, group, step: all, x, y })
    this.operations += operations
  }

  private bound(name: DenseKernel, kernel: Kernel, buffers: Record<string, GPUBuffer>): GPUBindGroup {
    const key = [name, ...kernel.contract.buffers.map((b) => buffers[b.name].label)].join()
    let group = this.groups.get(key)
    if (!group) {
      const step = { buffer: this.steps, size: DENSE_STEP.size }
      group = bindKernel(this.context.device, kernel, this.job, step, buffers)
      this.groups.set(key, group)
    }
    return group
  }

  /** Forgets the bind groups: buffers that are destroyed may have had the labels of others. */
  forget(): void {
    this.groups.clear()
  }

  submit(): void {
    const { waiting } = this
    if (!waiting.length) return
    const { device } = this.context
    device.queue.writeBuffer(
      this.steps,
      0,
      DENSE_STEP.packAll(
        waiting.map(({ step }) => step),
        DYNAMIC_STRIDE,
      ),
    )
    const encoder = device.createCommandEncoder()
    let pass: GPUComputePassEncoder | undefined
    let kernel: Kernel | undefined
    waiting.forEach((dispatch, i) => {
      if (!pass || dispatch.stage !== waiting[i - 1].stage) {
        pass?.end()
        pass = encoder.beginComputePass(this.timer.pass(dispatch.stage, 0))
        kernel = undefined
      }
      if (dispatch.kernel !== kernel) pass.setPipeline(dispatch.kernel.pipeline)
      kernel = dispatch.kernel
      pass.setBindGroup(0, dispatch.group, [DYNAMIC_STRIDE * i])
      pass.dispatchWorkgroups(dispatch.x, dispatch.y)
    })
    pass?.end()
    device.queue.submit([encoder.finish()])
    this.submitted.push(device.queue.onSubmittedWorkDone())
    this.waiting = []
    this.operations = 0
  }

  /** Waits until the host is a few command buffers ahead of the device, or, with `all`, until all is done. */
  async pace(all: boolean, signal?: AbortSignal): Promise<void> {
    if (all) this.submit()
    while (this.submitted.length > (all ? 0 : AHEAD))
      await Promise.race([this.submitted.shift(), this.context.failure])
    signal?.throwIfAborted()
  }

  /** Device seconds by stage since the timer's start; zero where the device has no timestamps. All work must be done. */
  async seconds(): Promise<Record<DenseStage, number>> {
    const encoder = this.context.device.createCommandEncoder()
    this.timer.copyOut(encoder)
    this.context.device.queue.submit([encoder.finish()])
    return (await this.timer.collect(1)).times
  }

  destroy(): void {
    this.steps.destroy()
    this.job.destroy()
  }
}

/** Makes buffers, or throws GpuMemoryError that says how much memory was asked for. */
async function allocate(
  context: GpuContext,
  sizes: { label: string; size: number }[],
  usage: number,
): Promise<GPUBuffer[]> {
  const { device } = context
  device.pushErrorScope('out-of-memory')
  device.pushErrorScope('validation')
  const buffers = sizes.map(({ label, size }) => device.createBuffer({ label, size, usage }))
  const problem = (await device.popErrorScope()) ?? (await device.popErrorScope())
  if (!problem) return buffers
  for (const buffer of buffers) buffer.destroy()
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  throw new GpuMemoryError(
    `the GPU gives no ${(bytes / 1e9).toFixed(1)} GB: ${problem.message.split('\n')[0]}`,
  )
}

/** Some columns of the padded matrix, row by row: entry (i, j) is the complex number i * width + j - first of the buffer. */
export interface DenseBlock {
  buffer: GPUBuffer
  first: number
  width: number
}

/**
 * Writes columns `first` … of the matrix into a block, all its rows: entries beyond the matrix are those of an identity. It submits its
 * commands itself, the same numbers at each call, and times its passes as stage `fill`.
 */
export type DenseFill = (block: DenseBlock, queue: DenseQueue) => void | Promise<void>

export interface DenseHooks {
  /** Columns of the matrix that are factored. */
  progress?: (done: number, total: number) => void
  signal?: AbortSignal
}

export interface DenseSolution {
  /** Interleaved re, im, rows of the unknowns by columns. */
  x: Float32Array
  /** Largest |b − A x| / |b| of a column, before and after refinement. */
  residuals: { first: number; last: number }
}

interface DenseOptions {
  /** Bytes of a buffer of the matrix at the most, for tests; the results do not depend on it. */
  blockBytes?: number
}

const STORAGE = (): number => GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
const padded = (n: number): number => PANEL * Math.ceil(n / PANEL)

/** Real operations of C -= A B for `rows` x `columns` entries, `depth` deep. */
const operationsOf = (rows: number, columns: number, depth: number): number => 8 * rows * columns * depth

/**
 * Dense complex equations A X = B in single precision on a GPU: blocked Gaussian elimination with partial pivoting (right-looking, panels of
 * 64 columns in blocks of 256; Golub and Van Loan, Matrix Computations, 4th ed., 3.4), and steps of iterative refinement whose residual is
 * summed in two-float arithmetic over a matrix that is filled again. The same bytes from run to run and for any division into buffers.
 */
export class DenseSolver {
  /** Rows and columns, padded to whole panels by those of an identity. */
  readonly order: number

  private constructor(
    private readonly context: GpuContext,
    readonly unknowns: number,
    readonly queue: DenseQueue,
    readonly blocks: readonly DenseBlock[],
    private readonly buffers: Record<
      'left' | 'sums' | 'marks' | 'largest' | 'pivots' | 'exchanges' | 'smallest' | 'scratch',
      GPUBuffer
    >,
  ) {
    this.order = padded(unknowns)
    queue.timer.start(0)
  }

  /** Makes the buffers. @throws GpuError where the device has not the memory, or its largest buffer holds too few columns */
  static async open(
    context: GpuContext,
    unknowns: number,
    { blockBytes }: DenseOptions = {},
  ): Promise<DenseSolver> {
    const order = padded(unknowns)
    const most = Math.min(blockBytes ?? Infinity, bindingBytes(context))
    const widest = Math.max(OUTER, OUTER * Math.floor(most / (8 * order * OUTER)))
    const columns: { first: number; width: number }[] = []
    for (let first = 0; first < order; first += widest)
      columns.push({ first, width: Math.min(widest, order - first) })
    const deepest = Math.min(OUTER, order)
    const sizes = {
      left: 8 * order * deepest,
      scratch: 8 * order * deepest,
      sums: 4 * order,
      marks: 4 * order,
      largest: (16 * order) / PANEL,
      pivots: 4 * PANEL,
      exchanges: 4 * order,
      smallest: 4,
    }
    const names = Object.keys(sizes) as (keyof typeof sizes)[]
    const made = await allocate(
      context,
      [
        ...columns.map(({ first, width }) => ({ label: `block ${first}`, size: 8 * order * width })),
        ...names.map((label) => ({ label, size: sizes[label] })),
      ],
      STORAGE(),
    )
    const blocks = columns.map((c, i) => ({ ...c, buffer: made[i] }))
    const others = Object.fromEntries(names.map((name, i) => [name, made[columns.length + i]]))
    return new DenseSolver(
      context,
      unknowns,
      await DenseQueue.open(context, order),
      blocks,
      others as DenseSolver['buffers'],
    )
  }

  /** Bytes of all buffers but those of right-hand sides. */
  get bytes(): number {
    return [...this.blocks.map(({ buffer }) => buffer), ...Object.values(this.buffers)].reduce(
      (sum, { size }) => sum + size,
      0,
    )
  }

  /**
   * Fills the matrix and factors it in place.
   * @returns the smallest pivot, |re| + |im|, 0 where the matrix is singular; the matrix's 1-norm
   */
  async factor(
    fill: DenseFill,
    { progress, signal }: DenseHooks = {},
  ): Promise<{ pivot: number; norm: number }> {
    const { device } = this.context
    for (const block of this.blocks) {
      await fill(block, this.queue)
      this.queue.add('fill', 'columnSums', { block: block.buffer, sums: this.buffers.sums }, { width: block.width, column: block.first }, [Math.ceil(block.width / 64), 1]) // prettier-ignore
      await this.queue.pace(false, signal)
    }
    device.queue.writeBuffer(this.buffers.smallest, 0, new Uint32Array([0x7f7fffff]))
    for (let first = 0; first < this.order; first += OUTER) {
      const size = Math.min(OUTER, this.order - first)
      for (let s = 0; s < size; s += PANEL) {
        this.factorPanel(first, s)
        this.update('triangle', this.blockOf(first), [s, first + s, PANEL], [first + s + PANEL, first + size])
        await this.queue.pace(false, signal)
      }
      const end = first + size
      if (end < this.order) this.load(this.blockOf(first), first, size, [first, this.order])
      for (const block of this.blocks) {
        const columns: [number, number] = [Math.max(end, block.first), block.first + block.width]
        for (let s = 0; s < size; s += PANEL)
          this.update('triangle', block, [s, first + s, PANEL], columns, end)
        this.multiply('update', block, [end, this.order], columns, [0, first, size])
        await this.queue.pace(false, signal)
      }
      progress?.(Math.min(end, this.unknowns), this.unknowns)
    }
    await this.queue.pace(true, signal)
    const sums = new Float32Array(await readBuffer(this.context, this.buffers.sums, 4 * this.unknowns))
    return {
      pivot: new Float32Array(await readBuffer(this.context, this.buffers.smallest, 4))[0],
      norm: sums.reduce((most, sum) => larger(most, sum), 0),
    }
  }

  /**
   * Solves for the right-hand sides, with one step of refinement where `fill` is given.
   * @param b  unknowns x columns, interleaved re, im
   */
  async solve(
    b: Float32Array,
    columns: number,
    fill?: DenseFill,
    hooks: DenseHooks = {},
  ): Promise<DenseSolution> {
    const most = PANEL * Math.max(1, Math.floor(bindingBytes(this.context) / (8 * this.order * PANEL)))
    const x = new Float32Array(b.length)
    const residuals = { first: 0, last: 0 }
    for (let first = 0; first < columns; first += most) {
      const count = Math.min(most, columns - first)
      const part = await this.solveSome(b, columns, [first, count], x, fill, hooks)
      residuals.first = larger(residuals.first, part.first)
      residuals.last = larger(residuals.last, part.last)
    }
    return { x, residuals }
  }

  private async solveSome(
    b: Float32Array,
    columns: number,
    [first, count]: [number, number],
    x: Float32Array,
    fill: DenseFill | undefined,
    { signal }: DenseHooks,
  ): Promise<{ first: number; last: number }> {
    const { context, queue } = this
    const { device } = context
    const width = padded(count)
    const size = 8 * this.order * width
    const labels = ['solution', 'high', 'low', 'norms']
    const made = await allocate(context, labels.map((label) => ({ label, size: label === 'norms' ? 4 * width : size })), STORAGE()) // prettier-ignore
    const [solution, high, low, norms] = made
    const target: DenseBlock = { buffer: solution, first: 0, width }
    const tiles: [number, number] = [width / PANEL, this.order / PANEL]
    const normsOf = async (buffer: GPUBuffer): Promise<Float32Array> => {
      queue.add('solve', 'norms', { block: buffer, norms }, { width }, [width / 64, 1])
      await queue.pace(true, signal)
      return new Float32Array(await readBuffer(this.context, norms, 4 * count)).map(Math.sqrt)
    }
    const residual = async (sizes: Float32Array): Promise<number> => {
      // What is waiting reads and writes the residual before.
      queue.submit()
      this.upload(high, b, columns, [first, count], width)
      const encoder = device.createCommandEncoder()
      encoder.clearBuffer(low)
      device.queue.submit([encoder.finish()])
      await this.subtractProduct(fill!, solution, [high, low], width, signal)
      queue.add('residual', 'add', { sum: high, summand: low }, { width }, tiles)
      return (await normsOf(high)).reduce((most, r, i) => larger(most, sizes[i] ? r / sizes[i] : 0), 0)
    }
    try {
      this.upload(solution, b, columns, [first, count], width)
      const sizes = fill ? await normsOf(solution) : new Float32Array(0)
      await this.substitute(target, signal)
      const residuals = { first: 0, last: 0 }
      if (fill) {
        residuals.first = await residual(sizes)
        await this.substitute({ buffer: high, first: 0, width }, signal)
        queue.add('solve', 'add', { sum: solution, summand: high }, { width }, tiles)
        residuals.last = await residual(sizes)
      }
      await queue.pace(true, signal)
      const rows = new Float32Array(await readBuffer(this.context, solution, size))
      for (let i = 0; i < this.unknowns; i++)
        x.set(rows.subarray(2 * width * i, 2 * (width * i + count)), 2 * (columns * i + first))
      return residuals
    } finally {
      queue.forget()
      for (const buffer of made) buffer.destroy()
    }
  }

  /** L U X = P B in place. */
  private async substitute(target: DenseBlock, signal?: AbortSignal): Promise<void> {
    const { order, queue } = this
    const all: [number, number] = [0, target.width]
    queue.add('solve', 'swapRows', { exchanges: this.buffers.exchanges, block: target.buffer }, { width: target.width, row: 0, depth: order }, [Math.ceil(target.width / 64), 1]) // prettier-ignore
    for (let first = 0; first < order; first += OUTER) {
      const size = Math.min(OUTER, order - first)
      this.load(this.blockOf(first), first, size, [first, order], 'solve')
      for (let s = 0; s < size; s += PANEL)
        this.update('solve', target, [s, first + s, PANEL], all, first + size)
      this.multiply('solve', target, [first + size, order], all, [0, first, size])
      await queue.pace(false, signal)
    }
    for (let first = OUTER * Math.floor((order - 1) / OUTER); first >= 0; first -= OUTER) {
      const size = Math.min(OUTER, order - first)
      this.load(this.blockOf(first), first, size, [0, first + size], 'solve')
      for (let s = size - PANEL; s >= 0; s -= PANEL) {
        queue.add('solve', 'upper', { left: this.buffers.left, block: target.buffer }, { width: target.width, row: first + s, panel: s }, [target.width / 32, 1]) // prettier-ignore
        this.multiply('solve', target, [first, first + s], all, [s, first + s, PANEL])
      }
      this.multiply('solve', target, [0, first], all, [0, first, size])
      await queue.pace(false, signal)
    }
  }

  /** high + low -= A x, with A filled again by stripes. */
  private async subtractProduct(
    fill: DenseFill,
    x: GPUBuffer,
    [high, low]: [GPUBuffer, GPUBuffer],
    width: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const { order, queue, buffers } = this
    for (let first = 0; first < order; first += OUTER) {
      const depth = Math.min(OUTER, order - first)
      const stripe: DenseBlock = { buffer: buffers.scratch, first, width: depth }
      // What is waiting reads the stripe before.
      queue.submit()
      await fill(stripe, queue)
      this.load(stripe, first, depth, [0, order], 'residual')
      queue.add('residual', 'residual', { left: buffers.left, solution: x, high, low }, { width, source: first, depth }, [width / 64, order / 64], operationsOf(order, width, depth)) // prettier-ignore
      await queue.pace(false, signal)
    }
  }

  /** Factors PANEL columns and exchanges rows of the whole matrix. */
  private factorPanel(first: number, panel: number): void {
    const { queue, buffers, order } = this
    const { left, marks, largest, pivots, exchanges, smallest } = buffers
    const block = this.blockOf(first)
    const row = first + panel
    this.load(block, row, PANEL, [row, order], 'panel', panel)
    const groups: [number, number] = [(order - row) / 64, 1]
    const column = { left, marks, largest, pivots }
    queue.add('panel', 'factorColumn', column, { row, panel, source: 1 }, groups)
    for (let depth = 0; depth < PANEL; depth++)
      queue.add('panel', 'factorColumn', column, { row, panel, depth }, groups)
    queue.add('panel', 'exchanges', { left, pivots, exchanges, smallest }, { row, panel }, [1, 1])
    const place = { width: block.width, row, column: row - block.first, panel }
    queue.add('panel', 'storePanel', { block: block.buffer, left }, place, [PANEL / 32, (order - row) / 32])
    for (const { buffer, width } of this.blocks)
      queue.add('swap', 'swapRows', { exchanges, block: buffer }, { width, row, depth: PANEL }, [Math.ceil(width / 64), 1]) // prettier-ignore
    if (panel + PANEL < Math.min(OUTER, order - first))
      this.load(block, row, PANEL, [row, order], 'panel', panel)
  }

  /**
   * One panel's share of a triangular solution with L: its PANEL rows of the columns, then the rows below them, up to `end`.
   */
  private update(
    stage: DenseStage,
    block: DenseBlock,
    [panel, row, depth]: [number, number, number],
    columns: [number, number],
    end = this.order,
  ): void {
    const across = columns[1] - columns[0]
    const step = { width: block.width, row, column: columns[0] - block.first, panel }
    this.queue.add(stage, 'lower', { left: this.buffers.left, block: block.buffer }, step, [across / 32, 1])
    this.multiply(stage, block, [row + depth, end], columns, [panel, row, depth])
  }

  /** block[rows, columns] -= left[rows, panel ..] block[source .., columns]. */
  private multiply(
    stage: DenseStage,
    block: DenseBlock,
    [from, to]: [number, number],
    [begin, end]: [number, number],
    [panel, source, depth]: [number, number, number],
  ): void {
    const step = { width: block.width, row: from, column: begin - block.first, panel, source, depth }
    this.queue.add(stage, 'multiply', { left: this.buffers.left, block: block.buffer }, step, [(end - begin) / 64, (to - from) / 64], operationsOf(to - from, end - begin, depth)) // prettier-ignore
  }

  /** left[rows, panel ..] = columns of the matrix from `first` on. */
  private load(
    block: DenseBlock,
    first: number,
    count: number,
    [from, to]: [number, number],
    stage: DenseStage = 'triangle',
    panel = 0,
  ): void {
    const step = { width: block.width, row: from, column: first - block.first, panel }
    this.queue.add(stage, 'loadPanel', { block: block.buffer, left: this.buffers.left }, step, [count / 32, (to - from) / 32]) // prettier-ignore
  }

  private blockOf(column: number): DenseBlock {
    return this.blocks[Math.floor(column / this.blocks[0].width)]
  }

  private upload(
    to: GPUBuffer,
    b: Float32Array,
    columns: number,
    [first, count]: [number, number],
    width: number,
  ): void {
    const { device } = this.context
    const many = Math.max(1, Math.floor(2 ** 23 / width))
    for (let row = 0; row < this.order; row += many) {
      const rows = Math.min(many, this.order - row)
      const part = new Float32Array(2 * width * rows)
      for (let i = 0; i < Math.min(rows, this.unknowns - row); i++)
        part.set(
          b.subarray(2 * (columns * (row + i) + first), 2 * (columns * (row + i) + first + count)),
          2 * width * i,
        )
      device.queue.writeBuffer(to, 8 * width * row, part)
    }
  }

  destroy(): void {
    for (const { buffer } of this.blocks) buffer.destroy()
    for (const buffer of Object.values(this.buffers)) buffer.destroy()
    this.queue.destroy()
  }
}

const bindingBytes = ({ device: { limits } }: GpuContext): number =>
  Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize)

/** The larger, or NaN where one is: a residual that is no number must be seen. */
const larger = (a: number, b: number): number => (a >= b ? a : b >= a ? b : NaN)
