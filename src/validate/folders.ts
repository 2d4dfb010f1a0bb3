import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '../../scene/index.js'

/** Folders of a validation run. */
export interface Folders {
  /** Definitions and reference data. */
  validation: string
  /** The report of this version. */
  record: string
  /** Sample models. */
  samples: string
  /** Path of a file of the data that is not shipped. @throws InputError where it is missing */
  data: (name: string) => string
}

/** The package's folders, from the sources (src/validate) as well as from the build (dist/src/validate). */
export function packageFolders(data?: string): Folders {
  const here = new URL('.', import.meta.url)
  const root = fileURLToPath(new URL(here.pathname.includes('/dist/src/') ? '../../../' : '../../', here))
  if (data !== undefined && !existsSync(data))
    throw new InputError(`--data ${data}: there is no such folder; give the folder of the UT Austin files`)
  return {
    validation: join(root, 'test', 'validation'),
    record: join(root, 'docs', 'validation.json'),
    samples: join(root, 'samples'),
    data: (name) => {
      if (data === undefined) throw new InputError(`${name} is not part of the package; give --data DIR`)
      for (const folder of [data, join(data, 'austin')]) {
        const path = join(resolve(folder), name)
        if (existsSync(path)) return path
      }
      throw new InputError(`--data ${data}: ${name} is not there; give the folder that holds it`)
    },
  }
}
