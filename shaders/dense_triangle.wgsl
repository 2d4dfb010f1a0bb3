// Solves T X = B in place for PANEL rows of a block from `row` on, T a triangle on the diagonal in `left`: with UPPER 0 the lower one with ones
// on its diagonal, with UPPER 1 the upper one. A workgroup has 32 columns, from `column` on.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> left: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> block: array<vec2f>;

var<workgroup> x: array<vec2f, SOLVED>;

fn triangle(row: u32, column: u32) -> vec2f {
  return left[(step_.panel + column) * job.order + step_.row + row];
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let column = lane & 31u;
  let first = lane >> 5u;
  let at = step_.column + 32u * group.x + column;
  for (var r = first; r < PANEL; r += 8u) { x[32u * r + column] = block[(step_.row + r) * step_.width + at]; }
  for (var i = 0u; i < PANEL; i++) {
    let k = select(i, PANEL - 1u - i, UPPER == 1u);
    workgroupBarrier();
    if (UPPER == 1u) {
      if (first == 0u) {
        let p = triangle(k, k);
        let scale = 1.0 / (abs(p.x) + abs(p.y));
        x[32u * k + column] = complex_divide(x[32u * k + column] * scale, p * scale);
      }
      workgroupBarrier();
    }
    let known = x[32u * k + column];
    for (var r = first; r < PANEL; r += 8u) {
      if (select(r > k, r < k, UPPER == 1u)) { x[32u * r + column] -= complex_multiply(triangle(r, k), known); }
    }
  }
  workgroupBarrier();
  for (var r = first; r < PANEL; r += 8u) { block[(step_.row + r) * step_.width + at] = x[32u * r + column]; }
}
