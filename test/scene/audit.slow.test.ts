import { expect, test } from 'vitest'
import { cleanMesh } from '../../scene/audit.js'

test('facets beyond number about one edge cost time in proportion', () => {
  const count = 150_000
  const positions = [0, 0, 0, 0, 0, 1]
  for (let i = 0; i < count; i++) {
    const turn = (2 * Math.PI * i) / count
    positions.push(Math.cos(turn), Math.sin(turn), 0.5)
  }
  const triangles = Uint32Array.from({ length: 3 * count }, (_, i) => (i % 3 < 2 ? i % 3 : 2 + (i - 2) / 3))
  const { report } = cleanMesh({ positions: Float64Array.from(positions), triangles })
  expect(report).toMatchObject({
    facetsOut: count,
    nonManifoldEdges: 1,
    components: count,
    closedComponents: 0,
  })
  // Comparing each with each takes minutes.
})
