// Reflection of a field at a half-space: polarisation vectors s = d x n, p = d x s before and d_r x s after; the coefficients are
// Recommendation ITU-R P.2040's (31) and (32) with the sign that makes them -1 and +1 for a conductor.

fn times(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

fn over(a: vec2f, b: vec2f) -> vec2f {
  return vec2f(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y) / dot(b, b);
}

// eps: re, im of the relative permittivity, z: 1 for a conductor. Returns r_s, r_p.
fn fresnel(eps: vec4f, c: f32) -> vec4f {
  if (eps.z == 1.0) { return vec4f(-1.0, 0.0, 1.0, 0.0); }
  let a = eps.x - 1.0 + c * c;
  let size = length(vec2f(a, eps.y));
  let qr = sqrt(0.5 * (size + a));
  let q = vec2f(qr, select(-sqrt(size), eps.y / (2.0 * qr), qr > 0.0));
  let ec = eps.xy * c;
  return vec4f(over(vec2f(c, 0.0) - q, vec2f(c, 0.0) + q), over(ec - q, ec + q));
}

fn any_across(n: vec3f) -> vec3f {
  let size = abs(n);
  if (size.x <= size.y && size.x <= size.z) { return normalize(cross(n, vec3f(1.0, 0.0, 0.0))); }
  if (size.y <= size.z) { return normalize(cross(n, vec3f(0.0, 1.0, 0.0))); }
  return normalize(cross(n, vec3f(0.0, 0.0, 1.0)));
}

fn reflect_field(field: Vec3c, d: vec3f, n: vec3f, onward: vec3f, eps: vec4f) -> Vec3c {
  let across = cross(d, n);
  let size = length(across);
  var s = any_across(n);
  if (size > 1e-6) { s = across / size; }
  let p = cross(d, s);
  let q = cross(onward, s);
  let r = fresnel(eps, -dot(d, n));
  let es = times(r.xy, vec2f(dot(field.re, s), dot(field.im, s)));
  let ep = times(r.zw, vec2f(dot(field.re, p), dot(field.im, p)));
  return Vec3c(es.x * s + ep.x * q, es.y * s + ep.y * q);
}
