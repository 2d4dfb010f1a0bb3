import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBinaryStl } from '../formats/index.js'
import { facetCount, type Mesh } from '../scene/index.js'
import { foundMesh, foundMeshes } from './models/found.js'
import { models } from './models/index.js'
import { propagationScenes } from './models/propagation-scenes.js'
import { writeObj } from './models/write-obj.js'

/** JSON text with lists of plain values, and lists of one such list, on one line: as prettier leaves it. */
const sceneText = (scene: unknown): string =>
  JSON.stringify(scene, null, 2)
    .replace(
      /\[\s+((?:[^[\]{}\s][^[\]{}\n]*,\s+)*[^[\]{}\s][^[\]{}\n]*)\s+\]/g,
      (_, values: string) => `[${values.replace(/,\s+/g, ', ')}]`,
    )
    .replace(/\[\s+(\[[^[\]]*\])\s+\]/g, '[$1]') + '\n'

/** Writes the stand-ins for meshes from the web, which are not kept, to a folder of the user's. */
function writeFound(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, options] of Object.entries(foundMeshes)) writeStl(folder, name, foundMesh(options))
}

/** Writes models with groups to a folder of the user's: an STL has none. */
function writeGrouped(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'aircraft-a.obj')
  const mesh = models['aircraft-a'].make()
  writeFileSync(path, writeObj(mesh))
  console.log(`${path}: ${facetCount(mesh)} facets in groups ${mesh.groupNames!.join(', ')}`)
}

function writeStl(folder: string, name: string, mesh: Mesh): void {
  const path = join(folder, `${name}.stl`)
  writeFileSync(path, writeBinaryStl(mesh, name))
  console.log(`${path}: ${facetCount(mesh)} facets`)
}

/**
 * Writes samples/<name>.stl for the models named on the command line and samples/<name>.json for the scenes of radio
 * propagation, or all of them; with `--found FOLDER` the stand-ins for meshes from the web alone, with `--groups FOLDER` aircraft-a with
 * its groups.
 */
function main(names: string[]): number {
  const write = new Map([
    ['--found', writeFound],
    ['--groups', writeGrouped],
  ]).get(names[0])
  if (write && names.length === 2) {
    write(names[1])
    return 0
  }
  const folder = 'samples'
  if (!existsSync(join(folder, 'models'))) {
    console.error(`no folder ${folder}/ with the model sources here: run this from the repository's root`)
    return 1
  }
  const known = [...Object.keys(models), ...Object.keys(propagationScenes)]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    console.error(`no model "${unknown}": choose among ${known.join(', ')}`)
    return 1
  }
  for (const name of names.length > 0 ? names : known)
    if (name in propagationScenes) {
      const path = join(folder, `${name}.json`)
      writeFileSync(path, sceneText(propagationScenes[name]))
      console.log(path)
    } else writeStl(folder, name, models[name].make())
  return 0
}

process.exitCode = main(process.argv.slice(2))
