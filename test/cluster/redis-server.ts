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
    await vi.waitUntil(() => this.answers(), 10_000)
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

  async stop(): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
