import { SECOND_ORDER, type SecondOrder } from '../../cpu-diffraction/index.js'

/**
 * Every number of mechanisms, of materials and of the target's size D that they go by, that was found by fitting or chosen, and that moves results by more than some
 * thousandths. test/reproduction/truth.slow.test.ts holds that each is declared once, with this value, in the files of its part (`DECLARED_IN`).
 *
 * fit: found from data, which `node dist/reproduction/truth/fit.js` repeats; choice: set by judgement, looked at on the data that are named; bound: what is left
 * out is below it, and a smaller one costs time alone.
 */
export interface Constant {
  /** The identifier and its value as the source has them. */
  name: string
  value: string
  /** Mechanism, or the part of the edges that it belongs to. */
  of: string
  unit: string
  kind: 'fit' | 'choice' | 'bound'
  /** Data, where any are recorded. */
  on: string
  /** Of fits, where the fitting half of the random bodies has them: what is left, and when. */
  residual?: string
}

const SHEETS = 'rectangular sheets of 1.3 to 4 λ, 60 to 90 degrees from their normal, method of moments'
const OGIVES = 'ogives of 6 and 12 λ, half angles 16.3 to 33.7 degrees, VV, method of moments'
const NONE = 'none recorded'
/** Mean square complex error of monostatic cuts of the fitting half in which a mechanism has a part. */
const left = (cuts: number, without: string, as: string, best: string): string =>
  `${as} of ${cuts} cuts, without the mechanism ${without}, with its best factor ${best}; 2026-11-27`
const WAVES = left(68, '.1897', '.1730', '.1655')
const CORNERS = left(57, '.1740', '.1569', '.1566')
const TIPS = left(21, '.1267', '.0721', '.0703')
const ERROR = 'fields against finer ones (docs/second-order.md)'

const row = (
  of: string,
  kind: Constant['kind'],
  name: string,
  value: string,
  unit: string,
  on = NONE,
  residual?: string,
): Constant => ({ of, kind, name, value, unit, on, residual })

