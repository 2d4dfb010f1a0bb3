import type { Mesh } from '../../scene/index.js'
import { aircraft, aircraftA, missile } from './aircraft.js'
import { aircraftB } from './aircraft-b.js'
import { cube, dihedral, plate, sphere, squareTrihedral, triangularTrihedral } from './canonical.js'
import { drone } from './drone.js'
import { deckhouse, simpleShip } from './ships.js'
import { vehicle } from './vehicles.js'

/** A model of the table; its file is `<name>.stl`. */
export interface Sample {
  description: string
  /** Frequency the model is meant for [Hz]. */
  frequency: number
  /** Closed surfaces with facets outward, or open sheets. */
  closed: boolean
  make: () => Mesh
}

/** Models by name, coordinates in metres. `ship-0.9m.stl` is data, not generated: see samples/README.md. */
export const models: Record<string, Sample> = {
  plate: { description: '1 m square sheet in z = 0', frequency: 10e9, closed: false, make: () => plate(1) },
  dihedral: {
    description: 'two 1 m squares at a right angle, seam on z, opening to +x',
    frequency: 3e9,
    closed: false,
    make: () => dihedral(1),
  },
  'trihedral-square': {
    description: 'three 1 m squares, apex at the origin, opening to +x +y +z',
    frequency: 3e9,
    closed: false,
    make: () => squareTrihedral(1),
  },
  'trihedral-triangular': {
    description: 'three right triangles with 1 m legs, apex at the origin, opening to +x +y +z',
    frequency: 3e9,
    closed: false,
    make: () => triangularTrihedral(1),
  },
  cube: { description: '1 m cube about the origin', frequency: 3e9, closed: true, make: () => cube(1) },
  sphere: {
    description: 'sphere of 1 m radius, geodesic',
    frequency: 3e9,
    closed: true,
    make: () => sphere(1, 5),
  },
  missile: {
    description: 'generic missile, 1.1 x 0.25 x 0.2 m, nose +x, cavity in the tail',
    frequency: 7.5e9,
    closed: true,
    make: missile,
  },
  drone: {
    description: 'quadcopter, 0.471 x 0.471 x 0.127 m, forward +x, several closed shells',
    frequency: 10e9,
    closed: true,
    make: drone,
  },
  vehicle: {
    description: 'small tracked vehicle on z = 0, 2.95 x 1.6 x 1.1 m, front +x, several closed shells',
    frequency: 10e9,
    closed: true,
    make: vehicle,
  },
  aircraft: {
    description: 'small straight-winged jet, 3.0 x 2.0 x 0.9 m, nose +x, intake ducts and nozzle open',
    frequency: 10e9,
    closed: true,
    make: aircraft,
  },
  'aircraft-a': {
    description: 'supersonic fighter, 11.76 x 7.4 x 3.67 m, nose +x, intake ducts and nozzle open',
    frequency: 10e9,
    closed: true,
    make: aircraftA,
  },
  'aircraft-b': {
    description: 'twin-engine attack aircraft, 14.12 x 16.98 x 4.5 m, nose +x, nacelles open at both ends',
    frequency: 10e9,
    closed: true,
    make: aircraftB,
  },
  'ship-1m': {
    description: 'simplified ship with stepped superstructure and raked bow, 1.0 x 0.2 x 0.2 m, bow +x',
    frequency: 5e9,
    closed: true,
    make: simpleShip,
  },
  deckhouse: {
    description: 'upper part of a naval ship, 110 x 26 x 44.4 m, bow +x, several closed shells',
    frequency: 3e9,
    closed: true,
    make: deckhouse,
  },
}
