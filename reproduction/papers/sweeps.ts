import { type CompareSummary, millions, textTable, thousands } from '../../src/compare.js'

/** A sweep of paper 003 (Gao, Tao, Bai and Lin, PIER 122, 2012), section 3.2, on an aircraft of the same size, and the paper's figures. */
export interface PaperSweep {
  target: string
  mesh: string
  f0: number
  f1: number
  n: number
  theta: number
  aspects: number
  /** Degrees of phi from one aspect to the next. */
  step: number
  /** Load of an aspect (section 2.3): "about" so many ray tubes and edge segments at 10 GHz. */
  tubes: number
  segments: number
  /** Tubes and segments per wavelength for at least that load here. */
  density: { rays: number; segments: number }
  /** Tables 1 and 2 [s], on a GTX 470 and a Core i5. */
  seconds: Partial<Record<string, number>>
}

export const PAPER_SWEEPS: Record<string, PaperSweep> = {
  a: {
    target: 'aircraft A',
    mesh: 'samples/aircraft-a.stl',
    f0: 9.25e9,
    f1: 10.75e9,
    n: 161,
    theta: 80,
    aspects: 120,
    step: 0.07,
    tubes: 30e6,
    segments: 14_000,
    density: { rays: 25.7, segments: 9.2 },
    seconds: { serial: 2230.8, static: 1859.6, dynamic: 1371.4, 'SBR alone': 1311 },
  },
  b: {
    target: 'aircraft B',
    mesh: 'samples/aircraft-b.stl',
    f0: 9.5e9,
    f1: 10.5e9,
    n: 124,
    theta: 70,
    aspects: 165,
    step: 0.061,
    tubes: 17e6,
    segments: 40_000,
    density: { rays: 10, segments: 12.1 },
    seconds: { serial: 4712.2, static: 3311.3, dynamic: 2699.9, 'SBR alone': 2302.7 },
  },
}

/** Seconds of a comparison and of the paper, each with its load in the same row. */
export function besidePaper({ schedules, alone, load }: CompareSummary, paper: PaperSweep): string {
  const times: [string, number, boolean][] = [
    ...Object.entries(schedules).map(([name, { total }]): [string, number, boolean] => [
      name,
      total.median,
      true,
    ]),
    ['SBR alone', alone.sbr.median, false],
  ]
  const rows = times.map(([name, seconds, withEdges]) => {
    const theirs = paper.seconds[name]
    const segments = (n: number): string => (withEdges ? thousands(n) : '–')
    return [
      name,
      seconds.toPrecision(3),
      millions(load.tubes),
      segments(load.edge_segments),
      ...(theirs === undefined
        ? ['–', '–', '–']
        : [String(theirs), millions(paper.tubes), segments(paper.segments)]),
    ]
  })
  return [
    `Compared with paper 003, ${paper.target}: seconds, with the load of an aspect (ray tubes, edge segments)`,
    textTable(['schedule', 'here [s]', 'tubes', 'segments', 'paper [s]', 'tubes', 'segments'], rows),
  ].join('\n')
}