// prettier-ignore
export const CONSTANTS: readonly Constant[] = [
  row('edge-wave', 'fit', 'ALONG', 'polar(0.073, 29)', '1, degrees', `${SHEETS}, HH and HV`, WAVES),
  row('edge-wave', 'fit', 'ACROSS', 'polar(0.0086, -79)', '1, degrees', `${SHEETS}, HH and HV`, WAVES),
  row('edge-wave', 'fit', 'BETWEEN', 'polar(0.0051, -174)', '1, degrees', `${SHEETS}, HV`, WAVES),
  row('corner', 'fit', 'REFLECTION', 'polar(0.163, 69)', '1, degrees', `${SHEETS}, VV`, CORNERS),
  row('corner', 'choice', 'FADE', '0.6', 'Fresnel zones'),
  row('corner', 'choice', 'MOST', '2', '1', 'corners of 60 to 120 degrees (decision 016)'),
  row('travelling', 'fit', 'REFLECTION', '0.294', '1', OGIVES, TIPS),
  row('travelling', 'fit', 'PHASE', '(74 * Math.PI) / 180', 'rad', OGIVES, TIPS),
  row('travelling', 'choice', 'DECAY', '0.3', '1', OGIVES),
  row('travelling', 'choice', 'BLUNTEST', 'Math.PI / 3', 'rad'),
  row('creeping', 'choice', 'OFF_ARC', '0.3', '1', 'sphere, cone-sphere, cylinder, spheroid'),
  row('creeping', 'choice', 'ROUND', '0.06', '1', 'sphere, cone-sphere, cylinder, spheroid'),
  row('creeping', 'choice', 'TILT', '0.02', '1', 'sphere, cone-sphere, cylinder, spheroid'),
  row('creeping', 'choice', 'ALIGNED', '0.8', '1'),
  row('creeping', 'bound', 'NOTHING', '0.005', '1'),
  row('creeping', 'choice', 'WHOLE', '-2', '1'),
  row('creeping', 'choice', 'NARROWEST', '0.15', '1'),
  row('creeping', 'choice', 'SMOOTH', 'Math.cos(Math.PI / 4)', '1'),
  row('reflected', 'choice', 'PENUMBRA', '3.2', '1', ERROR),
  row('reflected', 'choice', 'NEAR_ZONE', '17', 'λ', ERROR),
  row('reflected', 'choice', 'HALF_PENUMBRA', '2.35', '1', ERROR),
  row('reflected', 'choice', 'HALF_NEAR', '12.5', 'λ', ERROR),
  row('reflected', 'choice', 'GRAZING', '0.04', 'rad', ERROR),
  row('reflected', 'choice', 'MAX_REFLECTIONS', '6', '1'),
  row('reflected', 'choice', 'FARTHEST', '3', 'extents'),
  row('reflected', 'choice', 'NEAREST', '0.0625', 'λ'),
  row('reflected', 'bound', 'FIRST_STEP', '0.3', 'rad', ERROR),
  row('reflected', 'bound', 'FIRST_ZONES', '0.42', 'Fresnel zones', ERROR),
  row('reflected', 'bound', 'CLOSE', '0.0125', 'rad', ERROR),
  row('reflected', 'bound', 'BOUNDARY_ZONES', '0.02', 'Fresnel zones', ERROR),
  row('reflected', 'bound', 'PIECE_ZONES', '0.02', 'Fresnel zones', ERROR),
  row('reflected', 'bound', 'FIRST_PIECE', '1 / 150', 'D', ERROR),
  row('reflected', 'bound', 'FIRST_LENGTH', '0.02', 'Fresnel zones', ERROR),
  row('reflected', 'bound', 'MOST_HALVES', '3', '1', ERROR),
  row('reflected', 'bound', 'SMOOTH_ZONES', '0.32', 'Fresnel zones', ERROR),
  row('reflected', 'bound', 'WEAKEST', '2.5e-4', 'D', ERROR),
  row('reflected', 'bound', 'CLOSER', '2e-5', 'D', ERROR),
  row('reflected', 'bound', 'HALVED', '2e-4', 'D', ERROR),
  row('reflected', 'bound', 'FOOTPRINT', '0.35', 'λ', ERROR),
  row('reflected', 'bound', 'NEAR', '2', 'λ', ERROR),
  row('reflected', 'bound', 'WIDEST', '0.15', 'rad', ERROR),
  row('reflected', 'choice', 'OBLIQUE', '0.05', '1'),
  row('reflected', 'choice', 'SHORTEST', '0.5', 'λ'),
  row('reflected', 'bound', 'PIECE', '0.2', 'λ', ERROR),
  row('reflected', 'bound', 'PART_OF_ZONE', '0.2', 'Fresnel zones', ERROR),
  row('size D', 'choice', 'SPREAD', '2.6', '1', 'extents of the samples'),
  row('images', 'choice', 'LEAST_MIRROR', '4e-4', 'D²'),
  row('images', 'bound', 'MIRROR_POINTS', '0.01', 'D', ERROR),
  row('images', 'bound', 'SPACING_ZONES', '0.2', 'Fresnel zones'),
  row('images', 'bound', 'SHORT', '0.05', 'segments'),
  row('images', 'bound', 'BOUNDARY', '0.02', 'segments'),
  row('wall', 'choice', 'OVER_RIM', '0.6', 'thicknesses'),
  row('wall', 'choice', 'MAX_FOLDS', '3', '1'),
  row('wall', 'choice', 'HEIGHT', '1', '1', 'corners of the validation; fitting half of reproduction/truth prefers .25'),
  row('double', 'choice', 'TURN', '(35 * Math.PI) / 180', 'rad'),
  row('double', 'choice', 'ALONG_EDGE', '0.3', '1', 'dihedrals of the validation'),
  row('double', 'choice', 'ALONG_EDGE', '0.005', '1'),
  row('double', 'choice', 'ACROSS_EDGE', '0.4', '1', 'dihedrals of the validation'),
  row('double', 'choice', 'SHORTEST_EDGE', '0.5', 'Fresnel zones'),
  row('double', 'choice', 'FADE_LENGTH', '1.25', '1'),
  row('double', 'choice', 'FADE', '2', '1'),
  row('double', 'bound', 'WEAKEST', '0.01', '1'),
  row('double', 'bound', 'NEGLIGIBLE', '3e-4', 'D'),
  row('double', 'choice', 'STRONGEST', '0.5', '1'),
  row('double', 'choice', 'MAX_FACES', '6', '1'),
  row('double', 'bound', 'LONGEST_PIECE', '0.5', 'Fresnel zones'),
  row('double', 'choice', 'FADE_PIECE', '1.25', '1'),
  row('thin solids', 'fit', 'SHEET_UP_TO', '0.125', 'k t', 'thin boxes, method of moments (decision 019)'),
  row('thin solids', 'fit', 'SOLID_FROM', '0.25', 'k t', 'thin boxes, method of moments (decision 019)'),
  row('materials', 'choice', 'TURNED_BACK', '0.05', '1', 'strips of materials (reproduction/material-strips.ts)'),
  row('materials', 'choice', 'SHORTED', '0.1', '1', 'strips of materials (reproduction/material-strips.ts)'),
  row('materials', 'choice', 'OPEN', '0.1', '1', 'strips of materials (reproduction/material-strips.ts)'),
  row('materials', 'choice', 'END_ON', '0.27', '1', 'oblique wedges (decision 021)'),
  row('materials', 'fit', 'SKEW', '0.55', '1', 'exact fields of rims (decision 020)'),
  row('materials', 'fit', 'CORNER_PHASE', '1.35', 'rad', 'coated bars (decision 022)'),
  row('materials', 'fit', 'CORNER', '0.14', '1', 'coated bars (decision 022)'),
  row('materials', 'choice', 'SHARPEST', '10', '1'),
  row('materials', 'choice', 'NEARLY_FLAT', '20', 'degrees'),
  row('materials', 'choice', 'PAST', '0.55', '1', 'measured errors (decision 021)'),
  row('materials', 'bound', 'TURN', '0.9', '1', 'measured errors (decision 021)'),
  row('materials', 'bound', 'CLOSE', '0.7', '1', 'measured errors (decision 021)'),
  row('materials', 'choice', 'LEAST_SINE', '0.2', '1'),
]

