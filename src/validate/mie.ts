/**
 * Mie series of a perfectly conducting sphere (Bohren and Huffman, 4.4, in the limit of infinite permittivity), as
 * sigma / (pi a^2) at an angle from FORWARD scattering: in the plane of the incident E (|S2|^2) and of H (|S1|^2).
 */
export function miePec(ka: number, fromForwardDeg: number): { e: number; h: number } {
  const x = ka
  const terms = Math.ceil(x + 6 * Math.cbrt(x) + 12)
  const [psi, chi] = riccatiBessel(x, terms)
  const mu = Math.cos((fromForwardDeg * Math.PI) / 180)
  let pi0 = 0
  let pi1 = 1
  const s1 = [0, 0]
  const s2 = [0, 0]
  for (let n = 1; n <= terms; n++) {
    // psi_n' = psi_(n-1) - n psi_n / x, and the same for chi; xi = psi - j chi.
    const psiPrime = psi[n - 1] - (n * psi[n]) / x
    const chiPrime = chi[n - 1] - (n * chi[n]) / x
    const a = overXi(psiPrime, chiPrime)
    const b = overXi(psi[n], chi[n])
    const tau = n * mu * pi1 - (n + 1) * pi0
    const scale = (2 * n + 1) / (n * (n + 1))
    for (let c = 0; c < 2; c++) {
      s1[c] += scale * (a[c] * pi1 + b[c] * tau)
      s2[c] += scale * (a[c] * tau + b[c] * pi1)
    }
    const next = ((2 * n + 1) * mu * pi1 - (n + 1) * pi0) / n
    pi0 = pi1
    pi1 = next
  }
  const power = (s: number[]): number => (4 * (s[0] ** 2 + s[1] ** 2)) / (x * x)
  return { e: power(s2), h: power(s1) }
}

/** p / (p - j q). */
const overXi = (p: number, q: number): [number, number] => {
  const d = p * p + q * q
  return [(p * p) / d, (p * q) / d]
}

/** psi_n(x) = x j_n(x) and chi_n(x) = -x y_n(x), n = 0 ... count. */
function riccatiBessel(x: number, count: number): [Float64Array, Float64Array] {
  const chi = new Float64Array(count + 1)
  chi[0] = Math.cos(x)
  chi[1] = Math.cos(x) / x + Math.sin(x)
  for (let n = 1; n < count; n++) chi[n + 1] = ((2 * n + 1) / x) * chi[n] - chi[n - 1]
  // Downwards from far above (Miller), scaled so that psi_0 = sin x or, near its zeros, psi_1 fits.
  const start = count + 40
  const psi = new Float64Array(start + 2)
  psi[start] = 1e-200
  for (let n = start; n > 0; n--) psi[n - 1] = ((2 * n + 1) / x) * psi[n] - psi[n + 1]
  const one = Math.sin(x) / x - Math.cos(x)
  const scale = Math.abs(Math.sin(x)) > 0.5 ? Math.sin(x) / psi[0] : one / psi[1]
  return [psi.slice(0, count + 1).map((v) => v * scale), chi]
}
