// Products of tiles of two complex matrices: a workgroup has 64 x 64 entries of C, a lane rows 2 ty, 2 ty + 1, 32 + 2 ty, 33 + 2 ty and
// the same columns of tx, as pairs of columns: sum[2 r + c] is row r of the lane, pair c. DEPTH columns of A at a time. `left` holds columns
// of A one after the other. The kernel declares `left` and `right_pair(i)`, the i-th pair of complex numbers of B's buffer.

var<workgroup> a_tile: array<vec4f, TILE_PAIRS>;
var<workgroup> b_tile: array<vec4f, TILE_PAIRS>;

fn times_j(b: vec4f) -> vec4f {
  return vec4f(-b.y, b.x, -b.w, b.z);
}

// Adds A[rows, k ..] B[k .., columns], both `DEPTH` deep, of the tile that begins at `row`, `column`.
fn add_products(k: u32, row: u32, column: u32, lane: u32, sum: ptr<function, array<vec4f, 8>>) {
  workgroupBarrier();
  for (var i = lane; i < TILE_PAIRS; i += LANES) {
    let depth = k + (i >> 5u);
    a_tile[i] = left[((step_.panel + depth) * job.order + row) / 2u + (i & 31u)];
    b_tile[i] = right_pair(((step_.source + depth) * step_.width + column) / 2u + (i & 31u));
  }
  workgroupBarrier();
  let tx = lane & 15u;
  let ty = lane >> 4u;
  for (var d = 0u; d < DEPTH; d++) {
    let a = a_tile[32u * d + ty];
    let e = a_tile[32u * d + 16u + ty];
    let b = b_tile[32u * d + tx];
    let c = b_tile[32u * d + 16u + tx];
    let jb = times_j(b);
    let jc = times_j(c);
    (*sum)[0] += a.x * b + a.y * jb;
    (*sum)[1] += a.x * c + a.y * jc;
    (*sum)[2] += a.z * b + a.w * jb;
    (*sum)[3] += a.z * c + a.w * jc;
    (*sum)[4] += e.x * b + e.y * jb;
    (*sum)[5] += e.x * c + e.y * jc;
    (*sum)[6] += e.z * b + e.w * jb;
    (*sum)[7] += e.z * c + e.w * jc;
  }
}

// Where entry `sum[i]` stands in a row-major buffer, in pairs.
fn entry(i: u32, row: u32, column: u32, lane: u32) -> u32 {
  let r = row + 2u * (lane >> 4u) + ((i >> 1u) & 1u) + 32u * (i >> 2u);
  return (r * step_.width + column) / 2u + (lane & 15u) + 16u * (i & 1u);
}
