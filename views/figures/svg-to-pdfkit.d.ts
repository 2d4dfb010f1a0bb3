declare module 'svg-to-pdfkit' {
  /** Draws an SVG document on the current page of a document of pdfkit; x, y, width and height in points. */
  export default function addSvg(
    doc: PDFKit.PDFDocument,
    svg: string,
    x: number,
    y: number,
    options: {
      width: number
      height: number
      fontCallback: (family: string, bold: boolean, italic: boolean) => string
    },
  ): void
}
