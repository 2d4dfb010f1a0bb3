import regular from '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf?url'
import semiBold from '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf?url'
import type { Font } from 'fontkit'
import type { Figure } from '../figures/index.js'

/** Downloads a file. */
export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

const svgBlob = (markup: string): Blob => new Blob([markup], { type: 'image/svg+xml' })

/** A figure as SVG, its text as outlines: where it is opened the font may be missing. */
export async function svgFile({ markup }: Figure): Promise<Blob> {
  const [{ create }, { outlineText }, ...files] = await Promise.all([import('fontkit'), import('../figures/outline-text.js'), ...[regular, semiBold].map(bytesOf)]) // prettier-ignore
  const [plain, bold] = files.map((bytes) => create(bytes as Buffer) as Font)
  return svgBlob(outlineText(markup, { regular: plain, bold }))
}

const bytesOf = async (file: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(file)).arrayBuffer())

/** Figures side by side, as one. */
export function sideBySide(figures: readonly Figure[]): Figure {
  const width = figures.reduce((sum, f) => sum + f.width, 0)
  const height = Math.max(...figures.map((f) => f.height))
  let at = 0
  const parts = figures.map((f) => {
    const part = f.markup.replace(/^<svg /, `<svg x="${at}" `)
    at += f.width
    return part
  })
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
  return { width, height, markup: `${head}${parts.join('')}</svg>`, axes: null }
}

/** The page's fonts as a style sheet: a separate picture does not inherit them. */
async function fontStyle(): Promise<string> {
  const faces = [
    [400, regular],
    [600, semiBold],
  ].map(async ([weight, file]) => {
    const bytes = await bytesOf(file as string)
    let binary = ''
    for (const byte of bytes) binary += String.fromCharCode(byte)
    return `@font-face{font-family:Inter;font-weight:${weight};src:url(data:font/ttf;base64,${btoa(binary)})}`
  })
  return `<style>${(await Promise.all(faces)).join('')}</style>`
}

/** A figure as PNG of twice its size. */
export async function pngFile(figure: Figure): Promise<Blob> {
  const style = await fontStyle()
  const markup = figure.markup.replace(/^<svg [^>]*>/, (head) => head + style)
  const url = URL.createObjectURL(svgBlob(markup))
  try {
    const picture = new Image()
    picture.src = url
    await picture.decode()
    const canvas = document.createElement('canvas')
    canvas.width = 2 * figure.width
    canvas.height = 2 * figure.height
    canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height)
    return await new Promise((done, fail) =>
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('the picture is too large'))), 'image/png'),
    )
  } finally {
    URL.revokeObjectURL(url)
  }
}
