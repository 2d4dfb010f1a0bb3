import { expect, test } from 'vitest'
import type { LoadedScene } from '../../propagation/index.js'
import type { PropagationPath } from '../../propagation/paths/path-walker.js'
import type { PropagationSetup } from '../../propagation/setup.js'
import { newState, Total } from '../../propagation/sums.js'
import { InputError } from '../../scene/index.js'
import { checkPropagationMemory } from '../../src/propagate.js'

const scene = (frequencies: number, receivers: number): Pick<LoadedScene, 'scene'> => ({
  scene: {
    freqHz: Array.from({ length: frequencies }, (_, i) => 1e9 + i),
    receivers: new Float64Array(3 * receivers),
    transmit: ['v', 'h'],
  } as unknown as LoadedScene['scene'],
})

test('a propagation run that does not fit is refused before its sums are made, with what would fit', () => {
  const free = 4e9
  const check = (frequencies: number, receivers: number): number =>
    checkPropagationMemory(scene(frequencies, receivers), 2, free)
  check(1000, 1000)
  expect(() => check(2_000_000, 20)).toThrow(InputError)
  const [, most] =
    /take at most (\d+) of the 2000000 frequencies/.exec(
      (() => {
        try {
          check(2_000_000, 20)
          return ''
        } catch (error) {
          return (error as Error).message
        }
      })(),
    ) ?? []
  check(Number(most), 20)
  expect(() => check(Number(most) + 1, 20)).toThrow(InputError)
  expect(() => check(1, 10_000_000)).toThrow('take fewer receivers')
})

test('listed paths that outgrow the heap end the run with a line that says what to lower', () => {
  const setup = {
    receivers: { order: Int32Array.from([0]) },
    excitations: [0],
  } as unknown as PropagationSetup
  const statistics = { segments: 0, candidates: 0, paths: 0, escaped: 0, diffracted: 0 }
  const path = { points: Array.from({ length: 40 }, () => [0, 0, 0]) } as unknown as PropagationPath
  const paths = Array.from({ length: 100 }, () => path)
  const total = new Total(setup, newState(setup), 2e6)
  const add = (task: number): void =>
    total.add(task, { slots: new Int32Array(0), sums: new Float64Array(0), paths, statistics })
  add(0)
  expect(() => add(1)).toThrow(/^the 200 paths listed so far take .* list fewer receivers \(--paths\)/)
})
