import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import { vi } from 'vitest'
import { leftOut } from '../helpers/left-out.js'

/** Whether this machine has Debian's redis-server; tests that need it are skipped, with a line, where it is absent. */
export function haveRedis(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    leftOut('no redis-server here (apt-get install redis-server)')
    return false
  }
}

/** A Redis server of its own on loopback that keeps nothing on disk: a restart loses all it had. */
export class TestRedis {
  private child: ChildProcess | null = null

  private constructor(
    readonly port: number,
    private readonly password: string,
  ) {}

  static async start(password = ''): Promise<TestRedis> {
    const server = new TestRedis(await freePort(), password)
    await server.start()
    return server
  }

  get url(): string {
    return `redis://${this.password && `:${this.password}@`}127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const secret = this.password ? ['--requirepass', this.password] : []
    const args = [
      '--port',
      String(this.port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      ...secret,
    ]
    this.child = spawn('redis-server', args, { stdio: 'ignore' })
    await vi.waitUntil(() => this.answers(), 60_000)
  }

  private async answers(): Promise<boolean> {
    const probe = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null })
    probe.on('error', () => {})
    const up = await probe.connect().then(
      () => true,
      () => false,
    )
    probe.disconnect()
    return up
  }

  /** Number of its process. */
  get pid(): number {
    return this.child!.pid!
  }

  /** Resolves when somebody has ended it. */
  async ended(): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    await new Promise((resolve) => child.once('exit', resolve))
  }

  async stop(): Promise<void> {
    this.child?.kill('SIGKILL')
    await this.ended()
  }
}

/** A port below those that the system gives to clients: none of them takes it while the server is not there. */
async function freePort(): Promise<number> {
  for (let port = 10_000 + (process.pid % 20_000); ; port++) if (await isFree(port)) return port
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
