import { type FilesHash, readTable } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import type { PatternTable } from './antenna.js'

const PATTERN_COLUMNS = ['theta_deg', 'phi_deg', 'g_theta_re', 'g_theta_im', 'g_phi_re', 'g_phi_im']

/**
 * An antenna pattern as CSV: one row per grid point, theta outermost from 0 to 180 degrees, phi from 0 to 360 both included,
 * regular steps; |g|^2 is the gain. @throws InputError where it is not
 */
export async function readPattern(path: string, files: FilesHash): Promise<PatternTable> {
  const { columns, rows } = await readTable(path, PATTERN_COLUMNS, files)
  const [theta, phi] = columns
  let phis = 1
  while (phis < rows && theta[phis] === theta[0]) phis++
  const thetas = rows / phis
  const fits =
    thetas >= 2 &&
    phis >= 2 &&
    Number.isInteger(thetas) &&
    theta.every((t, r) => Math.abs(t - (180 * Math.floor(r / phis)) / (thetas - 1)) < 1e-6) &&
    phi.every((p, r) => Math.abs(p - (360 * (r % phis)) / (phis - 1)) < 1e-6)
  if (!fits)
    throw new InputError(
      `${path} is no regular grid; give theta_deg 0 to 180 outermost and phi_deg 0 to 360, both ends included, in even steps`,
    )
  const values = new Float64Array(4 * rows)
  for (let r = 0; r < rows; r++) for (let k = 0; k < 4; k++) values[4 * r + k] = columns[2 + k][r]
  return { thetas, phis, values }
}
