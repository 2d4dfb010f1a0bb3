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
    density: { rays: 10, segments: 14.3 },
  },
}
