import type { Mesh } from '../../scene/index.js'
import { circle, deck, fitBox, merge, mix, type Point, radome, stack } from './surface.js'

/**
 * Simplified ship, 1.0 x 0.2 x 0.2 m, bow +x: a hull of planar facets with raked bow under a superstructure of three steps. The box is that of the published ship; the shape is original. One closed surface, box centred
 * at the origin.
 */
export function simpleShip(): Mesh {
  const rake = 0.1
  const hull = (z: number, shift: number): Point[] => [
    [0.5 - shift, 0, z],
    [0.28 - shift, 0.1, z],
    [-0.5, 0.1, z],
    [-0.5, -0.1, z],
    [0.28 - shift, -0.1, z],
  ]
  const tier = (z: number, aft: number, fore: number, w: number): Point[] => [
    [fore, 0, z],
    [fore, w, z],
    [aft, w, z],
    [aft, -w, z],
    [fore, -w, z],
  ]
  const whole = stack([
    hull(-0.1, rake),
    hull(0, 0),
    tier(0, -0.36, 0.16, 0.07),
    tier(0.035, -0.36, 0.16, 0.07),
    tier(0.035, -0.22, 0.1, 0.05),
    tier(0.07, -0.22, 0.1, 0.05),
    tier(0.07, -0.04, 0.05, 0.03),
    tier(0.1, -0.04, 0.05, 0.03),
  ])
  return fitBox(whole, [1, 0.2, 0.2])
}

/** Deck strake with the forward deckhouse, bridge and enclosed mast: one closed body of stepped tiers. */
function mainBody(): Mesh {
  const strake = (z: number): Point[] => [
    [55, -1, z],
    [55, 1, z],
    [24, 13, z],
    [-3, 13, z],
    [-55, 12, z],
    [-55, -12, z],
    [-3, -13, z],
    [24, -13, z],
  ]
  return stack([
    strake(0),
    strake(2.5),
    deck(2.5, -6, 27, 12, 3),
    deck(9, -5.2, 25.6, 11.2, 3),
    deck(9, -2, 23, 9.5, 3),
    deck(14.5, -1.4, 21.8, 8.9, 3),
    // The bridge leans out over its windows.
    deck(14.5, 5, 20.5, 8, 2.4),
    deck(15.7, 5, 20.5, 8, 2.4),
    deck(17.6, 4.6, 21.4, 8.6, 2.6),
    deck(18.2, 4.6, 21.4, 8.6, 2.6),
    deck(18.2, 5, 15.5, 4.6, 1.4),
    deck(25, 5.8, 13.5, 3.4, 1),
    deck(25, 7, 12, 2.2, 0.6),
    deck(35, 8.3, 10.4, 0.9, 0.25),
    deck(35, 8.1, 10.6, 1.1, 0.3),
    deck(35.6, 8.1, 10.6, 1.1, 0.3),
    deck(35.6, 9.1, 9.7, 0.3, 0.17),
    deck(38, 9.15, 9.65, 0.25, 0.14),
    deck(41, 9.2, 9.6, 0.2, 0.11),
    deck(44.4, 9.25, 9.55, 0.15, 0.08),
  ])
}

/** Funnel, its top an open well 3 m deep, and hangar. */
function aftBodies(): Mesh[] {
  return [
    stack([
      deck(2, -26, -11, 8.5, 2),
      deck(8.5, -25, -12, 7.8, 2),
      deck(8.5, -23.5, -13.5, 4.5, 1.4),
      deck(18.5, -22.4, -16.2, 3.1, 1),
      deck(18.5, -22, -16.6, 2.7, 0.85),
      deck(15.5, -21.8, -16.8, 2.5, 0.8),
    ]),
    stack([
      deck(2, -41, -27, 10, 1.2),
      deck(9.2, -40.2, -28, 9.2, 1.2),
      deck(9.2, -38, -30, 3, 0.8),
      deck(12.5, -37.4, -30.6, 2.4, 0.8),
    ]),
  ]
}

/** Gun-house forward with its barrel, and the close-in weapon on the hangar. */
function guns(): Mesh[] {
  const barrel = (from: Point, to: Point, radius: number) =>
    stack([0, 0.25, 0.5, 0.75, 1].map((t) => circle(mix(from, to, t), radius * (1 - 0.3 * t), 0, 12)))
  return [
    stack([circle([37, 0, 2.2], 3, 2, 16), circle([37, 0, 3.2], 3, 2, 16)]),
    stack([deck(3, 33.8, 40.4, 2.5, 0.9), deck(6.2, 34.8, 38.6, 1.6, 0.6)]),
    barrel([38.4, 0, 4.8], [45.5, 0, 6.2], 0.28),
    stack([
      circle([-34, 0, 12.2], 0.9, 2, 12),
      circle([-34, 0, 13.6], 0.9, 2, 12),
      circle([-34, 0, 13.6], 0.6, 2, 12),
      circle([-34, 0, 15.6], 0.6, 2, 12),
      circle([-34, 0, 16.1], 0.25, 2, 12),
    ]),
    barrel([-34.4, 0, 14.4], [-36.6, 0, 14.5], 0.16),
  ]
}

/** Yards and radar panel on the mast, radomes, launcher block and boats. */
function fittings(): Mesh[] {
  const box = (x: [number, number], y: [number, number], z: [number, number]) => {
    const loop = (h: number): Point[] => [
      [x[1], y[0], h],
      [x[1], y[1], h],
      [x[0], y[1], h],
      [x[0], y[0], h],
    ]
    return stack([loop(z[0]), loop(z[1])])
  }
  const boat = (y: number) =>
    stack(
      [-4.6, -4.4, -2.5, 0, 2.5, 4.4, 4.6].map((x, k) =>
        circle([x - 18.5, y, 3.4], [0.2, 0.5, 1, 1.1, 1, 0.5, 0.2][k], 0, 12),
      ),
    )
  return [
    box([9, 9.8], [-6.5, 6.5], [30, 30.5]),
    box([9.1, 9.6], [-4.5, 4.5], [38, 38.3]),
    box([10.2, 11], [-2.4, 2.4], [32, 34]),
    box([28.5, 31.5], [-4, 4], [2.2, 3.6]),
    radome([1.5, 6, 17.2], 1.3, 0.4, 14.2, 20),
    radome([1.5, -6, 17.2], 1.3, 0.4, 14.2, 20),
    boat(10.4),
    boat(-10.4),
  ]
}

/**
 * Upper part of a naval ship, 110 x 26 x 44.4 m, bow +x: deckhouse with sloped walls, bridge, enclosed mast with pole
 * and yards, funnel with an open uptake, hangar, gun-house, launcher block, radomes and boats; no railings. The box is
 * that of the published model; the shape is original.
 *
 * Several closed shells: the strake, deckhouse and mast are one; each other body penetrates the one below it by some
 * decimetres (or goes through the mast), so that no two faces coincide; parts inside another shell are hidden.
 * Box centred at the origin.
 */
export function deckhouse(): Mesh {
  const whole = merge([mainBody(), ...aftBodies(), ...guns(), ...fittings()])
  return fitBox(whole, [110, 26, 44.4])
}
