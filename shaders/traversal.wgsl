// Ordered traversal of the two-child hierarchy with a short stack. Of facets at the same distance the lower number
// wins, so the order of traversal never shows. Nodes: 2 vec4 (min | first, max | count); slots: 4 vec4 (plane n | n.a,
// m1 | c1, m2 | c2, facet and surface number), see `facetPlanes` in scene/.

@group(0) @binding(2) var<storage, read> nodes: array<vec4f>;
@group(0) @binding(3) var<storage, read> slots: array<vec4f>;

const NO_SLOT = 0xffffffffu;
const GRAZING_COSINE = 2e-6;
const FAR = 3e38;

struct Hit {
  t: f32,
  slot: u32,
}

fn box_entry(node: u32, o: vec3f, inv: vec3f, limit: f32) -> f32 {
  let a = (nodes[2u * node].xyz - o) * inv;
  let b = (nodes[2u * node + 1u].xyz - o) * inv;
  let lo = min(a, b);
  let hi = max(a, b);
  let t0 = max(max(lo.x, lo.y), max(lo.z, 0.0));
  let t1 = min(min(hi.x, hi.y), min(hi.z, limit));
  return select(-1.0, t0, t0 <= t1 * 1.000001);
}

fn away_from_zero(x: f32) -> f32 {
  return select(x, select(-1e-20, 1e-20, x >= 0.0), abs(x) < 1e-20);
}

// Nearest hit in front of o along unit d, slot `skip` passed by; with `any_hit` the first one found.
fn traverse(o: vec3f, d: vec3f, skip: u32, any_hit: bool) -> Hit {
  var hit = Hit(FAR, NO_SLOT);
  var facet = NO_SLOT;
  let inv = vec3f(1.0) / vec3f(away_from_zero(d.x), away_from_zero(d.y), away_from_zero(d.z));
  var stack: array<u32, STACK_SIZE>;
  var top = 0u;
  var node = 0u;
  if (box_entry(0u, o, inv, hit.t) < 0.0) {
    return hit;
  }
  loop {
    let first = bitcast<u32>(nodes[2u * node].w);
    let count = bitcast<u32>(nodes[2u * node + 1u].w);
    var descend = false;
    if (count > 0u) {
      for (var slot = first; slot < first + count; slot++) {
        let plane = slots[4u * slot];
        let cosine = dot(plane.xyz, d);
        if (abs(cosine) < GRAZING_COSINE || slot == skip) { continue; }
        let t = (plane.w - dot(plane.xyz, o)) / cosine;
        if (!(t > 0.0 && t <= hit.t)) { continue; }
        let p = o + t * d;
        let m1 = slots[4u * slot + 1u];
        let u = dot(m1.xyz, p) + m1.w;
        let m2 = slots[4u * slot + 2u];
        let v = dot(m2.xyz, p) + m2.w;
        if (u < 0.0 || v < 0.0 || u + v > 1.0) { continue; }
        let candidate = bitcast<u32>(slots[4u * slot + 3u].x);
        if (t == hit.t && candidate > facet) { continue; }
        hit = Hit(t, slot);
        facet = candidate;
        if (any_hit) { return hit; }
      }
    } else {
      let near = box_entry(first, o, inv, hit.t);
      let far = box_entry(first + 1u, o, inv, hit.t);
      let swapped = far >= 0.0 && (near < 0.0 || far < near);
      if (near >= 0.0 || far >= 0.0) {
        node = select(first, first + 1u, swapped);
        if (near >= 0.0 && far >= 0.0) {
          stack[top] = select(first + 1u, first, swapped);
          top++;
        }
        descend = true;
      }
    }
    if (descend) { continue; }
    if (top == 0u) { break; }
    top--;
    node = stack[top];
  }
  return hit;
}
