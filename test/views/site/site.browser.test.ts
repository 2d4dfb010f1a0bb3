import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NpyArray, readNpz, vector, writeNpz } from '../../../formats/index.js'
import { isar } from '../../cli/cli.js'
import { hasBrowser, launchBrowser, WEBGPU } from '../../helpers/browser.js'
import { random } from '../../helpers/random.js'
import { pythonWith, runPython } from '../../helpers/python.js'
import { scratchFolder } from '../../helpers/scratch.js'
import { swiftshaderEnv, unpackSwiftshader } from '../../helpers/swiftshader.js'
import { openSource } from '../../../views/server/source.js'
import { pageFolder, serveView } from '../../../views/server/http.js'
import { words } from '../../helpers/words.js'
import { done, drawn, openPage, SCREEN, violations } from '../viewer/page.js'

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' } // prettier-ignore
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/**
 * Sine and cosine differ in their last bit between the V8 of Node 20 and that of today's Chromium, tangents do not. With these in both, page
 * and Node are to give the same bits.
 */
const SAME_MATH = `
Math.sin = (x) => { const t = Math.tan(x / 2); return (2 * t) / (1 + t * t) }
Math.cos = (x) => { const t = Math.tan(x / 2); return (1 - t * t) / (1 + t * t) }
`

/** A machine of so little memory that one copy of a mesh fills it. */
const SMALL = "Object.defineProperty(navigator, 'deviceMemory', { get: () => 5e-4, configurable: true });\nObject.defineProperty(navigator, 'hardwareConcurrency', { get: () => 3, configurable: true });\n" // prettier-ignore

/** A hardware GPU that gives no device. */
const BROKEN = "Object.defineProperty(navigator, 'gpu', { get: () => ({ requestAdapter: async () => ({ info: { vendor: 'acme', architecture: '', device: '', description: '' }, limits: { maxStorageBuffersPerShaderStage: 8 }, features: new Set(), requestDevice: async () => { throw new Error('it is broken') } }) }), configurable: true });\n" // prettier-ignore

/** Has the tab Live show a cut from the start, whose one direction takes a tenth of the image's time. */
const LIVE_CUT = "addEventListener('DOMContentLoaded', () => { const show = document.getElementById('live-show'); show.value = 'cut'; show.dispatchEvent(new Event('input')) })" // prettier-ignore

/** The form as the page begins. */
const RESET = `
document.getElementById('run').reset()
document.getElementById('what').dispatchEvent(new Event('input', { bubbles: true }))
for (const fold of document.querySelectorAll('#folds details')) fold.open = false
`

