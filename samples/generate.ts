import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeBinaryStl } from '../formats/index.js'
import { facetCount, type Mesh } from '../scene/index.js'
import { carPark, gotchaFile } from './models/gotcha.js'
import { foundMesh, foundMeshes } from './models/found.js'
import { bird, droneWithGroups } from './models/drone.js'
import { models } from './models/index.js'
import { vehicles } from './models/vehicles.js'
import { propagationScenes } from './models/propagation-scenes.js'
import { writeObj } from './models/surface.js'

/** JSON text with lists of plain values, and lists of one such list, on one line: as prettier leaves it. */
const sceneText = (scene: unknown): string =>
  JSON.stringify(scene, null, 2)
    .replace(
      /\[\s+((?:[^[\]{}\s][^[\]{}\n]*,\s+)*[^[\]{}\s][^[\]{}\n]*)\s+\]/g,
      (_, values: string) => `[${values.replace(/,\s+/g, ', ')}]`,
    )
    .replace(/\[\s+(\[[^[\]]*\])\s+\]/g, '[$1]') + '\n'

/** Models with groups that are kept, as samples/<name>.obj: targets whose parts turn. */
const grouped: Record<string, () => Mesh> = {
  'bird-wings': bird,
  'drone-rotors': droneWithGroups,
}

function writeStl(folder: string, name: string, mesh: Mesh): void {
  const path = join(folder, `${name}.stl`)
  writeFileSync(path, writeBinaryStl(mesh, name))
  console.log(`${path}: ${facetCount(mesh)} facets`)
}

/** Writes models with groups: an STL has none. */
function writeGroups(folder: string): void {
  const path = join(folder, 'aircraft-a.obj')
  const mesh = models['aircraft-a'].make()
  writeFileSync(path, writeObj(mesh))
  console.log(`${path}: ${facetCount(mesh)} facets in groups ${mesh.groupNames!.join(', ')}`)
}

/** Writes four degrees of a synthetic pass over a car park in the layout of the Gotcha set. */
function writeGotcha(folder: string): void {
  const points = carPark()
  for (let degree = 1; degree <= 4; degree++) {
    const path = join(folder, `data_3dsar_pass1_az00${degree}_HH.mat`)
    writeFileSync(path, gotchaFile(points, { azimuthDeg: degree - 1 }))
    console.log(`${path}: ${points.length} points`)
  }
}

/** What is not kept, but written to a folder of the user's: by the option that names it. */
const WRITTEN: Record<string, (folder: string) => void> = {
  '--found': (folder) => {
    for (const [name, options] of Object.entries(foundMeshes)) writeStl(folder, name, foundMesh(options))
  },
  '--vehicles': (folder) => {
    for (const [name, make] of Object.entries(vehicles)) writeStl(folder, name, make())
  },
  '--groups': writeGroups,
  '--gotcha': writeGotcha,
}

/**
 * Writes samples/<name>.stl for the models named on the command line, samples/<name>.obj for those with groups and samples/<name>.json for the scenes of radio
 * propagation, or all of them; with `--found FOLDER` the stand-ins for meshes from the web alone, with `--vehicles FOLDER` the ground
 * vehicles, with `--groups FOLDER` aircraft-a with its groups, with `--gotcha FOLDER` a synthetic measurement.
 */
function main(names: string[]): number {
  const [option, into] = names
  if (names.length === 2 && Object.hasOwn(WRITTEN, option)) {
    mkdirSync(into, { recursive: true })
    WRITTEN[option](into)
    return 0
  }
  const folder = 'samples'
  if (!existsSync(join(folder, 'models'))) {
    console.error(`no folder ${folder}/ with the model sources here: run this from the repository's root`)
    return 1
  }
  const known = [...Object.keys(models), ...Object.keys(grouped), ...Object.keys(propagationScenes)]
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
    } else if (name in grouped) {
      const path = join(folder, `${name}.obj`)
      writeFileSync(
        path,
        writeObj(grouped[name](), (x) => Number(x.toFixed(5))),
      )
      console.log(path)
    } else writeStl(folder, name, models[name].make())
  return 0
}

process.exitCode = main(process.argv.slice(2))
