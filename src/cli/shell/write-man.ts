import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeFileAtomic } from '../../../formats/index.js'
import { describeProgram } from './describe.js'
import { manPage } from './man.js'

// Called by the build, from dist: the page lies in man/ of the package.
const folder = fileURLToPath(new URL('../../../../man/', import.meta.url))
mkdirSync(folder, { recursive: true })
await writeFileAtomic(`${folder}isar.1`, manPage(await describeProgram()))
