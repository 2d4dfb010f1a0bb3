// Puts pictures of one height side by side: node dist/reproduction/beside.js OUT.png A.png B.png
import { readFileSync, writeFileSync } from 'node:fs'
import { decode, encode } from 'fast-png'

const [out, ...files] = process.argv.slice(2)
const pictures = files.map((file) => decode(readFileSync(file)))
const { height, channels, depth } = pictures[0]
const width = pictures.reduce((sum, p) => sum + p.width, 0)
const data = new Uint8Array(width * height * channels)
let left = 0
for (const picture of pictures) {
  if (picture.height !== height || picture.channels !== channels)
    throw new Error('pictures of different heights')
  const row = picture.width * channels
  for (let y = 0; y < height; y++)
    data.set(picture.data.subarray(y * row, (y + 1) * row) as Uint8Array, (y * width + left) * channels)
  left += picture.width
}
writeFileSync(out, encode({ width, height, data, channels, depth }))
