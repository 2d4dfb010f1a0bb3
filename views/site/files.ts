import { isMeshFile } from '../../formats/mesh-endings.js'

export interface File {
  name: string
  bytes: Uint8Array
}

export interface Given {
  /** A mesh, and files that it names. */
  mesh: File[]
  /** A materials file, and its tables. */
  library: File[]
  /** A table or image to be shown again. */
  result: File | null
}

const isMaterials = ({ name }: File): boolean => /\.json$/i.test(name)
const isMesh = ({ name }: File): boolean => isMeshFile(name)
const isResult = ({ name }: File): boolean => /\.(npz|csv)$/i.test(name)
const isTable = ({ name }: File): boolean => /\.csv$/i.test(name)

/** What files are: tables (.csv) beside a materials file are its own. */
export async function sortFiles(list: FileList | null): Promise<Given> {
  const files = await Promise.all(
    Array.from(list ?? [], async (file) => ({
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  )
  const library = files.find(isMaterials)
  const result = files.find((f) => isResult(f) && !(library && isTable(f))) ?? null
  const mesh = files.find(isMesh) ?? (library || result ? undefined : files[0])
  const others = files.filter((f) => f !== library && f !== mesh && f !== result)
  return { mesh: mesh ? [mesh, ...others] : [], library: library ? [library, ...others] : [], result }
}

/** Takes files that are dropped on the page. */
export function takeDrops(give: (files: FileList | null) => void): void {
  document.addEventListener('dragover', (event) => {
    event.preventDefault()
    document.body.classList.add('dropping')
  })
  document.addEventListener('dragleave', () => document.body.classList.remove('dropping'))
  document.addEventListener('drop', (event) => {
    event.preventDefault()
    document.body.classList.remove('dropping')
    give(event.dataTransfer?.files ?? null)
  })
}
