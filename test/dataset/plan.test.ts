import { describe, expect, it } from 'vitest'
import { parseDatasetConfig } from '../../dataset/config.js'
import { previewPlan } from '../../dataset/record.js'
import { apertureAt, planDataset, planSteps, poseAzimuths, resolveRadar } from '../../dataset/plan.js'

const configOf = (change: object = {}) =>
  parseDatasetConfig(
    JSON.stringify({
      name: 'a',
      seed: 4,
      targets: [
        { label: 'ship', name: 's1', mesh: 'a.stl' },
        { label: 'ship', name: 's2', mesh: 'b.stl' },
        { label: 'car', name: 'c1', mesh: 'c.stl' },
        { label: 'car', name: 'c2', mesh: 'd.stl' },
      ],
      aspects: { azimuth: { from: 0, to: 360, step: 2 }, elevation: [5, 20] },
      radar: { centreHz: 1e10, resolutionM: 0.3 },
      image: { size: [64, 64] },
      ...change,
    }),
    'c.json',
  )

const planned = (change: object = {}) => {
  const config = configOf(change)
  const radar = resolveRadar(config, { centreHz: 1e10 }, 6)
  return { config, radar, plan: planDataset(config, radar) }
}

describe('the sampling of a dataset', () => {
  it('keeps image and target free of ambiguity', () => {
    const { radar } = planned()
    const df = (radar.freqHz.at(-1)! - radar.freqHz[0]) / (radar.freqHz.length - 1)
    const c = 299792458
    expect(c / (2 * df)).toBeGreaterThanOrEqual(64 * radar.spacingM[0] - 1e-9)
    const dphi = (radar.apertureDeg / (radar.angles - 1)) * (Math.PI / 180)
    expect(c / radar.freqHz.at(-1)! / (2 * dphi)).toBeGreaterThanOrEqual(64 * radar.spacingM[1] - 1e-9)
    expect(radar.spacingM[0]).toBeCloseTo(0.2, 12)
  })

  it('widens the aperture with elevation to keep the cross-range resolution', () => {
    const { radar } = planned()
    expect(apertureAt(radar, 60)).toBeCloseTo(2 * radar.apertureDeg, 10)
  })
})

