// C -= A B of a blocked factorisation: A are `depth` columns of `left`, B rows `source` .. of `block`, C its rows from `row` on, columns
// from `column` on; a workgroup has 64 x 64 entries of C. The host prepends the constants and structs of gpu/dense/solver.ts.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> left: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> block: array<vec4f>;

fn right_pair(i: u32) -> vec4f {
  return block[i];
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = step_.row + 64u * group.y;
  let column = step_.column + 64u * group.x;
  var sum: array<vec4f, 8>;
  for (var k = 0u; k < step_.depth; k += DEPTH) { add_products(k, row, column, lane, &sum); }
  for (var i = 0u; i < 8u; i++) { block[entry(i, row, column, lane)] -= sum[i]; }
}
