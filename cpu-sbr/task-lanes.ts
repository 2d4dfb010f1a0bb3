/** Tasks [from, to) of a job that no lane has taken yet; one lane takes from the front, another from the back. */
interface Segment {
  from: number
  to: number
}

interface Job<Task, Result> {
  tasks: Task[]
  segments: Segment[]
  results: Result[]
  /** Tasks without a result. */
  left: number
  signal?: AbortSignal
  end: (error?: unknown) => void
}

/**
 * Shares the tasks of jobs among threads so that each thread keeps to its part of every job: neighbouring tasks of one job, and
 * the same ones of jobs that follow, need much of what a thread keeps (`aspectTables`). A lane has one task under way at a time; a pool
 * of as many threads as lanes gives the lane's next task to the thread that has just finished the one before, since no other is free. Jobs are begun in the order given.
 */
export class TaskLanes<Task, Result> {
  private readonly jobs: Job<Task, Result>[] = []
  private readonly idle: Set<number>

  /** @param start  does a task; rejects when the signal fires */
  constructor(
    private readonly lanes: number,
    private readonly start: (task: Task, signal?: AbortSignal) => Promise<Result>,
  ) {
    this.idle = new Set(Array.from({ length: lanes }, (_, lane) => lane))
  }

  /** Results of all tasks, in their order. Rejects with the first failure, or with the signal's reason: then no more of them are begun. */
  run(tasks: Task[], signal?: AbortSignal): Promise<Result[]> {
    if (tasks.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      const calledOff = (): void => job.end(signal!.reason)
      const job: Job<Task, Result> = {
        tasks,
        segments: cut(tasks.length, Math.ceil(this.lanes / 2)),
        results: new Array<Result>(tasks.length),
        left: tasks.length,
        signal,
        end: (error) => {
          signal?.removeEventListener('abort', calledOff)
          this.remove(job)
          if (error === undefined) resolve(job.results)
          else reject(error as Error)
        },
      }
      signal?.addEventListener('abort', calledOff, { once: true })
      this.jobs.push(job)
      for (const lane of [...this.idle]) this.next(lane)
    })
  }

  private next(lane: number): void {
    const [job] = this.jobs
    if (!job) {
      this.idle.add(lane)
      return
    }
    this.idle.delete(lane)
    const at = take(job.segments, lane)
    if (job.segments.every(({ from, to }) => from === to)) this.remove(job)
    void this.start(job.tasks[at], job.signal)
      .then(
        (result) => {
          job.results[at] = result
          if (--job.left === 0) job.end()
        },
        (error: unknown) => job.end(error),
      )
      .then(() => this.next(lane))
  }

  private remove(job: Job<Task, Result>): void {
    const at = this.jobs.indexOf(job)
    if (at >= 0) this.jobs.splice(at, 1)
  }
}

/** Cuts count tasks into equal segments. */
const cut = (count: number, segments: number): Segment[] =>
  Array.from({ length: segments }, (_, s) => ({
    from: Math.floor((count * s) / segments),
    to: Math.floor((count * (s + 1)) / segments),
  }))

/** The next task of a lane: of its own segment, or of the longest left. */
function take(segments: Segment[], lane: number): number {
  const own = segments[lane >> 1]
  const longest = segments.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a))
  const segment = own.from < own.to ? own : longest
  return lane & 1 ? --segment.to : segment.from++
}
