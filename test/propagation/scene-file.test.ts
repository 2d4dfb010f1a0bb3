import { expect, it } from 'vitest'
import { checkScene, openScene } from '../../propagation/scene/load-scene.js'

const scene = {
  name: 'hall',
  frequency: 9e8,
  geometry: [{ box: { min: [0, 0, 0], max: [12, 9, 4] }, material: 'pec' }],
  transmitter: { position: [2, 3, 1] },
  receivers: [{ name: 'desk', points: [[10, 8, 1]] }],
}

it.each([
  [{ frequency: undefined, freq: 9e8 }, /the whole: Unrecognized key: "freq" \(did you mean frequency\?\) \(and 1 more\)/], // prettier-ignore
  [{ bounces: 3 }, /"bounces" \(did you mean maxReflections\?\)/],
  [{ reciever: [] }, /"reciever" \(did you mean receivers\?\)/],
  [{ transmitter: { position: [2, 3, 1], polarization: 'h' } }, /transmitter: .*"polarization" \(did you mean polarisation\?\)/], // prettier-ignore
  [
    { geometry: [{ mesh: 'a.stl', material: 'pec', unit: 'mm' }] },
    /geometry\.0: .*"unit" \(did you mean units\?\)/,
  ],
  [{ geometry: [{ box: { min: [0, 0, 0], max: [1, 1, 1] }, materal: 'pec' }] }, /geometry\.0: .*"materal" \(did you mean material\?\)/], // prettier-ignore
  [{ receivers: [{ name: 'a', line: [[0, 0, 0], [1, 0, 0]], spacing: 1 }] }, /receivers\.0/], // prettier-ignore
])('a key of a scene that is not known is named, with what it may stand for: %j', (change, message) => {
  expect(() => checkScene({ ...scene, ...change }, 'hall.json')).toThrow(message)
})

it('a list of receivers may be longer than the arguments of a function', async () => {
  const points = Array.from({ length: 150_000 }, (_, i) => [i / 1e5, 8, 1])
  const file = checkScene({ ...scene, receivers: [{ name: 'walk', points }] }, 'hall.json')
  const { receivers } = (await openScene(file, 'hall.json', '.')).scene
  expect([receivers.length, ...receivers.slice(-3)]).toEqual([450_000, 1.49999, 8, 1])
})
