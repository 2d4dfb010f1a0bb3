import { type ResultLocation, writeResult } from '../run/results.js'
import type { FigureFormat } from '../views/figures/node.js'

/**
 * Writes a figure in these formats, and as PDF where its place has figures so (`--pdf`), each file whole or not at all.
 * @param svg  the figure as SVG document
 */
export async function writeFigure(
  place: ResultLocation,
  name: string,
  svg: string,
  formats: readonly FigureFormat[] = ['svg', 'png'],
): Promise<void> {
  const { encodeFigure } = await import('../views/figures/node.js')
  for (const format of [...formats, ...(place.pdf ? (['pdf'] as const) : [])])
    await writeResult(place, `${name}.${format}`, await encodeFigure(svg, format, name))
}