describe('the plan of a dataset', () => {
  it.each([
    [{ copies: { count: 1e9 } }, /copies\.count/],
    [{ realisations: 1e9 }, /realisations/],
    [{ shardChips: 1e9 }, /shardChips/],
    [{ radar: { centreHz: 1e10, resolutionM: 0.3, frequencies: 1e9 } }, /radar\.frequencies/],
    [{ radar: { centreHz: 1e10, resolutionM: 0.3, angles: 1e9 } }, /radar\.angles/],
    [{ aspects: { azimuth: { from: 0, to: 360, count: 1e9 }, elevation: [5] } }, /aspects\.azimuth/],
    [{ splits: { by: 'azimuth', parts: { a: 1 }, blockDeg: 1e-6 } }, /splits\.blockDeg/],
    [{ copies: { count: 1e6 } }, /1440000000 poses .* at most 1000000/],
    [{ realisations: 1e6 }, /1440000000 images, at most 1000000 and 10000000/],
  ])('is refused where a count is out of bounds: %j', (change, message) => {
    expect(() => planned(change)).toThrow(message)
  })

  it('is made in steps, between which a signal is heard', () => {
    const { config, radar } = planned({ copies: { count: 5 } })
    expect([...planSteps(config, radar)].length).toBeGreaterThanOrEqual((4 * 2 * 180 * 5) / 1000)
  })

  it('has every pose once, 360 degrees without repeating the first', () => {
    const { plan } = planned()
    expect(plan.poses).toHaveLength(4 * 2 * 180)
    expect(plan.poses.map((l) => l.number)).toEqual([...plan.poses.keys()])
    expect(new Set(plan.poses.map((l) => [l.target, l.elevationDeg, l.azimuthDeg].join())).size).toBe(1440)
    expect(plan.classes).toEqual(['car', 'ship'])
  })

  it('puts aspects that images share on one grid', () => {
    const { plan, radar } = planned({ trace: 'shared' })
    const step = plan.poses[0].apertureDeg / (radar.angles - 1)
    for (const pose of plan.poses.slice(0, 90)) {
      const azimuths = poseAzimuths(pose, radar.angles)
      expect(azimuths[0]).toBe(pose.firstAspect! * step)
      expect((azimuths[0] + azimuths.at(-1)!) / 2).toBeCloseTo(pose.azimuthDeg, 9)
      // and no farther from what was asked for than half a step of it
      expect(Math.abs(pose.azimuthDeg - 2 * Math.round(pose.azimuthDeg / 2))).toBeLessThanOrEqual(
        step / 2 + 1e-9,
      )
    }
  })

  it('splits by azimuth so that no aspect is in two parts', () => {
    const { plan, radar } = planned({ splits: { by: 'azimuth', parts: { train: 0.7, test: 0.3 } } })
    expect(plan.dropped).toBeGreaterThan(0)
    const sectors = new Map<number, string>()
    const shared: number[] = []
    for (const pose of plan.poses)
      for (const azimuth of poseAzimuths(pose, radar.angles)) {
        const block = Math.floor((((azimuth % 360) + 360) % 360) / 30)
        if ((sectors.get(block) ?? pose.split) !== pose.split) shared.push(block)
        sectors.set(block, pose.split)
      }
    expect(shared).toEqual([])
    const train = plan.poses.filter((l) => l.split === 'train').length
    expect(train / plan.poses.length).toBeGreaterThan(0.6)
    expect(train / plan.poses.length).toBeLessThan(0.85)
    expect(new Set(plan.shards.map((s) => s.split))).toEqual(new Set(['train', 'test']))
    for (const s of plan.shards) for (const l of s.poses) expect(l.split).toBe(s.split)
  })

  it('splits by target with every class in every part, by elevation and by name', () => {
    const byTarget = planned({ splits: { by: 'target', parts: { train: 1, test: 1 } } }).plan
    for (const split of ['train', 'test'])
      expect(new Set(byTarget.poses.filter((l) => l.split === split).map((l) => byTarget.classOf[l.target])).size).toBe(2) // prettier-ignore
    const byElevation = planned({
      splits: { by: 'elevation', parts: { train: 1, test: 1 }, assign: { train: [5], test: [20] } },
    }).plan
    expect(byElevation.poses.every((l) => (l.elevationDeg === 5) === (l.split === 'train'))).toBe(true)
    const named = planned({ splits: { by: 'elevation', assign: { train: [5], test: ['20 deg'] } } })
    expect(named.plan.poses).toEqual(byElevation.poses)
    expect(named.config.splits!.parts).toEqual({ train: 1, test: 1 })
    expect(() =>
      planned({
        splits: { by: 'elevation', parts: { train: 1, test: 1 }, assign: { train: [5], test: [21] } },
      }),
    ).toThrow(/elevation 20 is assigned to no part/)
    expect(() => planned({ splits: { by: 'target', parts: { a: 1, b: 1, c: 1 } } })).toThrow(
      /2 targets of class ship cannot be distributed among 3 parts/,
    )
    expect(() =>
      planned({
        splits: { by: 'elevation', parts: { train: 1, test: 1 }, assign: { train: [5], test: [20] } },
        jitter: { elevationDeg: 8 },
      }),
    ).toThrow(/overlap/)
  })

  it('gives a pose the same random numbers whatever else is dropped', () => {
    const jitter = { azimuthDeg: 1, elevationDeg: 0.5, offsetM: 0.4 }
    const all = planned({ jitter }).plan
    const cut = planned({ jitter, splits: { by: 'azimuth', parts: { train: 0.5, test: 0.5 } } }).plan
    const bySerial = new Map(all.poses.map((l) => [l.serial, l]))
    expect(cut.poses.length).toBeLessThan(all.poses.length)
    for (const pose of cut.poses)
      expect({ ...pose, number: 0, split: '' }).toEqual({
        ...bySerial.get(pose.serial)!,
        number: 0,
        split: '',
      })
    expect(Math.max(...all.poses.map((l) => Math.abs(l.offsetM[0])))).toBeLessThanOrEqual(0.4)
    expect(new Set(all.poses.map((l) => l.offsetM[0])).size).toBe(all.poses.length)
  })

  it('refuses elevations at which rotation gives no cross-range, and names of more than one target', () => {
    expect(() => planned({ aspects: { azimuth: [0], elevation: [88] } })).toThrow(/85/)
    const twice = { targets: [{ label: 'a', mesh: 'x.stl' }, { label: 'b', mesh: 'y/x.stl' }] } // prettier-ignore
    expect(() => planned(twice)).toThrow(/another target is called x/)
  })
})

it('a preview has one image of each class, at 45 degrees from the front, with the random numbers that it has in the set', () => {
  const { plan } = planned({ realisations: 3 })
  const few = previewPlan(plan, ({ serial }) => serial * plan.realisations)
  expect(few.poses.map(({ target }) => plan.classOf[target])).toEqual([0, 1])
  expect(few.shards).toEqual([{ index: 0, name: 'preview', split: '', poses: few.poses }])
  few.poses.forEach((pose, i) => {
    const own = plan.poses.find(({ serial }) => serial * 3 === pose.serial)!
    expect(pose).toEqual({ ...own, serial: 3 * own.serial, number: i })
    expect([44, 46]).toContain(pose.azimuthDeg)
  })
  expect(few.realisations).toBe(1)
})
