// Draws the curves of error against time that docs/tables/ray-density.md has (printed by ray-density.js).
//   npm run build && node dist/reproduction/ray-density-figure.js PICTURE.png
import { readFileSync, writeFileSync } from 'node:fs'
import { type LineSeries, linePlot, svgToPng } from '../views/figures/node.js'

const [out] = process.argv.slice(2)
if (!out) throw new Error('give the picture to write')
const table = readFileSync(new URL('../../docs/tables/ray-density.md', import.meta.url), 'utf8')

/** Rows of numbers below each mesh's heading. */
const meshes: { name: string; rows: { label: string; seconds: number; error: number }[] }[] = []
for (const line of table.split('\n')) {
  const heading = /^([\w-]+), \d+ facets/.exec(line)
  if (heading) meshes.push({ name: heading[1], rows: [] })
  const row = /^(\d+\/\d+)\s+([\d.]+)\s+([\d.]+)\s+[\d.]+\s+([\d.]+)\s+[\d.]+$/.exec(line)
  if (row)
    meshes
      .at(-1)!
      .rows.push({ label: row[1], seconds: Number(row[2]) + Number(row[3]), error: Number(row[4]) })
}
const series: LineSeries[] = meshes.map(({ name, rows }) => ({
  name,
  x: rows.map(({ seconds }) => seconds / rows.at(-1)!.seconds),
  y: rows.map(({ error }) => error),
}))
const labels = meshes[0].rows.map(({ label }) => label)
const svg = linePlot({
  title: 'Error of the rays’ field against their time',
  subtitle: `rays per wavelength / subdivisions, from left to right: ${labels.join(', ')} (the default) · reference 20/3, 10 GHz, one H200`,
  xTitle: `kernel time / that of ${labels.at(-1)}`,
  yTitle: 'rms error [dB], floor −40 dB',
  series,
  yRange: [0, 1.5],
})
writeFileSync(out, await svgToPng(svg))
