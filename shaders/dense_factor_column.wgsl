// One column of a panel of PANEL columns in Gaussian elimination with partial pivoting, without moving rows: a row that was a pivot is
// marked and left as it is (a row of U), all others are reduced by it. Every workgroup finds the pivot from the largest entries that the
// step before left; ties go to the first row. A workgroup has 64 rows, PANEL_LANES lanes a row share its columns. Rows begin at `row`;
// `depth` is the column of the panel; with `source` 1 the step only begins the panel: it clears marks and finds the largest entries of
// column 0.

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<uniform> step_: Step;
@group(0) @binding(2) var<storage, read_write> left: array<vec2f>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;
// Largest |re| + |im| of each workgroup's rows and its row, of even columns and then of odd ones.
@group(0) @binding(4) var<storage, read_write> largest: array<vec2u>;
// Pivot row of each column.
@group(0) @binding(5) var<storage, read_write> pivots: array<u32>;

var<workgroup> candidates: array<vec2u, LANES>;
var<workgroup> pivot_row: array<vec2f, PANEL>;

// The larger of two (bits of |re| + |im|, row): floats that are not negative are ordered like their bits.
fn larger(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, b.x > a.x || (b.x == a.x && b.y < a.y));
}

fn reduce(lane: u32) {
  for (var half = LANES / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (lane < half) { candidates[lane] = larger(candidates[lane], candidates[lane + half]); }
  }
  workgroupBarrier();
}

fn at(column: u32, row: u32) -> u32 {
  return (step_.panel + column) * job.order + row;
}

fn candidate(z: vec2f, row: u32) -> vec2u {
  return vec2u(pivot_size(z), row);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = step_.row + 64u * group.x + (lane & 63u);
  let share = lane >> 6u;
  let column = step_.depth;
  // Of this lane's row, for the step that follows; a row that was a pivot is none.
  var next = vec2u(0u, 0xffffffffu);
  if (step_.source == 1u) {
    if (share == 0u) {
      marks[row] = 0u;
      next = candidate(left[at(0u, row)], row);
    }
    candidates[lane] = next;
    reduce(lane);
    if (lane == 0u) { largest[group.x] = candidates[0]; }
    return;
  }

  var best = vec2u(0u, 0xffffffffu);
  for (var i = lane; i < groups.x; i += LANES) { best = larger(best, largest[(column & 1u) * groups.x + i]); }
  candidates[lane] = best;
  reduce(lane);
  let pivot = candidates[0].y;
  workgroupBarrier();

  if (lane < PANEL && lane >= column) { pivot_row[lane] = left[at(lane, pivot)]; }
  let entry = left[at(column, row)];
  let done = marks[row] == 1u || row == pivot;
  workgroupBarrier();
  if (!done) {
    let p = pivot_row[column];
    // Squares of small pivots would vanish.
    let scale = 1.0 / (abs(p.x) + abs(p.y));
    let factor = complex_divide(entry * scale, p * scale);
    if (share == 0u) { left[at(column, row)] = factor; }
    for (var k = column + 1u + share; k < PANEL; k += PANEL_LANES) {
      let u = pivot_row[k];
      let z = left[at(k, row)] - vec2f(factor.x * u.x - factor.y * u.y, factor.x * u.y + factor.y * u.x);
      left[at(k, row)] = z;
      if (k == column + 1u) { next = candidate(z, row); }
    }
  }
  if (share == 0u && row == pivot) { marks[row] = 1u; }
  if (group.x == 0u && lane == 0u) { pivots[column] = pivot; }
  candidates[lane] = next;
  reduce(lane);
  if (lane == 0u) { largest[((column + 1u) & 1u) * groups.x + group.x] = candidates[0]; }
}
