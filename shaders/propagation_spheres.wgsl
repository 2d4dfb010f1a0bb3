// Reception spheres that the rays of a batch meet (paper 004, section III.C), found twice: counted where COUNT is 1, and listed once the
// host has made room for so many. Rays are followed unfolded, by the facets that they met.

@group(0) @binding(2) var<storage, read> facets: array<FacetPlane>;
@group(0) @binding(3) var<storage, read> receiver_nodes: array<ReceiverNode>;
@group(0) @binding(4) var<storage, read> points: array<Receiver>;
@group(0) @binding(5) var<storage, read> rays: array<u32>;
@group(0) @binding(6) var<storage, read_write> candidates: array<atomic<u32>>;

fn receive(ray: u32, place: Place) -> u32 {
  let tangent = sphere_tangent(place);
  var d = vertex_direction(place);
  var source = job.transmitter;
  var wall = vec4f(0.0);
  var found = 0u;
  let last = rays[count_word(ray)];
  for (var b = 0u; ; b++) {
    found += list_receivers(
      ray, b, source, d, tangent, bitcast<f32>(rays[from_word(ray, b)]), bitcast<f32>(rays[to_word(ray, b)]), wall);
    if (b == last) { return found; }
    let plane = facets[rays[met_word(ray, b)]];
    source -= 2.0 * (dot(plane.normal, source) - plane.offset) * plane.normal;
    d -= 2.0 * dot(plane.normal, d) * plane.normal;
    wall = vec4f(plane.normal, plane.offset) * select(-1.0, 1.0, dot(plane.normal, d) > 0.0);
  }
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  var found = 0u;
  for (var ray = id.x; ray < step_.total; ray += groups.x * WORKGROUP) {
    var place: Place;
    if (place_of(ray, &place)) { found += receive(ray, place); }
  }
  if (COUNT == 1u && found > 0u) { atomicAdd(&candidates[HEAD_FOUND], found); }
}
