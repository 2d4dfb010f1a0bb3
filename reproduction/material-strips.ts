// Prints errors of strips of materials against the method of moments, of physical optics and with edges, as Markdown; * where edges are worse.
//   npm run build && node dist/reproduction/material-strips.js [name-part …] [--data test/validation/materials] [--widths 3] [--every 1]
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { STRIPS, stripErrors } from './strip-cases.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', default: 'test/validation/materials' },
    widths: { type: 'string', default: '3' },
    every: { type: 'string', default: '1' },
  },
})
const folder = pathToFileURL(`${values.data}/`)
const short = (x: number, digits: number): string => x.toFixed(digits).replace(/^0\./, '.')

console.log('| strip | width, λ | E or H along | angles | complex | 30 dB | 40 dB |')
console.log('| --- | --- | --- | --- | --- | --- | --- |')
for (const name of Object.keys(STRIPS)) {
  if (positionals.length > 0 && !positionals.some((part) => name.includes(part))) continue
  for (const width of values.widths.split(',').map(Number))
    for (const cut of ['mono', 'bistatic'] as const) {
      if (!existsSync(new URL(`strip_${name}_w${width}lam_${cut}.csv`, folder))) continue
      for (const { pol, part, optics, edges } of await stripErrors(
        folder,
        name,
        width,
        cut,
        Number(values.every),
      )) {
        const cells = optics.map((x, i) => {
          const digits = i === 0 ? 4 : 2
          return `${short(x, digits)} → ${short(edges[i], digits)}${edges[i] > 1.005 * x ? '*' : ''}`
        })
        console.log(`| ${name} | ${width} | ${pol === 'TM' ? 'E' : 'H'} | ${part} | ${cells.join(' | ')} |`)
      }
    }
}
