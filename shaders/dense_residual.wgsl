// R -= A X where R is the sum of two floats, `high` + `low`: products of DEPTH columns are summed in single precision, these sums in two-float
// arithmetic (two_float.wgsl), so that the error does not grow with the order of the matrix.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> left: array<vec4f>;
@group(0) @binding(3) var<storage, read> solution: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> high: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> low: array<vec4f>;

fn right_pair(i: u32) -> vec4f {
  return solution[i];
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = step_.row + 64u * group.y;
  let column = step_.column + 64u * group.x;
  var upper: array<vec4f, 8>;
  var lower: array<vec4f, 8>;
  for (var i = 0u; i < 8u; i++) {
    let at = entry(i, row, column, lane);
    upper[i] = high[at];
    lower[i] = low[at];
  }
  for (var k = 0u; k < step_.depth; k += DEPTH) {
    // In so many words: SwiftShader keeps an array that is declared in a loop from turn to turn.
    var sum: array<vec4f, 8>;
    for (var i = 0u; i < 8u; i++) { sum[i] = vec4f(0.0); }
    add_products(k, row, column, lane, &sum);
    for (var i = 0u; i < 8u; i++) {
      for (var c = 0u; c < 4u; c++) {
        let s = two_sum(upper[i][c], -sum[i][c]);
        upper[i][c] = s.x;
        lower[i][c] += s.y;
      }
    }
  }
  for (var i = 0u; i < 8u; i++) {
    let at = entry(i, row, column, lane);
    high[at] = upper[i];
    low[at] = lower[i];
  }
}
