// Two-float arithmetic: a number is the unevaluated sum x + y of two floats, about 48 bits. Compilers simplify the
// error terms away unless every intermediate is tied to a value they cannot know: `guarded` XORs its bits with a
// uniform that is always zero. Products split their factors by masking the low 12 bits, exact with or without a
// fused multiply-add. (T. J. Dekker, Numer. Math. 18, 1971; D. E. Knuth, TAOCP vol. 2.)

fn guarded(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) ^ job.zero);
}

fn two_sum(a: f32, b: f32) -> vec2f {
  let s = guarded(a + b);
  let bb = guarded(s - a);
  return vec2f(s, guarded(a - guarded(s - bb)) + guarded(b - bb));
}

// Requires |a| >= |b| or a = 0.
fn quick_two_sum(a: f32, b: f32) -> vec2f {
  let s = guarded(a + b);
  return vec2f(s, b - guarded(s - a));
}

fn two_prod(a: f32, b: f32) -> vec2f {
  let p = guarded(a * b);
  let ah = bitcast<f32>(bitcast<u32>(a) & 0xfffff000u);
  let bh = bitcast<f32>(bitcast<u32>(b) & 0xfffff000u);
  let al = guarded(a - ah);
  let bl = guarded(b - bh);
  return vec2f(p, guarded(guarded(guarded(ah * bh) - p) + guarded(ah * bl) + guarded(al * bh)) + al * bl);
}

fn tf_add(x: vec2f, y: vec2f) -> vec2f {
  let s = two_sum(x.x, y.x);
  return quick_two_sum(s.x, s.y + (x.y + y.y));
}

fn tf_mul(x: vec2f, y: vec2f) -> vec2f {
  let p = two_prod(x.x, y.x);
  return quick_two_sum(p.x, p.y + (x.x * y.y + x.y * y.x));
}

fn tf_scale(x: vec2f, y: f32) -> vec2f {
  let p = two_prod(x.x, y);
  return quick_two_sum(p.x, p.y + x.y * y);
}

fn tf_div(x: vec2f, y: vec2f) -> vec2f {
  let q1 = x.x / y.x;
  let r1 = tf_add(x, -tf_scale(y, q1));
  let q2 = r1.x / y.x;
  let r2 = tf_add(r1, -tf_scale(y, q2));
  let q = quick_two_sum(q1, q2);
  return quick_two_sum(q.x, q.y + r2.x / y.x);
}

struct Vec3tf {
  x: vec2f,
  y: vec2f,
  z: vec2f,
}

fn tf_vec(hi: vec3f, lo: vec3f) -> Vec3tf {
  return Vec3tf(vec2f(hi.x, lo.x), vec2f(hi.y, lo.y), vec2f(hi.z, lo.z));
}

fn tf_hi(a: Vec3tf) -> vec3f {
  return vec3f(a.x.x, a.y.x, a.z.x);
}

fn tf_dot(a: Vec3tf, b: Vec3tf) -> vec2f {
  return tf_add(tf_add(tf_mul(a.x, b.x), tf_mul(a.y, b.y)), tf_mul(a.z, b.z));
}

// a + t b
fn tf_along(a: Vec3tf, t: vec2f, b: Vec3tf) -> Vec3tf {
  return Vec3tf(tf_add(a.x, tf_mul(t, b.x)), tf_add(a.y, tf_mul(t, b.y)), tf_add(a.z, tf_mul(t, b.z)));
}