/** Files and folders of a mechanism alone, or of `wall` and `double` together, where they are others than `mechanisms/NAME.ts`. */
const OTHER_FILES: Partial<Record<SecondOrder, string>> = {
  reflected:
    'mechanisms/reflected.ts mechanisms/meeting-edges.ts light/ray-fan.ts wasm/reflected.ts wasm/ray-fan.ts wasm/fan-reach.ts wasm/footprint.ts wasm/constants.ts currents/wedge-wave.ts',
  double: 'mechanisms/double',
  'edge-wave':
    'mechanisms/edge-waves/edge-waves.ts mechanisms/edge-waves/launch.ts mechanisms/edge-waves/corners.ts',
  corner: 'mechanisms/edge-waves/face-waves.ts',
  travelling: 'mechanisms/travelling',
  creeping: 'mechanisms/creeping',
}

/** The files of each mechanism, whose lines the ledger counts. */
export const FILES = Object.fromEntries(
  SECOND_ORDER.map((name) => [
    name,
    (OTHER_FILES[name] ?? `mechanisms/${name}.ts`).split(' ').map((file) => `cpu-diffraction/${file}`),
  ]),
) as Record<SecondOrder, string[]>

/** Where the constants of each part are declared: files and folders. */
export const DECLARED_IN: Record<string, readonly string[]> = {
  ...FILES,
  corner: [...FILES['edge-wave'], ...FILES.corner],
  double: [...FILES.double, 'cpu-diffraction/light/lit-faces.ts'],
  'size D': ['rays/ray-scene.ts'],
  images: ['cpu-diffraction/light'],
  'thin solids': ['cpu-diffraction/geometry/thin-parts.ts'],
  materials: ['cpu-diffraction/currents/materials'],
}
