/** The function that runs the tasks of a pool, from what its threads are given; one a thread. */
export type Tasks<Data, Task, Result> = (data: Data) => (task: Task) => Result | Promise<Result>

/** A thread's `workerData`: what its tasks are, and what it is given. */
export interface ThreadData {
  what: string
  data?: unknown
}

/** The module of all threads, in the uppermost room since it loads the tasks of every room: its place, no import. */
export const THREAD: URL = new URL('../src/thread.js', import.meta.url)