/** A server of static files under a sub-path. @param before  put before every script */
async function serve(
  folder: string,
  headers: Record<string, string>,
  before: string,
): Promise<{ server: Server; url: string }> {
  const server = createServer(({ url = '' }, response) => {
    const path = url.replace(/^\/radar\/page\//, '').replace(/\?.*/, '') || 'index.html'
    const file = join(folder, path)
    const found = url.startsWith('/radar/page/') && statSync(file, { throwIfNoEntry: false })?.isFile()
    response.writeHead(found ? 200 : 404, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', ...headers }) // prettier-ignore
    const script = found && extname(file) === '.js' ? before : ''
    response.end(found ? Buffer.concat([Buffer.from(script), readFileSync(file)]) : '')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/radar/page/` }
}

/** Drops a file on the page. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(
    `{
      const bytes = Uint8Array.from(atob(${JSON.stringify(bytes.toString('base64'))}), (c) => c.charCodeAt(0))
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([bytes], ${JSON.stringify(name)}))
      document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }`,
  )
}

/** Drops a mesh, and waits until it is open: what was opened before may have as many facets. */
async function dropMesh(page: Page, name: string, bytes: Buffer, facets: number): Promise<void> {
  await page.evaluate(`
    window.meshOpen = false
    let opening = false
    new MutationObserver((_, observer) => {
      const { state } = document.body.dataset
      opening ||= state === 'opening'
      if (!opening || state !== 'ready') return
      observer.disconnect()
      window.meshOpen = true
    }).observe(document.body, { attributes: true, attributeFilter: ['data-state'] })`)
  await drop(page, name, bytes)
  await page.waitForFunction('window.meshOpen')
  expect(await page.locator('#status').innerText()).toBe(`${facets} facets`)
}

interface Dropped {
  name: string
  path: string
  facets: number
}

const PLATE = { name: 'plate.stl', path: resolve('test/validation/mom/plate_2x1lam.stl'), facets: 2 }
const DRONE = { name: 'drone.stl', path: resolve('samples/drone.stl'), facets: 2624 }
const MESH = resolve('samples/trihedral-square.stl')
const NAME = 'trihedral-square'
const TRIHEDRAL = { name: `${NAME}.stl`, path: MESH, facets: 6 }
/** Small runs, and the same as command lines. */
const CUT = { frequency: 1.5, theta: 60, 'phi-from': 0, 'phi-to': 60, 'phi-step': 30 }
const CUT_ARGS = words`rcs ${MESH} --freq 1.5e9 --theta 60 --phi 0:60:30`
const IMAGE = { frequency: 1, theta: 60, phi: 45, resolution: 1.6 }
const IMAGE_ARGS = words`render ${MESH} --freq 1e9 --resolution 1.6 --theta 60 --phi 45`
const SOLVER = words`--rays-per-wavelength 6 --second-order none --workers 2`

/** Shows the fields that few need. */
const unfold = (page: Page): Promise<void> =>
  page.evaluate("for (const d of document.querySelectorAll('#folds details')) d.open = true")

/** The heights of the curve's points, 0 to 1: the figure has the size that the page leaves it. */
async function curve(page: Page): Promise<number[]> {
  const points = await page.locator('#plot polyline').getAttribute('points')
  const heights = points!.split(' ').map((point) => Number(point.split(',')[1]))
  const [low, high] = [Math.min(...heights), Math.max(...heights)]
  return heights.map((y) => (high - y) / (high - low))
}

/** What the run of the form as it stands would take. */
async function planned(page: Page): Promise<string> {
  await page.locator('#plan[data-plan=ready]').waitFor()
  return page.locator('#plan').innerText()
}

async function compute(
  page: Page,
  device: string,
  what: string,
  fields: Record<string, number>,
): Promise<void> {
  await unfold(page)
  await page.locator('#device').selectOption(device)
  await page.locator('#what').selectOption(what)
  for (const [id, value] of Object.entries(fields)) await page.locator(`#${id}`).fill(String(value))
  if (await page.locator('#rays-per-wavelength').isVisible())
    await page.locator('#rays-per-wavelength').fill('6')
  await page.locator('#go').click()
  await page.locator('body[data-state=done]').waitFor()
  expect(await page.locator('#failure').isHidden(), await page.locator('#failure').innerText()).toBe(true)
}

async function saved(page: Page, id: string, name: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator(`#${id}`).click()])
  expect(file.suggestedFilename()).toBe(name)
  return file.path()
}

/** Sets the direction of the tab Live, and waits for its result or its failure. */
async function look(page: Page, theta: number, phi: number): Promise<void> {
  await page.locator('#live-theta').fill(String(theta))
  await page.locator('#live-phi').fill(String(phi))
  await page.locator('#live-phi').press('Enter')
  await page.locator(`#live[data-at$=" ${theta} ${phi}"], #live-problem:visible`).first().waitFor()
}

/** A reflection of a half at every angle and frequency, as the table of a material. */
const HALF = [
  'frequency_hz,theta_deg,r_s_real,r_s_imag,r_p_real,r_p_imag',
  ...[1e9, 2e9].flatMap((f) => [0, 85].map((theta) => `${f},${theta},-0.5,0,0.5,0`)),
].join('\n')
const SALISBURY = { coating: [{ resistance_ohm: 377 }, { eps_real: 1, thickness_m: 0.05 }] }

/** The largest difference of any array to that of the same name, as a part of the largest number. */
function apart(ours: Record<string, NpyArray>, theirs: Record<string, NpyArray>): number {
  expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort())
  let worst = 0
  for (const [name, { data, shape }] of Object.entries(ours)) {
    const other = theirs[name]
    expect([name, shape]).toEqual([name, other.shape])
    const largest = (other.data as Float64Array).reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    data.forEach(
      (x, i) => (worst = Math.max(worst, x === other.data[i] ? 0 : Math.abs(x - other.data[i]) / largest)),
    )
  }
  return worst
}

const read = (file: string): Record<string, NpyArray> => readNpz(readFileSync(file))

