// From the pivot rows of a panel, which did not move while it was factored, the exchanges of rows that move them, in order: row `row` + j
// with `exchanges[row + j]`, as LAPACK's ipiv. `smallest` keeps the smallest |re| + |im| of all pivots, as bits.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read> left: array<vec2f>;
@group(0) @binding(3) var<storage, read> pivots: array<u32>;
@group(0) @binding(4) var<storage, read_write> exchanges: array<u32>;
@group(0) @binding(5) var<storage, read_write> smallest: array<u32>;

var<workgroup> swaps: array<u32, PANEL>;

@compute @workgroup_size(1)
fn main() {
  for (var j = 0u; j < PANEL; j++) {
    let pivot = pivots[j];
    smallest[0] = min(smallest[0], pivot_size(left[(step_.panel + j) * job.order + pivot]));
    // Where the row is after the exchanges before.
    var place = pivot;
    for (var i = 0u; i < j; i++) {
      if (place == step_.row + i) { place = swaps[i]; }
    }
    swaps[j] = place;
    exchanges[step_.row + j] = place;
  }
}
