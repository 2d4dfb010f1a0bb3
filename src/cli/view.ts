import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { InputError } from '../../scene/index.js'
import { openSource } from '../../views/server/source.js'
import { pageFolder, serveView } from '../../views/server/http.js'
import type { Console } from './console.js'
import { parseCount } from './quantity.js'

export function viewCommand(command: Command, out: Console): void {
  command
    .argument(
      '<path>',
      'result of isar render, rcs, doppler or propagate: a folder, or a table (.csv, .npz); or a folder of isar dataset',
    )
    .argument('[other]', 'a second result, to compare')
    .option('--mesh <file>', 'the target’s mesh, for results that do not contain it')
    .option('--port <n>', 'port on this machine (0: any that is free)', '0')
    .option('--no-open', 'print the address, start no browser')
    .option('--json', 'print the address as JSON on stdout')
    .option('--quiet', 'only errors on stderr')
    .action((path, other, raw) => runView(path, other, raw, out))
}

async function runView(
  path: string,
  other: string | undefined,
  raw: Record<string, string | boolean | undefined>,
  out: Console,
): Promise<void> {
  const port = parseCount(String(raw.port), '--port', 0, 65535)
  if (raw.mesh !== undefined && other !== undefined)
    throw new InputError('--mesh serves one result; open one at a time, or render both with this version')
  const source = await openSource(
    other === undefined ? [path] : [path, other],
    raw.mesh === undefined ? undefined : String(raw.mesh),
  )
  const server = await serveView(pageFolder(), source, port)
  out.say(`open      ${server.url} (Ctrl-C ends it)`)
  out.json({ command: 'view', url: server.url })
  if (raw.open !== false && out.isTerminal) openBrowser(server.url)
  await new Promise<void>((done) => {
    process.once('SIGINT', () => done())
    process.once('SIGTERM', () => done())
  })
  await server.close()
}

/** Opens the desktop's browser; without one the address is on the terminal. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'] // prettier-ignore
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