describe.skipIf(!hasBrowser)('the page of isar site', () => {
  const folder = scratchFolder()
  const site = join(folder, 'site')
  const servers: Server[] = []
  const urls: Record<string, string> = {}
  const browsers: Browser[] = []
  const troubles: string[] = []

  /** Pages that tests share, by browser and address. */
  const pages = new Map<string, Page>()

  /** A page of its own. @param ready  see `openPage` */
  const openOwn = (browser: number, url: string, ready = 'body[data-state=ready]'): Promise<Page> =>
    openPage(browsers[browser], url, ready, troubles, LIVE_CUT)

  /**
   * The page of an address with a mesh, and the form as it begins. Tests share it: a page, its threads and its kernels take seconds to
   * start. A browser's number is 1 where it has WebGPU.
   */
  const open = async (browser: number, where: string, mesh: Dropped = TRIHEDRAL): Promise<Page> => {
    const key = `${browser} ${where}`
    const shared = pages.get(key)
    // A mesh may be dropped before the first sample is open.
    const page = shared ?? (await openOwn(browser, urls[where], '#go:enabled'))
    pages.set(key, page)
    if (shared) await page.evaluate(RESET)
    await dropMesh(page, mesh.name, readFileSync(mesh.path), mesh.facets)
    return page
  }
  const close = async (browser: number, where: string): Promise<void> => {
    const key = `${browser} ${where}`
    await pages.get(key)!.close()
    pages.delete(key)
  }

  /** What Node computes of the same, on SwiftShader or the CPU, once for all pages. */
  const node = async (device: string, args: string[], out: string): Promise<string> => {
    const path = join(folder, `${device}-${out}`)
    if (existsSync(path)) return path
    const module = join(folder, 'same-math.mjs')
    writeFileSync(module, SAME_MATH)
    const gpu = device === 'gpu' && swiftshaderEnv(unpackSwiftshader()!)
    const env = { ...gpu, NODE_OPTIONS: `${gpu ? gpu.NODE_OPTIONS : ''} --import ${module}` }
    const run = await isar([...args, ...SOLVER, '--device', device, '--out', path], { env })
    expect(run.code, run.stderr).toBe(0)
    return path
  }

  beforeAll(async () => {
    const run = await isar`site --out ${site} --json`
    expect(run.code, run.stderr).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ command: 'site', out: site })
    for (const [name, headers, before] of [
      ['as it is', {}, ''],
      ['plain', {}, SAME_MATH],
      ['isolated', ISOLATED, SAME_MATH],
      ['small', {}, SMALL],
      ['broken GPU', {}, BROKEN],
      ['small, isolated', ISOLATED, SMALL],
    ] as const) {
      const served = await serve(site, headers, before)
      servers.push(served.server)
      urls[name] = served.url
    }
    // Browsers of its own: pages of other tests would share their processes.
    browsers.push(await launchBrowser(), await launchBrowser(WEBGPU))
  })
  afterAll(async () => {
    for (const browser of browsers) await browser.close()
    for (const server of servers) server.close()
  })

  for (const [where, device] of [
    ['plain', 'cpu'],
    ['isolated', 'cpu'],
    ['isolated', 'gpu'],
  ] as const)
    it(`computes on the ${device} what Node does, in a page ${where}`, async () => {
      const page = await open(device === 'gpu' ? 1 : 0, where)
      expect(await page.evaluate('crossOriginIsolated')).toBe(where === 'isolated')
      // A page that is not isolated computes the cut on the GPU.
      if (device === 'cpu') {
        await compute(page, device, 'rcs', CUT)
        expect(await page.locator('#plot polyline').count()).toBe(1)
        const table = await saved(page, 'save-npz', `${NAME}-rcs.npz`)
        expect(apart(read(table), read(await node(device, CUT_ARGS, 'cut.npz')))).toBe(0)
        const csv = await saved(page, 'save-csv', `${NAME}-rcs.csv`)
        expect(readFileSync(csv, 'utf8').trim().split('\n')).toHaveLength(4)
        const python = pythonWith('numpy')
        if (python) {
          const script =
            'import json, sys, numpy; print(json.dumps({k: list(v.shape) for k, v in numpy.load(sys.argv[1]).items()}))'
          const shapes = runPython<Record<string, number[]>>(python, script, [table])
          expect(shapes).toMatchObject({ freq_hz: [1], phi_deg: [3], f_vv: [1, 3], f_hv: [1, 3] })
        }
      }
      await compute(page, device, 'image', IMAGE)
      expect(await page.locator('#tab-image').getAttribute('aria-selected')).toBe('true')
      await page.locator('body[data-rays=ready]').waitFor()
      await page.locator('#plot').focus()
      await page.keyboard.press('n')
      // The trihedral's own three bounces.
      expect(await page.locator('#hot-spot').innerText()).toMatch(/surface \d → \d → \d\s+3\s/)
      const rendered = await node(device, IMAGE_ARGS, 'image')
      const history = apart(read(await saved(page, 'save-npz', `${NAME}-phase-history.npz`)), read(join(rendered, 'phase-history.npz'))) // prettier-ignore
      const { theta_deg, phi_deg, ...own } = read(await saved(page, 'save-image', `${NAME}-image.npz`))
      expect([theta_deg.data[0], phi_deg.data[0]]).toEqual([60, expect.closeTo(45, 9)])
      const image = apart(own, read(join(rendered, 'image.npz')))
      expect(Math.max(history, image)).toBe(0)
    })

  it('computes materials, their file and a ground as Node does', async () => {
    const page = await open(0, 'plain')
    await unfold(page)
    const library = join(folder, 'paint.json')
    const table = join(folder, 'half.csv')
    writeFileSync(table, HALF)
    writeFileSync(
      library,
      JSON.stringify({
        materials: {
          half: { table: 'half.csv', p_convention: 'H', time_factor: 'exp(+jwt)' },
          salisbury: SALISBURY,
        },
      }),
    )
    await page.locator('#materials-file').setInputFiles([library, table])
    await page.locator('#groups option[value=half]').waitFor({ state: 'attached' })
    for (const [made, args] of [
      ['half', ['--materials', library, '--material', 'half']],
      ['glass:4mm', ['--material', 'glass:4mm', '--ground', 'sea-water', '--ground-height', '-0.3']],
    ] as const) {
      const grounded = args.length > 2 && args[2] === '--ground'
      if (grounded) {
        await page.locator('#materials-file').setInputFiles([])
        // The list has what the file had until another is chosen, which the solver cannot open.
        await page.locator('#failure', { hasText: 'there is no material "half"' }).waitFor()
        await page.locator('#ground').selectOption('sea-water')
        await page.locator('#ground-height').fill('-0.3')
      }
      const [name, thickness] = made.split(':')
      await page.getByLabel('All facets').selectOption(name)
      if (thickness) {
        await page.getByLabel('Thickness in mm').fill(thickness.replace('mm', ''))
        await page.getByLabel('Thickness in mm').press('Tab')
      } else expect(await page.getByLabel('Thickness in mm').isVisible()).toBe(false)
      // A change shows at once that the target is opened again.
      await page.locator('body[data-state=ready]').waitFor()
      // What was typed stays.
      if (grounded) expect(await page.locator('#frequency').inputValue()).toBe('1.5')
      await compute(page, 'cpu', 'rcs', { ...CUT, 'phi-to': 30 })
      const cut = await saved(page, 'save-npz', `${NAME}-rcs.npz`)
      const ours = await node('cpu', [...CUT_ARGS, '--phi', '0,30', ...args], `${made.replace(':', '-')}.npz`)
      expect(apart(read(cut), read(ours))).toBe(0)
      expect(await page.locator('#facts').innerHTML()).toContain(made)
    }
    await close(0, 'plain')
  })

  it('computes after a message once what it says is put right: Compute is never disabled', async () => {
    const failure = 'material no-such: there is no material "no-such"'
    const link = `${urls['as it is']}#sample=cube&phi-to=10&phi-step=5&material=no-such`
    const page = await openOwn(0, link, 'body[data-state=empty]')
    await page.locator('#failure', { hasText: failure }).waitFor()
    expect(await page.locator('#go').isEnabled()).toBe(true)
    await page.locator('#go').click()
    // Hidden while it is tried again.
    await page.locator('body[data-state=empty]').waitFor()
    await page.locator('#failure', { hasText: failure }).waitFor()
    await unfold(page)
    await page.getByLabel('All facets').selectOption('concrete')
    await page.locator('#go').click()
    await page.locator('body[data-state=done]').waitFor()
    expect(await page.locator('#status').innerText()).toMatch(/^3 aspects/)
    expect(await page.locator('#failure').isHidden()).toBe(true)
    // A field of what is folded is shown where it is wrong.
    await page.locator('#rays-per-wavelength').fill('')
    await page.evaluate("document.querySelector('#expert').open = false")
    await page.locator('#go').click()
    await page.locator('#rays-per-wavelength:focus').waitFor()
    await page.close()
  })

  it('tells size, lobes, work and time before a run, whose first cut shows the lobes', async () => {
    const page = await open(0, 'as it is')
    const names = await page.locator('#sample option:not(.own)').allInnerTexts()
    expect(names).toEqual(['cube', 'drone', 'vehicle', 'aircraft'])
    for (const name of names) {
      await page.locator('#sample').selectOption(name)
      await page.locator('body[data-state=ready]').waitFor()
      expect(await planned(page)).toMatch(/^lobes [\d.]+° in φ .* · 401 aspects · [\d,]+ rays an aspect · about \d+ s on the CPU$/) // prettier-ignore
      expect(await page.locator('#plan strong').count()).toBe(0)
    }
    await page.locator('#sample').selectOption('cube')
    await page.locator('body[data-state=ready]').waitFor()
    await page.locator('#frequency').fill('3')
    expect(await page.locator('#size').innerText()).toBe('1 × 1 × 1 m, 17.3 wavelengths across')
    await page.locator('#phi-step').fill('5')
    // λ/2D of the diagonal, √2 m.
    expect(await planned(page)).toMatch(
      /\na step of 5° in φ hides lobes, which are 2° wide: 0.67° shows them$/,
    )
    await page.locator('#phi-step').fill('0')
    expect(await planned(page)).toBe('φ from 0 to 360 in steps of 0 gives no 1 to 100000 directions')
    await page.locator('#what').selectOption('image')
    expect(await planned(page)).toMatch(/MHz in frequency .* aspects, \d+ frequencies · /)
    await page.locator('#what').selectOption('rcs')
    await page.locator('#phi-step').fill('1')
    await page.locator('#frequency').fill('0.1')
    expect(await planned(page)).toMatch(/small for rays: full wave solves it without approximation, in about \d+ s/) // prettier-ignore
    await page.locator('#method').selectOption('mom')
    expect(await planned(page)).toMatch(
      / · 361 aspects · about \d+ unknowns, [\d.]+ MB · about \d+ s on the CPU$/,
    )
    await page.locator('#frequency').fill('30')
    expect(await planned(page)).toMatch(/^full wave has about \d+ unknowns here and needs/)
    expect(await page.locator('#go').isEnabled()).toBe(true)
  })

  it('makes a link of a run of a sample, which computes the same where it is opened', async () => {
    const page = await open(0, 'as it is')
    await compute(page, 'cpu', 'rcs', CUT)
    // There is none to a mesh of one's own.
    expect(new URL(page.url()).hash).toBe('')
    await page.locator('#sample').selectOption('cube')
    await page.locator('body[data-state=ready]').waitFor()
    await page.getByLabel('All facets').selectOption('concrete')
    await page.getByLabel('Thickness in mm').fill('50')
    await page.locator('#edges').selectOption('none')
    await compute(page, 'cpu', 'rcs', CUT)
    const table = await saved(page, 'save-npz', 'cube-rcs.npz')
    const other = await openOwn(0, page.url(), 'body[data-state=done]')
    expect(await other.locator('#facts').innerHTML()).toContain('concrete:50mm')
    expect(apart(read(await saved(other, 'save-npz', 'cube-rcs.npz')), read(table))).toBe(0)
    await other.close()
  })

  it('opens again what it has saved, and isar view does', async () => {
    const page = await open(0, 'as it is')
    await compute(page, 'cpu', 'rcs', CUT)
    const drawn = await curve(page)
    expect(drawn).toHaveLength(3)
    const files = [await saved(page, 'save-npz', `${NAME}-rcs.npz`), await saved(page, 'save-csv', `${NAME}-rcs.csv`)] // prettier-ignore
    await compute(page, 'cpu', 'image', IMAGE)
    const image = await saved(page, 'save-image', `${NAME}-image.npz`)
    for (const [i, file] of files.entries()) {
      await drop(page, `again.${i === 0 ? 'npz' : 'csv'}`, readFileSync(file))
      await page.locator('#facts', { hasText: `again.${i === 0 ? 'npz' : 'csv'}` }).waitFor({ state: 'attached' }) // prettier-ignore
      expect(await page.locator('#target-panel').isVisible()).toBe(false)
      expect(await curve(page)).toHaveLength(3)
    }
    await drop(page, 'image.npz', readFileSync(image))
    await page.locator('#facts', { hasText: 'image.npz' }).waitFor({ state: 'attached' })
    expect(await page.locator('#tab-image').getAttribute('aria-selected')).toBe('true')
    await page.locator('#plot', { hasText: /θ = 60[.0]*°, φ = 45[.0]*°/ }).waitFor()
    // With its mesh, and then computed anew.
    await page.locator('#file').setInputFiles([{ name: 'cut.npz', mimeType: '', buffer: readFileSync(files[0]) }, { name: `${NAME}.stl`, mimeType: '', buffer: readFileSync(MESH) }]) // prettier-ignore
    await page.locator('#facts', { hasText: 'cut.npz' }).waitFor({ state: 'attached' })
    expect(await page.locator('#target-panel').isVisible()).toBe(true)
    const again = await curve(page)
    await compute(page, 'cpu', 'rcs', CUT)
    const anew = await curve(page)
    for (const other of [again, anew]) drawn.forEach((y, i) => expect(other[i]).toBeCloseTo(y, 2))
    await drop(page, 'other.csv', Buffer.from('a,b\n1,2\n'))
    await page.locator('#failure', { hasText: 'other.csv is no RCS table' }).waitFor()
    const table = join(folder, 'page-rcs.npz')
    writeFileSync(table, readFileSync(files[0]))
    const server = await serveView(pageFolder(), await openSource([table]), 0)
    const view = await openPage(browsers[0], server.url, '#plot polyline', troubles)
    expect(await view.locator('#plot polyline').count()).toBe(1)
    await view.close()
    await server.close()
  })

  it('shows a result beside the mesh that is given with it or none, once what is being opened is open', async () => {
    const page = await open(0, 'as it is')
    const csv = 'freq_hz,theta_deg,phi_deg,f_vv_re,f_vv_im\n1e9,60,0,1,0\n1e9,60,10,0.5,0\n'
    const arrays = { freq_hz: vector(Float64Array.of(1e9)), theta_deg: vector(Float64Array.of(60)), phi_deg: vector(Float64Array.of(0)) } // prettier-ignore
    const npz = writeNpz({ ...arrays, f_vv: { data: Float64Array.of(1, 0), shape: [1, 1], dtype: '<c16' } })
    const give = async (...files: [string, Uint8Array | string][]): Promise<void> => {
      const given = files.map(([name, bytes]) => ({ name, mimeType: '', buffer: Buffer.from(bytes) }))
      await page.locator('#file').setInputFiles(given)
      await page.locator('#facts', { hasText: files[0][0] }).waitFor({ state: 'attached' })
    }
    await give(['cut.csv', csv], ['bad.stl', 'no mesh'])
    expect(await page.locator('#failure').innerText()).toContain('bad.stl')
    expect(await page.locator('#target-panel').isVisible()).toBe(false)
    // Of files beside materials only tables belong to them.
    const library = JSON.stringify({ materials: { screen: SALISBURY } })
    await give(['cut.npz', npz], ['own.stl', readFileSync(MESH)], ['materials.json', library])
    expect(await page.locator('#target-panel').isVisible()).toBe(true)
    await page.evaluate(
      "window.states = []; new MutationObserver(() => states.push(document.body.dataset.state)).observe(document.body, { attributes: true, attributeFilter: ['data-state'] }); document.getElementById('units').value = 'mm'; document.getElementById('units').dispatchEvent(new Event('input', { bubbles: true }))",
    )
    await drop(page, 'late.csv', Buffer.from(csv))
    await page.waitForFunction("states.includes('ready') && states.includes('opened')")
    expect(await page.evaluate('states.at(-1)')).toBe('opened')
    // Without the materials from here on.
    await page.locator('#materials-file').dispatchEvent('change')
    await page.locator('body[data-state=ready]').waitFor()
  })

  it('names no GPU any more that has failed', async () => {
    const page = await open(0, 'broken GPU')
    await unfold(page)
    await page.locator('#edges').selectOption('none')
    await page.locator('#frequency').fill('5')
    await page.locator('#device').selectOption('gpu')
    expect(await planned(page)).toMatch(/ on the GPU: acme$/)
    await page.locator('#device').selectOption('auto')
    await page.locator('#go').click()
    await page.locator('#plan', { hasText: / on the CPU$/ }).waitFor()
    await close(0, 'broken GPU')
  })

  it('runs no link whose values the form refuses', async () => {
    const page = await openOwn(0, `${urls['as it is']}#sample=cube&frequency=-5`)
    expect(await page.evaluate('document.activeElement.id')).toBe('frequency')
    expect(await page.locator('#failure').isHidden()).toBe(true)
    await page.close()
  })

  it('computes a mesh of which memory has room for few copies on one thread, where threads share none', async () => {
    for (const [where, threads] of [
      ['small', '1 web worker'],
      ['small, isolated', '3 web workers'],
    ] as const) {
      const page = await open(0, where, DRONE)
      await compute(page, 'cpu', 'rcs', { ...CUT, 'phi-to': 0 })
      expect(await page.locator('#status').innerText()).toMatch(new RegExp(`${threads}$`))
      expect((await page.locator('#facts').innerHTML()).includes('one thread')).toBe(where === 'small')
      await close(0, where)
    }
  })

  it('has controls for fingers on a phone, and Compute above the fields that few need', async () => {
    const page = await open(0, 'as it is')
    await page.setViewportSize({ width: 390, height: 800 })
    await unfold(page)
    await page.getByLabel('All facets').selectOption('glass')
    const small = await page.evaluate<string[]>(`
      [...document.querySelectorAll('button, select, input, summary')]
        .filter((e) => e.checkVisibility() && e.type !== 'checkbox')
        .filter((e) => e.getBoundingClientRect().height < 44 || parseFloat(getComputedStyle(e).fontSize) < 16)
        .map((e) => e.outerHTML)`)
    expect(small).toEqual([])
    const top = (id: string): Promise<number> => page.locator(id).evaluate((e) => (e as unknown as { getBoundingClientRect(): { top: number } }).getBoundingClientRect().top) // prettier-ignore
    expect(await top('#go')).toBeLessThan(await top('#expert'))
    expect(await violations(page)).toEqual([])
    await page.setViewportSize(SCREEN)
  })

  for (const [where, device] of [
    // Without shared memory on the solver's own thread, with it on several.
    ['as it is', 'cpu'],
    ['isolated', 'cpu'],
    ['isolated', 'gpu'],
  ] as const)
    it(`solves a small plate by full wave on the ${device} as Node does, in a page ${where}`, async () => {
      const page = await open(device === 'gpu' ? 1 : 0, where, PLATE)
      await page.locator('#method').selectOption('mom')
      expect(await page.locator('#bounces').isVisible()).toBe(false)
      await compute(page, device, 'rcs', { ...CUT, frequency: 0.8 })
      const facts = await page.locator('#facts').innerHTML()
      expect(facts).toMatch(/Unknowns<\/dt><dd>\d{3}</)
      expect(facts).toContain(
        device === 'gpu'
          ? 'swiftshader'
          : where === 'isolated'
            ? /* prettier-ignore */ 'web worker'
            : 'no web workers',
      )
      const ours = read(await saved(page, 'save-npz', 'plate-rcs.npz'))
      const out = join(folder, 'plate.npz')
      if (!existsSync(out))
        await done`rcs ${PLATE.path} --freq 0.8e9 --theta 60 --phi 0:60:30 --method mom --device cpu --workers 2 --out ${out}`
      expect(apart(ours, read(out))).toBeLessThan(device === 'gpu' ? 1e-3 : 1e-9)
      if (where === 'isolated') await close(device === 'gpu' ? 1 : 0, where)
    })

  it('names no GPU that does not compute: a software one is slower than the CPU itself', async () => {
    const page = await open(1, 'plain')
    expect(await planned(page)).toMatch(/ s on the CPU$/)
    expect(await page.locator('#status').innerText()).toBe('6 facets')
    await unfold(page)
    await page.locator('#device').selectOption('gpu')
    expect(await planned(page)).toMatch(/ s on the GPU: google swiftshader$/)
  })

  it('computes on the gpu what Node does, in a page that is not isolated', async () => {
    const page = await open(1, 'plain')
    expect(await page.evaluate('[crossOriginIsolated, "gpu" in navigator]')).toEqual([false, true])
    await compute(page, 'gpu', 'rcs', CUT)
    expect(await page.locator('#status').innerText()).toContain('swiftshader')
    const table = await saved(page, 'save-npz', `${NAME}-rcs.npz`)
    expect(apart(read(table), read(await node('gpu', CUT_ARGS, 'cut.npz')))).toBe(0)
  })

  it('computes live on the GPU that is chosen, says that it is lost, and goes on with another', async () => {
    // With the device and the kernels of the cut.
    const page = pages.get('1 plain')!
    await page.getByRole('tab', { name: 'Live' }).click()
    await page.locator('#live-show').selectOption('polar')
    await look(page, 60, 45)
    expect(await page.locator('#live-status').innerText()).toMatch(/swiftshader.* · 6 rays\/λ · /)
    const text = await page.locator('#live-rcs').innerText()
    const heard = troubles.length
    await (await browsers[1].newBrowserCDPSession()).send('Browser.crashGpuProcess')
    // A direction may be finished before the process has ended.
    for (let phi = 50; await page.locator('#live-problem').isHidden(); phi++) await look(page, 60, phi)
    expect(await page.locator('#live-problem').innerText()).toMatch(
      /^Live RCS is off: .*the GPU device was lost/,
    )
    await page.locator('#live-retry').click()
    await look(page, 60, 45)
    expect(await page.locator('#live-rcs').innerText()).toBe(text)
    await close(1, 'plain')
    expect(troubles.splice(heard).filter((t) => !t.includes('CONTEXT_LOST_WEBGL'))).toEqual([])
  })

  it('refuses by full wave in one line what it cannot solve', async () => {
    const page = await open(0, 'as it is')
    await page.locator('#method').selectOption('mom')
    await page.locator('#frequency').fill('30')
    await page.locator('#go').click()
    const failure = page.locator('#failure')
    await failure
      .filter({ hasText: /^full wave has about \d+ unknowns here and needs .* GiB, .*GHz would fit/ })
      .waitFor()
    await unfold(page)
    await page.getByLabel('All facets').selectOption('concrete')
    await page.locator('body[data-state=ready]').waitFor()
    await page.locator('#go').click()
    await failure.filter({ hasText: /^the target has facets of "concrete", but full wave/ }).waitFor()
  })

  it('has names for all controls and enough contrast, light and dark, and fits a phone', async () => {
    const page = await open(0, 'as it is')
    await compute(page, 'auto', 'rcs', CUT)
    expect(await page.locator('#status').innerText()).toContain('cpu, double precision')
    expect(await violations(page)).toEqual([])
    await page.locator('#theme').click()
    await page.locator('#polar').check()
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(await violations(page)).toEqual([])
    await page.setViewportSize(SCREEN)
    await page.locator('#polar').uncheck()
    await page.locator('#theme').click()
  })

  it('is computed by keys alone, and stops', async () => {
    const page = await open(0, 'as it is')
    await page.locator('#phi-step').fill('0.01')
    await page.locator('#phi-step').press('Enter')
    await page.locator('#status', { hasText: /^[1-9]\d* of 36001 aspects · .* left/ }).waitFor()
    await page.locator('#go').focus()
    await page.keyboard.press('Enter')
    await page.locator('#status', { hasText: /^stopped after [1-9]\d* of 36001 aspects$/ }).waitFor()
  })

  it('draws the first values of a run before it tells their number, on threads that stood ready, and the target once', async () => {
    const page = await open(0, 'as it is')
    // Live has computed in the view's direction: its threads serve the run.
    await page.locator('#live[data-at]:not([data-at=""])').waitFor()
    const threads = page.workers()
    const first = page.evaluate<string>(`new Promise((done) => {
      const status = document.querySelector('#status')
      const told = (_, observer) => {
        if (!/^\\d+ of /.test(status.textContent)) return
        observer.disconnect()
        done(document.body.dataset.shown + ' ' + document.querySelectorAll('#plot svg').length)
      }
      new MutationObserver(told).observe(status, { childList: true })
    })`)
    await page.locator('#phi-step').fill('0.01')
    await page.locator('#go').click()
    expect(await first).toBe('cut 1')
    await drawn(page)
    const scenes = (): Promise<string | null> => page.locator('#target-view').getAttribute('data-drawn')
    const before = await scenes()
    // The curve grows three times.
    await page.evaluate(`new Promise((done) => {
      let left = 3
      const grown = (_, observer) => { if (--left === 0) done(observer.disconnect()) }
      new MutationObserver(grown).observe(document.querySelector('#plot'), { childList: true })
    })`)
    expect(await scenes()).toBe(before)
    expect(page.workers().filter((worker) => !threads.includes(worker))).toEqual([])
    await page.locator('#go').click()
    await page.locator('body[data-state=done]').waitFor()
  })

  it('lets a run go before an image of Live, whose threads it ends', async () => {
    const page = await open(0, 'as it is')
    await page.locator('#live-show').selectOption('image')
    const uniform = random(3)
    const corner = (): string => `vertex ${[0, 1, 2].map(() => uniform().toFixed(3)).join(' ')}\n`
    const facets = Array.from({ length: 700 }, () => `facet normal 0 0 0\nouter loop\n${corner()}${corner()}${corner()}endloop\nendfacet\n`) // prettier-ignore
    // The image of the mesh before may still stand: values are suggested once this one is read.
    await dropMesh(page, 'loose.stl', Buffer.from(`solid loose\n${facets.join('')}endsolid\n`), 700)
    await page.locator('#live-note', { hasText: /^image/ }).waitFor()
    const before = page.workers()
    for (const [id, value] of Object.entries({ frequency: 0.3, 'phi-to': 10, 'phi-step': 10 }))
      await page.locator(`#${id}`).fill(String(value))
    await page.locator('#go').click()
    await page.locator('body[data-state=done]').waitFor()
    expect(await page.locator('#status').innerText()).toMatch(/^2 aspects/)
    expect(page.workers().filter((worker) => !before.includes(worker))).not.toEqual([])
    expect(await page.locator('#live').getAttribute('data-image')).toBe('')
    await page.evaluate("document.querySelector('#live-show').value = 'cut'")
  })

  it('reads the elements of an INP file and says what it leaves out', async () => {
    const page = await open(0, 'as it is')
    const nodes = '*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n'
    await drop(
      page,
      'plate.inp',
      Buffer.from(`${nodes}*ELEMENT,TYPE=S4\n1,1,2,3,4\n*ELEMENT,TYPE=B31\n2,1,2\n`),
    )
    await page.locator('#status', { hasText: /^2 facets/ }).waitFor()
    await page.locator('body', { hasText: 'not read from the file: elements of type B31 (1)' }).waitFor()
  })

  it('refuses what is no mesh, and a GPU that is not there', async () => {
    const page = await open(0, 'as it is')
    await drop(page, 'notes.txt', Buffer.from('no mesh'))
    await page
      .locator('#failure', {
        hasText:
          'notes.txt: not a known mesh file; give one of .stl, .obj, .ply, .glb, .gltf, .3mf, .msh, .nas, .bdf, .dat, .inp, .unv',
      })
      .waitFor()
    await page.locator('#sample').selectOption('cube')
    await page.locator('body[data-state=ready]').waitFor()
    await unfold(page)
    await page.locator('#device').selectOption('gpu')
    await page.locator('#go').click()
    await page
      .locator('#failure', { hasText: 'this browser gives no GPU to the page (WebGPU); choose the CPU' })
      .waitFor()
  })

  it('writes no error to the console and asks no other host', () => {
    expect(troubles).toEqual([])
  })
})
