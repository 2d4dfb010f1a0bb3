// Prints rms errors of SBR against the method-of-moments cuts in test/validation/mom, on the double-precision engine.
//   npm run build && node dist/reproduction/mom-table.js [name-part]
import { readdirSync, readFileSync } from 'node:fs'
import { momCuts, momErrors, type MomCut } from './mom-cases.js'

const folder = 'test/validation/mom'
const wanted = process.argv[2] ?? ''
console.log('case                                rows   SBR VV/HH dB rms     complex VV/HH     seconds')
for (const file of readdirSync(folder).filter((f) => f.endsWith('.csv') && f.includes(wanted))) {
  const cut: MomCut = momCuts(file, readFileSync(`${folder}/${file}`, 'utf8'))
  const start = performance.now()
  const e = await momErrors(folder, cut)
  const f = (x: number, d = 2): string => x.toFixed(d).padStart(6)
  console.log(
    file.slice(0, -4).padEnd(34),
    String(cut.theta.length).padStart(5),
    f(e.vvDb),
    f(e.hhDb),
    '     ',
    f(e.vvComplex, 3),
    f(e.hhComplex, 3),
    f((performance.now() - start) / 1000, 1).padStart(12),
  )
}
