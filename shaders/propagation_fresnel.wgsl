// Reflection of a field at a half-space (propagation/fields/path-fields.ts).

struct ReflectionCoefficients {
  te: vec2f,
  tm: vec2f,
}

// Recommendation ITU-R P.2040, eqs. (31) and (32), the sign of r_TM such that a conductor has -1 and +1.
fn fresnel(material: Material, cos_theta: f32) -> ReflectionCoefficients {
  let eta = material.permittivity;
  if (material.conductor == 1.0) { return ReflectionCoefficients(vec2f(-1.0, 0.0), vec2f(1.0, 0.0)); }
  let eta_less_sin_theta_sqr = vec2f(eta.x - 1.0 + cos_theta * cos_theta, eta.y);
  let a = complex_sqrt(eta_less_sin_theta_sqr);
  let cosine = vec2f(cos_theta, 0.0);
  let eta_cosine = eta * cos_theta;
  return ReflectionCoefficients(
    complex_divide(cosine - a, cosine + a), complex_divide(eta_cosine - a, eta_cosine + a));
}

// Unit vector across n, from the axis farthest from n.
fn any_across(n: vec3f) -> vec3f {
  let size = abs(n);
  if (size.x <= size.y && size.x <= size.z) { return normalize(cross(n, vec3f(1.0, 0.0, 0.0))); }
  if (size.y <= size.z) { return normalize(cross(n, vec3f(0.0, 1.0, 0.0))); }
  return normalize(cross(n, vec3f(0.0, 0.0, 1.0)));
}

// Unit vector perpendicular to the plane of incidence; at normal incidence any across n.
fn perpendicular(d: vec3f, n: vec3f) -> vec3f {
  let across = cross(d, n);
  let size = length(across);
  var e = any_across(n);
  if (size > 1e-6) { e = across / size; }
  return e;
}

// E_r = r_TE (E . e_TE) e_TE + r_TM (E . e_TM) e_TM', e_TE = d x n, e_TM = d x e_TE, e_TM' = d' x e_TE.
fn reflect_field(field: Vec3c, d: vec3f, n: vec3f, reflected: vec3f, material: Material) -> Vec3c {
  let e_te = perpendicular(d, n);
  let e_tm = cross(d, e_te);
  let e_tm_reflected = cross(reflected, e_te);
  let r = fresnel(material, -dot(d, n));
  let te = complex_multiply(r.te, vec2f(dot(field.re, e_te), dot(field.im, e_te)));
  let tm = complex_multiply(r.tm, vec2f(dot(field.re, e_tm), dot(field.im, e_tm)));
  return Vec3c(te.x * e_te + tm.x * e_tm_reflected, te.y * e_te + tm.y * e_tm_reflected);
}
