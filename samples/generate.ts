import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBinaryStl } from '../formats/index.js'
import { facetCount } from '../scene/index.js'
import { models } from './models/index.js'

/** Writes samples/<name>.stl for the models named on the command line, or for all of them. */
function main(names: string[]): number {
  const folder = 'samples'
  if (!existsSync(join(folder, 'models'))) {
    console.error(`no folder ${folder}/ with the model sources here: run this from the repository's root`)
    return 1
  }
  const unknown = names.find((name) => !(name in models))
  if (unknown !== undefined) {
    console.error(`no model "${unknown}": choose among ${Object.keys(models).join(', ')}`)
    return 1
  }
  for (const name of names.length > 0 ? names : Object.keys(models)) {
    const mesh = models[name].make()
    const path = join(folder, `${name}.stl`)
    writeFileSync(path, writeBinaryStl(mesh, name))
    console.log(`${path}: ${facetCount(mesh)} facets`)
  }
  return 0
}

process.exitCode = main(process.argv.slice(2))
